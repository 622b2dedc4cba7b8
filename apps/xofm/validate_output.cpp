#include "validate_output.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "io/csv_write.hpp"
#include "io/metrics_json.hpp"
#include "reliability.hpp"
#include "search_text.hpp"
#include "terminal.hpp"

namespace xofm::app {

namespace {

using Json = nlohmann::ordered_json;

std::string number_text(double value) { return std::isnan(value) ? "-" : fmt::format("{:.4f}", value); }

Json number_json(double value) { return std::isnan(value) ? Json() : Json(value); }

}  // namespace

void print_validation(const ValidationResult& result, std::size_t trial_count, const Dataset& data) {
  fmt::print("{}, {}, {} classes of '{}': ", counted(data.row_count(), "row"),
             counted(data.attribute_count(), "attribute"), data.schema.class_count(),
             printable(data.schema.label_name));
  const std::size_t finished = result.trials.size();
  if (result.interrupted) {
    fmt::print("interrupted, {} of {} finished.\n", finished, counted(trial_count, "trial"));
  } else {
    fmt::print("{}.\n", counted(finished, "trial"));
  }
  if (finished == 0) return;
  std::size_t held_out = 0;
  for (const auto& trial : result.trials) held_out += trial.rows.size();
  fmt::print("Each model judged on rows that it has not seen, {:.4g} on average.\n\n",
             static_cast<double>(held_out) / static_cast<double>(finished));
  fmt::print("{:<16} {:>8} {:>8}   {}\n", "metric", "mean", "spread", "min .. max over trials");
  for (std::size_t m = 0; m < result.summary.size(); ++m) {
    const MetricSummary& summary = result.summary[m];
    fmt::print("{:<16} {:>8} {:>8}   {} .. {}{}\n", metric_fields[m].name, number_text(summary.mean),
               number_text(summary.spread), number_text(summary.min), number_text(summary.max),
               summary.count < finished ? fmt::format("  (defined in {} of {})", summary.count, finished) : "");
  }
}

std::vector<ReliabilityBin> unseen_reliability(const ValidationResult& result, int class_count) {
  std::vector<int> labels;
  std::vector<double> probabilities;
  for (const auto& trial : result.trials) {
    labels.insert(labels.end(), trial.labels.begin(), trial.labels.end());
    probabilities.insert(probabilities.end(), trial.predictions.probabilities.begin(),
                         trial.predictions.probabilities.end());
  }
  return reliability(class_count, labels, probabilities);
}

void print_validation_json(const ValidationResult& result, std::size_t trial_count, int reliability_class_count) {
  Json json = {{"trial_count", trial_count},
               {"finished_count", result.trials.size()},
               {"interrupted", result.interrupted},
               {"summary", Json::object()},
               {"trials", Json::array()}};
  for (std::size_t m = 0; m < result.summary.size(); ++m) {
    const MetricSummary& summary = result.summary[m];
    json["summary"][std::string(metric_fields[m].name)] = {{"count", summary.count},
                                                           {"mean", number_json(summary.mean)},
                                                           {"spread", number_json(summary.spread)},
                                                           {"min", number_json(summary.min)},
                                                           {"max", number_json(summary.max)}};
  }
  for (const auto& trial : result.trials) {
    json["trials"].push_back({{"trial", trial.trial + 1},
                              {"learning_count", trial.learning_count},
                              {"metrics", detail::metrics_to_json(trial.metrics)}});
  }
  if (reliability_class_count > 0) {
    json["reliability"] = reliability_json(unseen_reliability(result, reliability_class_count));
  }
  fmt::print("{}\n", json_text(json.dump()));
}

void write_validation_predictions(detail::OutputFile& file, const ValidationResult& result, const Schema& schema,
                                  bool raw_cells) {
  std::string header = "trial,row,true,class,score,lowest,highest";
  std::vector<std::string> names;
  for (const auto& name : schema.class_names) {
    header += ',';
    detail::append_csv_field(header, "probability_" + name, ',');
    detail::append_csv_text(names.emplace_back(), name, ',', raw_cells);
  }
  file.write(header + '\n');
  const auto name_of_class = [&](int h) -> const std::string& { return names[static_cast<std::size_t>(h)]; };
  for (const auto& trial : result.trials) {
    const Predictions& predictions = trial.predictions;
    std::string text;
    const auto out = std::back_inserter(text);
    for (std::size_t i = 0; i < trial.rows.size(); ++i) {
      const auto [lowest, highest] = predictions.intervals[i];
      fmt::format_to(out, "{},{},{},{},{},{},{}", trial.trial + 1, trial.rows[i] + 1, name_of_class(trial.labels[i]),
                     name_of_class(predictions.classes[i]), predictions.scores[i], name_of_class(lowest),
                     name_of_class(highest));
      for (std::size_t h = 0; h < names.size(); ++h) {
        fmt::format_to(out, ",{}", predictions.probabilities[i * names.size() + h]);
      }
      text += '\n';
    }
    file.write(text);
  }
}

}  // namespace xofm::app
