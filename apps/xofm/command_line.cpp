#include "command_line.hpp"

#include <fmt/format.h>

#include <string_view>

#include "io/closest_name.hpp"
#include "options.hpp"

namespace xofm::app {

namespace {

constexpr const char* footer = R"(Examples:
  xofm fit train.csv --label class -o model.json
  xofm predict model.json test.csv -o predictions.csv
  xofm evaluate model.json test.csv
  xofm validate train.csv --folds 10
  xofm show model.json
  xofm explain model.json test.csv --row 1
  xofm report model.json -o report.html

Exit status:
  0    success
  1    internal error, or out of memory
  2    unknown option or value not allowed
  3    the data cannot be used
  4    the model file is damaged or of an unknown version
  5    a file cannot be read or written
  6    monitor: the new rows have passed a threshold
  7    training has diverged and left no usable model; nothing is saved
  129  stopped by a closed terminal (SIGHUP), as below
  130  stopped by Ctrl-C; fit has saved the best model so far, validate its finished trials, others nothing
  143  stopped by SIGTERM, likewise)";

// Why there is no command to run: the word in its place, and what it may have meant.
std::string no_command_text(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining();
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands({})) {
    if (!command->get_group().empty()) names.push_back(command->get_name());  // the others are hidden
  }
  const std::string known = fmt::format("the commands are {}", fmt::join(names, ", "));
  if (words.empty()) return fmt::format("no command is given; {}", known);
  const std::string& word = words.front();
  if (word.starts_with('-')) return fmt::format("there is no option '{}' before a command; {}", word, known);
  const std::string* const closest = detail::closest_name(word, names);
  const std::string meant = closest == nullptr ? "" : fmt::format(" (did you mean '{}'?)", *closest);
  return fmt::format("there is no command '{}'{}; {}", word, meant, known);
}

}  // namespace

std::string problem_text(const CLI::App& app, const CLI::ParseError& error) {
  if (app.get_subcommands().empty() && error.get_name() == "RequiredError") return no_command_text(app);
  if (error.get_name() != "ConfigError") return error.what();
  const std::string where = "in the file given by --config: ";
  constexpr std::string_view unknown = "INI was not able to parse ";
  constexpr std::string_view section = ".++";  // how the parser calls the beginning of one
  std::string text = error.what();
  if (!text.starts_with(unknown)) return where + text;
  text = text.substr(unknown.size());
  if (!text.ends_with(section)) return fmt::format("{}there is no option '{}'", where, text);
  return fmt::format("{}there is no command '{}'", where, text.substr(0, text.size() - section.size()));
}

void set_up(CLI::App& app, Common& common, Run& run) {
  app.description("Learns from rows with ordered labels; every prediction comes with its class interval and support.");
  app.name("xofm");
  app.footer(footer);
  app.set_version_flag("--version", std::string("xofm " XOFM_VERSION));
  app.set_config("--config", "", "Read options from a TOML or INI file, commands as sections: [fit]");
  app.allow_config_extras(false);
  app.require_subcommand(1);
  app.fallthrough();
  app.add_flag("--quiet,-q", common.quiet, "Print no progress and no summary, only errors");
  app.add_flag("--force", common.force, "Let an output replace a file that is also read");
  app.add_flag("--raw-cells", common.raw_cells,
               "CSV: names and classes as they are, even such as =A1, which a spreadsheet would run");
  add_number(app, "--threads", common.threads, "Threads to use; 0: one per core. Results do not depend on it");
  for (const auto add : {add_fit, add_predict, add_evaluate, add_check, add_monitor, add_validate, add_tune, add_show,
                         add_explain, add_compare, add_compare_methods, add_path, add_report, add_export, add_edit,
                         add_audit, add_seal, add_generate, add_option_docs})
    add(app, common, run);
}

}  // namespace xofm::app
