#include "options.hpp"

namespace xofm::app {

CLI::Option* add_separator(CLI::App& app, char& separator) {
  return app
      .add_option_function<std::string>(
          "--separator",
          [&separator](const std::string& text) {
            if (text == "tab" || text == "\t" || text == "\\t") {
              separator = '\t';
            } else if (text == "," || text == ";") {
              separator = text[0];
            } else {
              throw CLI::ValidationError(fmt::format("--separator is '{}'; it must be one of , ; tab", text));
            }
          },
          "Between the cells; found from the header if not given")
      ->type_name(",|;|tab");
}

std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& flag) {
  const std::size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0) {
    throw CLI::ValidationError(fmt::format("{} is '{}'; it must be NAME=VALUE", flag, text));
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

void add_rule(CLI::App& app, RuleOverride& rule) {
  const auto then = [&rule](std::function<void(Assignment&)> change) {
    rule.apply = [before = rule.apply, change](Model& model) {
      before(model);
      change(model.assignment);
    };
  };
  add_choice<AssignmentRule>(
      app, "--rule", AssignmentRule::probability, "How a score becomes a class",
      [then](AssignmentRule value) { then([value](Assignment& assignment) { assignment.options.rule = value; }); })
      ->default_str("as trained");
  add_choice<Aim>(app, "--aim", Aim::mae, "What the class is chosen for", [then](Aim value) {
    then([value](Assignment& assignment) { assignment.options.aim = value; });
  })->default_str("as trained");
}

}  // namespace xofm::app
