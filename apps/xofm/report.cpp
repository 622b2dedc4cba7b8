// xofm report: a model as a page that people open in a browser.
#include "xofm/report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "io/output_file.hpp"
#include "options.hpp"
#include "terminal.hpp"
#include "xofm/csv.hpp"
#include "xofm/model_file.hpp"

namespace xofm::app {

namespace {

struct ReportArguments {
  std::string model;
  std::string data;
  std::string id;
  std::string output = "report.html";
  Dialect dialect;
  RuleOverride rule;
  ReportOptions options;
};

// Rows with their names: from --id, or from the column that named the training rows, if the file has it.
Dataset read_rows(const ReportArguments& arguments, const Schema& schema) {
  CsvReaderOptions options = arguments.dialect.in(CsvReaderOptions{.read_labels = true, .labels_optional = true});
  const bool is_asked = !arguments.id.empty();
  const std::string id = is_asked || arguments.data == "-" ? arguments.id : schema.id_name;
  std::optional<CsvReader> reader;
  try {
    options.carry = id.empty() ? std::vector<std::string>{} : std::vector<std::string>{id};
    reader.emplace(arguments.data, schema, options);
  } catch (const Error&) {
    if (is_asked) throw;
    options.carry.clear();
    reader.emplace(arguments.data, schema, options);
  }
  Dataset rows;
  Dataset chunk;
  CarriedColumns carried;
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  while (reader->next(chunk, carried)) {
    rows.schema = chunk.schema;
    rows.columns.resize(chunk.columns.size());
    for (std::size_t j = 0; j < chunk.columns.size(); ++j) rows.columns[j].append(chunk.columns[j]);
    append(rows.labels, chunk.labels);
    if (!options.carry.empty()) append(rows.ids, carried.cells.front());
  }
  if (rows.columns.empty()) rows.schema = schema;
  rows.columns.resize(schema.attributes.size());
  return rows;
}

int run_report(const ReportArguments& arguments, const Common& common) {
  if (arguments.options.row_limit == 0) {
    throw Error(ErrorCode::invalid_option, "--row-limit is 0; it must be at least 1");
  }
  // Whether the page can be written is known before the work, not after.
  if (arguments.output != "-") const detail::OutputFile probe(arguments.output);
  Model model = load_model(arguments.model);
  arguments.rule.apply(model);
  std::optional<Dataset> rows;
  ReportOptions options = arguments.options;
  if (!arguments.data.empty()) {
    rows = read_rows(arguments, model.schema);
    options.data_name = arguments.data == "-" ? "standard input" : std::filesystem::path(arguments.data).filename();
  }
  save_report(model, arguments.output, rows ? &*rows : nullptr, options);
  if (!common.quiet && arguments.output != "-") {
    fmt::print("Report written to {}; open it in a browser\n", printable(arguments.output));
  }
  return exit_ok;
}

}  // namespace

void add_report(CLI::App& app, const Common& common, Run& run) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* const report = app.add_subcommand("report", "Write a model as a page to open in a browser");
  report->footer(
      R"(One HTML file that needs no network: what the model decides and how well, a curve per attribute, a heat-map per
pair, and one object whose class, interval, support and contributions follow as its values are moved. With --data the
reader can choose its rows; labelled ones also show how good the model is on them. The rows become part of the page: think
of who will read it.

Examples:
  xofm report model.json
  xofm report model.json --data test.csv -o report.html
  xofm report model.json --title "Credit grades, 2026")");
  report->add_option("model", arguments->model, "Model made by fit")->required()->type_name("MODEL");
  report
      ->add_option("--data", arguments->data,
                   "Rows to choose from: CSV with a header, also .gz or .zst; - for standard input")
      ->type_name("FILE");
  report
      ->add_option(
          "--id", arguments->id,
          "Column of --data that names the rows, to find them by in the page; that of the training rows if the "
          "file has it")
      ->type_name("NAME");
  report->add_option("-o,--output", arguments->output, "Where the page goes; - for standard output")
      ->type_name("FILE")
      ->capture_default_str();
  report->add_option("--title", arguments->options.title, "Heading of the page")
      ->type_name("TEXT")
      ->default_str("the name of the label");
  add_number(*report, "--row-limit", arguments->options.row_limit, "Rows of --data to keep in the page, evenly spread");
  add_dialect(*report, arguments->dialect);
  add_rule(*report, arguments->rule);
  report->callback(
      [arguments, &common, &run] { run = [arguments, &common] { return run_report(*arguments, common); }; });
}

}  // namespace xofm::app
