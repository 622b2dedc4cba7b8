#include "options.hpp"

#include "io/decision_csv.hpp"

namespace xofm::app {

namespace {

constexpr std::pair<Encoding, std::string_view> encoding_names[] = {
    {Encoding::utf8, "utf8"}, {Encoding::utf16, "utf16"}, {Encoding::latin1, "latin1"}, {Encoding::cp1252, "cp1252"}};

// ',', ';', 'tab' or an actual tab.
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

}  // namespace

void add_dialect(CLI::App& app, Dialect& dialect, const std::string& group) {
  CLI::Option* const separator = add_separator(app, dialect.separator);
  CLI::Option* const encoding = app.add_option_function<std::string>(
                                       "--encoding",
                                       [&dialect](const std::string& name) {
                                         for (const auto& [value, known] : encoding_names) {
                                           if (name == known) dialect.encoding = value;
                                           if (name == known) return;
                                         }
                                         throw CLI::ValidationError(fmt::format(
                                             "--encoding is '{}'; it must be one of utf8|utf16|latin1|cp1252", name));
                                       },
                                       "How the text is written; cp1252 is Windows in Western Europe")
                                    ->type_name("utf8|utf16|latin1|cp1252")
                                    ->default_str("utf8, or utf16 where the file begins so");
  CLI::Option* const decimal =
      app.add_option_function<std::string>(
             "--decimal",
             [&dialect](const std::string& text) {
               if (text != "." && text != ",") {
                 throw CLI::ValidationError(fmt::format("--decimal is '{}'; it must be . or ,", text));
               }
               dialect.decimal = text[0];
             },
             "What stands before the decimals; the other one may set thousands apart")
          ->type_name(".|,")
          ->default_str("a comma where the file leaves no doubt, else a point");
  if (group.empty()) return;
  separator->group(group);
  encoding->group(group);
  decimal->group(group);
}

std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& flag) {
  const std::size_t at = text.rfind('=');
  if (at == std::string::npos || at == 0) {
    throw CLI::ValidationError(fmt::format("{} is '{}'; it must be NAME=VALUE", flag, text));
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

namespace {

// Adds a change to what the override does.
void then(RuleOverride& rule, const std::function<void(Model&)>& change) {
  rule.apply = [before = rule.apply, change](Model& model) {
    before(model);
    change(model);
  };
}

}  // namespace

void add_rule(CLI::App& app, RuleOverride& rule) {
  add_choice<AssignmentRule>(
      app, "--rule", AssignmentRule::probability, "How a score becomes a class",
      [&rule](AssignmentRule value) { then(rule, [value](Model& model) { model.assignment.options.rule = value; }); })
      ->default_str("as trained");
  add_choice<Aim>(app, "--aim", Aim::mae, "What the class is chosen for", [&rule](Aim value) {
    then(rule, [value](Model& model) { model.assignment.options.aim = value; });
  })->default_str("as trained");
}

void add_decisions(CLI::App& app, std::string& path) {
  app.add_option(
         "--decisions", path,
         "CSV file with the columns id, class and reason: decisions taken by hand, before all others; needs --id")
      ->type_name("FILE")
      ->group("Decision");
}

void add_decision(CLI::App& app, RuleOverride& rule) {
  const char* const group = "Decision";
  const auto decide = [&rule](const std::function<void(Decision&, const Schema&)>& change) {
    then(rule, [change](Model& model) {
      change(model.assignment.decision, model.schema);
      check_decision(model.assignment);
    });
  };
  app.add_option_function<std::string>(
         "--costs",
         [decide](const std::string& path) {
           decide(
               [path](Decision& decision, const Schema& schema) { decision.costs = detail::read_costs(path, schema); });
         },
         "CSV file with a line per true class and a column per class decided: the class of least expected cost")
      ->type_name("FILE")
      ->group(group);
  add_choice<Preference>(app, "--prefer", Preference::none, "The end of the interval that the training rows allow",
                         [decide](Preference value) {
                           decide([value](Decision& decision, const Schema&) { decision.preference = value; });
                         })
      ->group(group);
  add_value<double>(app, "--abstain", 0, "No class where none is so probable, as 0.9",
                    [decide](double value) {
                      decide([value](Decision& decision, const Schema&) { decision.least_probability = value; });
                    })
      ->default_str("")
      ->group(group);
  add_value<int>(
      app, "--abstain-wider", 0, "No class where the classes that hold the true one in 90 % of cases are more",
      [decide](int value) { decide([value](Decision& decision, const Schema&) { decision.most_classes = value; }); })
      ->default_str("")
      ->group(group);
}

}  // namespace xofm::app
