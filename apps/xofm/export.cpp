// xofm export: a model as a program of another world.
#include "xofm/export.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "options.hpp"
#include "terminal.hpp"
#include "xofm/model_file.hpp"

namespace xofm::app {

namespace {

struct ExportArguments {
  std::string model;
  std::string output = "-";
  std::string reasons = "low";
  ExportOptions options;
  RuleOverride rule;
};

// Options that one target alone understands.
void check_options(const CLI::App& command, ExportTarget target) {
  const ExportTarget card = target == ExportTarget::xlsx ? ExportTarget::xlsx : ExportTarget::points;
  const std::pair<ExportTarget, std::vector<std::string>> own[] = {
      {ExportTarget::c, {"--name"}},
      {ExportTarget::sql, {"--table", "--dialect", "--id"}},
      {card, {"--points", "--pdo"}}};
  for (const auto& [of, flags] : own) {
    for (const std::string& flag : flags) {
      if (of == target || command.count(flag) == 0) continue;
      throw Error(ErrorCode::invalid_option,
                  fmt::format("{} is for --to {} alone; leave it out with --to {}", flag,
                              of == card ? "points and --to xlsx" : name_of(of), name_of(target)));
    }
  }
}

int run_export(const CLI::App& command, ExportArguments arguments, const Common& common) {
  check_options(command, arguments.options.target);
  Model model = load_model(arguments.model);
  arguments.rule.apply(model);
  arguments.options.highest_reasons = arguments.reasons == "high";
  arguments.options.raw_cells = common.raw_cells;
  save_export(model, arguments.output, arguments.options);
  if (!common.quiet && arguments.output != "-") {
    fmt::print("{} written to {}\n", name_of(arguments.options.target), printable(arguments.output));
  }
  return exit_ok;
}

}  // namespace

void add_export(CLI::App& app, const Common& common, Run& run) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* const command =
      app.add_subcommand("export", "Write a model as C, Python, SQL, ONNX, PMML or a scorecard, to score without xofm");
  command->footer(
      R"(Score, class, probabilities and the three strongest reasons of a row, the same as predict gives, also for values that
are missing, out of range or new. A C or Python file needs no library and tests itself; SQL is one SELECT over a table
that has the columns of the training file; a workbook (xlsx) scores a case that is typed in. Models fitted with
--pairs all have too many parts for all but C, Python and ONNX.

Examples:
  xofm export model.json --to c -o model.c && cc -DXOFM_MODEL_MAIN model.c -lm && ./a.out
  xofm export model.json --to python -o model.py && python3 model.py rows.csv
  xofm export model.json --to onnx -o model.onnx
  xofm export model.json --to pmml -o model.pmml
  xofm export model.json --to points --points 600 --pdo 20 -o card.csv
  xofm export model.json --to xlsx -o card.xlsx
  xofm export model.json --to sql --dialect duckdb --table clients --id client -o score.sql)");
  command->add_option("model", arguments->model, "Model made by fit")->required()->type_name("MODEL");
  add_choice<ExportTarget>(*command, "--to", ExportTarget::c, "What to write",
                           [arguments](ExportTarget target) { arguments->options.target = target; })
      ->required()
      ->default_str("");
  command->add_option("-o,--output", arguments->output, "Where it goes; - for standard output")
      ->type_name("FILE")
      ->capture_default_str();
  command
      ->add_option("--reasons", arguments->reasons,
                   "Reasons are the parts with the lowest contributions to the score, or the highest")
      ->check(CLI::IsMember({"low", "high"}).description(""))
      ->type_name("low|high")
      ->capture_default_str();
  add_rule(*command, arguments->rule);
  command->add_option("--name", arguments->options.name, "c: what all names in the file begin with")
      ->type_name("NAME")
      ->capture_default_str();
  command
      ->add_option("--table", arguments->options.table,
                   "sql: table to read, NAME or SCHEMA.NAME, taken to the letter; put a part with dots in \"quotes\"")
      ->type_name("NAME");
  add_choice<SqlDialect>(*command, "--dialect", SqlDialect::postgres, "sql: whose SQL",
                         [arguments](SqlDialect dialect) { arguments->options.dialect = dialect; });
  command->add_option("--id", arguments->options.id, "sql: column of the table to carry along")->type_name("COLUMN");
  add_number(*command, "--points", arguments->options.points, "points, xlsx: points of the average training row");
  add_number(*command, "--pdo", arguments->options.pdo,
             "points, xlsx: so many more points double the odds of a better class");
  command->callback([command, arguments, &common, &run] {
    run = [command, arguments, &common] { return run_export(*command, *arguments, common); };
  });
}

}  // namespace xofm::app
