#include "io/choice_blocks.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "xofm/names.hpp"

namespace xofm::detail {

namespace {

using Json = nlohmann::ordered_json;

constexpr int int_max = std::numeric_limits<int>::max();
constexpr std::size_t size_max = std::numeric_limits<std::size_t>::max();

Json number_or_null(double value) { return std::isnan(value) ? Json() : Json(value); }

TriedOptions read_tried(const JsonView& json) {
  TriedOptions tried;
  tried.knots = json["knots"].choice<KnotPlacement>();
  tried.segment_count = json["segment_count"].integer(1, int_max);
  tried.auto_direction = json["auto_direction"].number();
  tried.factor_count = json["factor_count"].integer(0, int_max);
  tried.increment_penalty = json["increment_penalty"].number();
  tried.factor_penalty = json["factor_penalty"].number();
  tried.pair_weighting = json["pair_weighting"].choice<PairWeighting>();
  tried.init_stddev = json["init_stddev"].number();
  tried.max_epochs = json["max_epochs"].integer(1, int_max);
  tried.rule = json["rule"].choice<AssignmentRule>();
  tried.reference_scores = json["reference_scores"].choice<ReferenceScores>();
  tried.repeat_count = json["repeat_count"].integer(0, int_max);
  tried.accuracy = json["accuracy"].number();
  tried.mae = json["mae"].number();
  tried.standard_error = json["standard_error"].number();
  return tried;
}

}  // namespace

Json tried_to_json(const TriedOptions& tried) {
  return {{"knots", name_of(tried.knots)},
          {"segment_count", tried.segment_count},
          {"auto_direction", tried.auto_direction},
          {"factor_count", tried.factor_count},
          {"increment_penalty", tried.increment_penalty},
          {"factor_penalty", tried.factor_penalty},
          {"pair_weighting", name_of(tried.pair_weighting)},
          {"init_stddev", tried.init_stddev},
          {"max_epochs", tried.max_epochs},
          {"rule", name_of(tried.rule)},
          {"reference_scores", name_of(tried.reference_scores)},
          {"repeat_count", tried.repeat_count},
          {"accuracy", tried.accuracy},
          {"mae", tried.mae},
          {"standard_error", tried.standard_error}};
}

Json tuning_to_json(const TuningRecord& tuning) {
  Json json = {{"metric", name_of(tuning.metric)},  {"seed", tuning.seed},
               {"fold_count", tuning.fold_count},   {"pass_budget", tuning.pass_budget},
               {"passes", tuning.passes},           {"time_limit", tuning.time_limit},
               {"out_of_time", tuning.out_of_time}, {"interrupted", tuning.interrupted},
               {"chosen", tuning.chosen},           {"tried", Json::array()}};
  for (const TriedOptions& tried : tuning.tried) json["tried"].push_back(tried_to_json(tried));
  return json;
}

TuningRecord read_tuning(const JsonView& json) {
  TuningRecord tuning;
  tuning.metric = json["metric"].choice<Aim>();
  tuning.seed = json["seed"].integer<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max());
  tuning.fold_count = json["fold_count"].integer(2, int_max);
  tuning.pass_budget = json["pass_budget"].number();
  tuning.passes = json["passes"].number();
  tuning.time_limit = json["time_limit"].number();
  tuning.out_of_time = json["out_of_time"].boolean();
  tuning.interrupted = json["interrupted"].boolean();
  tuning.tried = json["tried"].list(read_tried);
  json["tried"].need(!tuning.tried.empty(), "must not be empty");
  tuning.chosen = json["chosen"].integer<std::size_t>(0, tuning.tried.size() - 1);
  return tuning;
}

Json validation_to_json(const ValidationSummary& validation) {
  Json json = {
      {"trial_count", validation.trial_count}, {"metrics", Json::object()}, {"confusion", validation.confusion}};
  for (std::size_t m = 0; m < validation.metrics.size(); ++m) {
    const MetricSummary& summary = validation.metrics[m];
    json["metrics"][std::string(metric_fields[m].name)] = {{"count", summary.count},
                                                           {"mean", number_or_null(summary.mean)},
                                                           {"spread", number_or_null(summary.spread)},
                                                           {"min", number_or_null(summary.min)},
                                                           {"max", number_or_null(summary.max)}};
  }
  return json;
}

ValidationSummary read_validation(const JsonView& json, std::size_t class_count) {
  ValidationSummary validation;
  validation.trial_count = json["trial_count"].integer<std::size_t>(1, size_max);
  for (const MetricField& field : metric_fields) {
    const JsonView entry = json["metrics"][std::string(field.name).c_str()];
    MetricSummary& summary = validation.metrics.emplace_back();
    summary.count = entry["count"].integer<std::size_t>(0, validation.trial_count);
    summary.mean = entry["mean"].number_or_nan();
    summary.spread = entry["spread"].number_or_nan();
    summary.min = entry["min"].number_or_nan();
    summary.max = entry["max"].number_or_nan();
  }
  validation.confusion = json["confusion"].list([&](const JsonView& row) {
    row.need(row.size() == class_count, "must have one number per class");
    return row.list([](const JsonView& cell) { return cell.integer<std::size_t>(0, size_max); });
  });
  json["confusion"].need(validation.confusion.size() == class_count, "must have one row per class");
  return validation;
}

}  // namespace xofm::detail
