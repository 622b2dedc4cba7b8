// xofm evaluate: how good a model is on labelled rows.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "io/metrics_json.hpp"
#include "options.hpp"
#include "reliability.hpp"
#include "terminal.hpp"
#include "xofm/csv.hpp"
#include "xofm/model_file.hpp"

namespace xofm::app {

namespace {

struct EvaluateArguments {
  std::string model;
  std::string data;
  Dialect dialect;
  RuleOverride rule;
  bool json = false;
  bool reliability = false;
};

void print_metrics(const Metrics& metrics, const Schema& schema) {
  static constexpr std::pair<std::string_view, std::string_view> texts[] = {
      {"accuracy", "share of rows whose class is right"},
      {"mae", "mean distance in classes"},
      {"macro_mae", "the same, each class counted alike"},
      {"worst_class_mae", "the same, of the worst class"},
      {"within_one", "share of rows at most one class off"},
      {"qwk", "quadratic weighted kappa: 1 perfect, 0 chance"},
      {"kendall_tau_b", "rank correlation of score and class"},
      {"c_index", "share of pairs in the right order"},
      {"rps", "ranked probability score, 0 is best"},
      {"log_loss", "mean -ln P(true class), 0 is best"},
  };
  fmt::print("{}\n", counted(metrics.row_count, "row"));
  for (const auto& field : metric_fields) {
    const auto* const text =
        std::find_if(std::begin(texts), std::end(texts), [&](const auto& entry) { return entry.first == field.name; });
    fmt::print("{:<16} {:8.4f}  {}\n", field.name, metrics.*field.value, text->second);
  }
  std::size_t width = 8;
  for (const auto& name : schema.class_names)
    width = std::max(width, std::min<std::size_t>(display_width(name) + 2, 16));
  fmt::print("\ntrue class (down) by predicted class (across)\n{}", std::string(width, ' '));
  for (const auto& name : schema.class_names) fmt::print("{}", fit_width("  " + name, width));
  fmt::print("\n");
  for (std::size_t h = 0; h < metrics.confusion.size(); ++h) {
    fmt::print("{}", fit_width(schema.class_names[h], width));
    for (const std::size_t count : metrics.confusion[h]) fmt::print("  {:<{}}", count, width - 2);
    fmt::print("\n");
  }
}

int run_evaluate(const EvaluateArguments& arguments) {
  Model model = load_model(arguments.model);
  arguments.rule.apply(model);
  CsvReader reader(arguments.data, model.schema, arguments.dialect.in(CsvReaderOptions{.read_labels = true}));
  std::vector<int> labels;
  std::vector<int> classes;
  std::vector<double> scores;
  std::vector<double> probabilities;
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  Dataset chunk;
  while (reader.next(chunk)) {
    const Predictions predictions = model.predict(chunk);
    append(labels, chunk.labels);
    append(classes, predictions.classes);
    append(scores, predictions.scores);
    append(probabilities, predictions.probabilities);
  }
  if (labels.empty()) {
    throw Error(ErrorCode::invalid_data, fmt::format("'{}' has a header and no rows to evaluate on", arguments.data));
  }
  const Metrics metrics = evaluate(model.schema.class_count(), labels, classes, scores, probabilities);
  const auto table = reliability(model.schema.class_count(), labels, probabilities);
  if (arguments.json) {
    nlohmann::ordered_json json = detail::metrics_to_json(metrics);
    if (arguments.reliability) json["reliability"] = reliability_json(table);
    fmt::print("{}\n", json_text(json.dump()));
  } else {
    print_metrics(metrics, model.schema);
    if (arguments.reliability) print_reliability(table);
  }
  return exit_ok;
}

}  // namespace

void add_evaluate(CLI::App& app, const Common& /*common*/, Run& run) {
  auto arguments = std::make_shared<EvaluateArguments>();
  CLI::App* const evaluate = app.add_subcommand("evaluate", "Measure a model on labelled rows");
  evaluate->footer(R"(Examples:
  xofm evaluate model.json test.csv
  xofm evaluate model.json test.csv --json
  xofm evaluate model.json test.csv --reliability
  xofm evaluate model.json test.csv --rule support)");
  evaluate->add_option("model", arguments->model, "Model made by fit")->required()->type_name("MODEL");
  evaluate
      ->add_option("data", arguments->data, "Labelled rows: CSV with a header, also .gz or .zst; - for standard input")
      ->required()
      ->type_name("FILE");
  evaluate->add_flag("--json", arguments->json, "Print the metrics as JSON");
  evaluate->add_flag("--reliability", arguments->reliability, "Also compare probabilities with what happened");
  add_dialect(*evaluate, arguments->dialect);
  add_rule(*evaluate, arguments->rule);
  evaluate->callback([arguments, &run] { run = [arguments] { return run_evaluate(*arguments); }; });
}

}  // namespace xofm::app
