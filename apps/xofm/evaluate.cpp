// xofm evaluate: how good a model is on labelled rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "core/evaluate/decided.hpp"
#include "io/decision_csv.hpp"
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
  std::string id;
  std::string decisions;
  bool json = false;
  bool reliability = false;
};

void print_metrics(const Metrics& metrics, const DecisionMetrics& decisions, double rule_cost, const Schema& schema) {
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
  if (decisions.row_count > metrics.row_count) {
    fmt::print("{}, {} of them without a class ({:.3g} %), left out where classes count\n",
               counted(decisions.row_count, "row"), decisions.row_count - metrics.row_count,
               100.0 * static_cast<double>(decisions.row_count - metrics.row_count) /
                   static_cast<double>(decisions.row_count));
  } else {
    fmt::print("{}\n", counted(metrics.row_count, "row"));
  }
  if (!std::isnan(decisions.mean_cost)) {
    fmt::print("{:<16} {:8.4f}  mean cost of a decision; by the rule alone {:.4f}\n", "cost", decisions.mean_cost,
               rule_cost);
  }
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
  const Decision& decision = model.assignment.decision;
  Model by_rule = model;
  by_rule.assignment.decision = {};
  std::map<std::string, detail::HandDecision> by_hand;
  CsvReaderOptions options{.read_labels = true};
  if (!arguments.decisions.empty()) {
    if (arguments.id.empty()) {
      throw Error(ErrorCode::invalid_option,
                  "--decisions are found by the names of the rows; give their column by --id");
    }
    by_hand = detail::read_decisions(arguments.decisions, model.schema);
    options.carry = {arguments.id};
  }
  CsvReader reader(arguments.data, model.schema, arguments.dialect.in(options));
  std::vector<int> labels;
  std::vector<int> classes;
  std::vector<double> scores;
  std::vector<double> probabilities;
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  std::vector<int> rule_classes;
  Dataset chunk;
  CarriedColumns carried;
  while (reader.next(chunk, carried)) {
    Predictions predictions = model.predict(chunk);
    for (std::size_t i = 0; i < predictions.row_count() && !by_hand.empty(); ++i) {
      const auto found = by_hand.find(carried.cells[0][i]);
      if (found != by_hand.end()) predictions.classes[i] = found->second.label;
    }
    if (!decision.costs.empty()) append(rule_classes, by_rule.predict(chunk).classes);
    append(labels, chunk.labels);
    append(classes, predictions.classes);
    append(scores, predictions.scores);
    append(probabilities, predictions.probabilities);
  }
  if (labels.empty()) {
    throw Error(ErrorCode::invalid_data, fmt::format("'{}' has a header and no rows to evaluate on", arguments.data));
  }
  const Metrics metrics = detail::evaluate_decided(model.schema.class_count(), labels, classes, scores, probabilities);
  const DecisionMetrics decisions = judge_decisions(decision, labels, classes);
  const double rule_cost = rule_classes.empty() ? 0 : judge_decisions(decision, labels, rule_classes).mean_cost;
  const auto table = reliability(model.schema.class_count(), labels, probabilities);
  if (arguments.json) {
    nlohmann::ordered_json json = detail::metrics_to_json(metrics);
    if (decision.is_given()) {
      json["decided_count"] = decisions.decided_count;
      json["abstained_count"] = decisions.row_count - decisions.decided_count;
    }
    if (!decision.costs.empty()) {
      json["mean_cost"] =
          std::isnan(decisions.mean_cost) ? nlohmann::ordered_json() : nlohmann::ordered_json(decisions.mean_cost);
      json["mean_cost_by_rule"] = rule_cost;
    }
    if (arguments.reliability) json["reliability"] = reliability_json(table);
    fmt::print("{}\n", json_text(json.dump()));
  } else {
    print_metrics(metrics, decisions, rule_cost, model.schema);
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
  xofm evaluate model.json test.csv --rule support
  xofm evaluate model.json test.csv --costs costs.csv --abstain 0.6)");
  evaluate->add_option("model", arguments->model, "Model made by fit")->required()->type_name("MODEL");
  evaluate
      ->add_option("data", arguments->data, "Labelled rows: CSV with a header, also .gz or .zst; - for standard input")
      ->required()
      ->type_name("FILE");
  evaluate->add_flag("--json", arguments->json, "Print the metrics as JSON");
  evaluate->add_flag("--reliability", arguments->reliability, "Also compare probabilities with what happened");
  add_dialect(*evaluate, arguments->dialect);
  evaluate->add_option("--id", arguments->id, "Column that names the rows, for --decisions")->type_name("NAME");
  add_rule(*evaluate, arguments->rule);
  add_decision(*evaluate, arguments->rule);
  add_decisions(*evaluate, arguments->decisions);
  evaluate->callback([arguments, &run] { run = [arguments] { return run_evaluate(*arguments); }; });
}

}  // namespace xofm::app
