#include "io/choice_blocks.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "xofm/names.hpp"

namespace xofm::detail {

namespace {

using Json = nlohmann::ordered_json;

constexpr int int_max = std::numeric_limits<int>::max();

Json number_or_null(double value) { return std::isnan(value) ? Json() : Json(value); }

TriedRecipe read_tried(const JsonView& json) {
  TriedRecipe tried;
  tried.recipe = read_recipe(json);
  tried.count = json["count"].integer(0, int_max);
  tried.loss = json["loss"].number();
  tried.accuracy = json["accuracy"].number();
  tried.mae = json["mae"].number();
  return tried;
}

}  // namespace

Json recipe_to_json(const Recipe& recipe) {
  return {{"method", name_of(recipe.method)},
          {"knots", name_of(recipe.knots)},
          {"segment_count", recipe.segment_count},
          {"spike_share", recipe.spike_share},
          {"auto_direction", recipe.auto_direction},
          {"factor_count", recipe.factor_count},
          {"increment_penalty", recipe.increment_penalty},
          {"sparsity_penalty", recipe.sparsity_penalty},
          {"factor_penalty", recipe.factor_penalty},
          {"pair_weighting", name_of(recipe.pair_weighting)},
          {"init_stddev", recipe.init_stddev},
          {"max_epochs", recipe.max_epochs}};
}

Recipe read_recipe(const JsonView& json) {
  Recipe recipe;
  recipe.knots = json["knots"].choice<KnotPlacement>();
  if (json.has("method")) recipe.method = json["method"].choice<Optimizer>();
  recipe.segment_count = json["segment_count"].integer(1, int_max);
  if (json.has("spike_share")) recipe.spike_share = json["spike_share"].number();
  recipe.auto_direction = json["auto_direction"].number();
  recipe.factor_count = json["factor_count"].integer(0, int_max);
  recipe.increment_penalty = json["increment_penalty"].number();
  if (json.has("sparsity_penalty")) recipe.sparsity_penalty = json["sparsity_penalty"].number();
  recipe.factor_penalty = json["factor_penalty"].number();
  recipe.pair_weighting = json["pair_weighting"].choice<PairWeighting>();
  recipe.init_stddev = json["init_stddev"].number();
  recipe.max_epochs = json["max_epochs"].integer(1, int_max);
  return recipe;
}

Json tuning_to_json(const TuningRecord& tuning) {
  Json json = {{"metric", name_of(tuning.metric)},
               {"seed", tuning.seed},
               {"fold_count", tuning.fold_count},
               {"pass_budget", tuning.pass_budget},
               {"passes", tuning.passes},
               {"time_limit", tuning.time_limit},
               {"out_of_time", tuning.out_of_time},
               {"interrupted", tuning.interrupted},
               {"loss", tuning.loss},
               {"best_loss", tuning.best_loss},
               {"tried", Json::array()}};
  for (const TriedRecipe& tried : tuning.tried) {
    Json entry = recipe_to_json(tried.recipe);
    entry["count"] = tried.count;
    entry["loss"] = tried.loss;
    entry["accuracy"] = tried.accuracy;
    entry["mae"] = tried.mae;
    json["tried"].push_back(std::move(entry));
  }
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
  tuning.loss = json["loss"].number();
  tuning.best_loss = json["best_loss"].number();
  tuning.tried = json["tried"].list(read_tried);
  json["tried"].need(!tuning.tried.empty(), "must not be empty");
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
  validation.trial_count = json["trial_count"].integer<std::size_t>(1, greatest_count);
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
    return row.list([](const JsonView& cell) { return cell.integer<std::size_t>(0, greatest_count); });
  });
  json["confusion"].need(validation.confusion.size() == class_count, "must have one row per class");
  return validation;
}

}  // namespace xofm::detail
