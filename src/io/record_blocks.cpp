#include "io/record_blocks.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "io/option_blocks.hpp"
#include "xofm/names.hpp"

namespace xofm::detail {

namespace {

using Json = nlohmann::ordered_json;

constexpr int int_max = std::numeric_limits<int>::max();

std::size_t read_count(const JsonView& json) { return json.integer<std::size_t>(0, greatest_count); }

Json number_or_null(double value) { return std::isnan(value) ? Json() : Json(value); }

// `is_earlier`: a recipe has a count instead of a weight.
TriedRecipe read_tried(const JsonView& json, bool is_earlier) {
  TriedRecipe tried;
  tried.recipe = read_recipe(json);
  if (is_earlier) tried.recipe.weight = json["count"].integer(0, int_max);
  tried.loss = json["loss"].number();
  tried.accuracy = json["accuracy"].number();
  tried.mae = json["mae"].number();
  if (json.has("margin")) tried.margin = json["margin"].number();
  return tried;
}

SearchRecord read_search(const JsonView& json) {
  const bool is_earlier = json.has("metric");
  SearchRecord record;
  record.aim = json[is_earlier ? "metric" : "aim"].choice<Aim>();
  record.seed = json["seed"].integer<std::uint64_t>(0, std::numeric_limits<std::uint64_t>::max());
  record.fold_count = json["fold_count"].integer(2, int_max);
  record.recipe_count = is_earlier ? json["tried"].size() : read_count(json["recipe_count"]);
  record.pass_budget = json["pass_budget"].number();
  record.passes = json["passes"].number();
  record.time_limit = json["time_limit"].number();
  record.out_of_time = json["out_of_time"].boolean();
  record.loss = json["loss"].number();
  record.tried = json["tried"].list([&](const JsonView& tried) { return read_tried(tried, is_earlier); });
  json["tried"].need(!record.tried.empty(), "must not be empty");
  return record;
}

Json terms_to_json(const TermsRecord& record) {
  Json json = {{"fold_count", record.fold_count},
               {"loss", record.loss},
               {"teacher_loss", record.teacher_loss},
               {"tried", Json::array()},
               {"votes", record.votes}};
  for (const TriedTerms& tried : record.tried) {
    json["tried"].push_back({{"pair_count", tried.pair_count},
                             {"curve_count", tried.curve_count},
                             {"grid", tried.grid},
                             {"loss", tried.loss}});
  }
  return json;
}

TermsRecord read_terms(const JsonView& json) {
  TermsRecord record;
  record.fold_count = read_count(json["fold_count"]);
  record.loss = json["loss"].number();
  record.teacher_loss = json["teacher_loss"].number();
  record.tried = json["tried"].list([](const JsonView& tried) {
    return TriedTerms{read_count(tried["pair_count"]), read_count(tried["curve_count"]), read_count(tried["grid"]),
                      tried["loss"].number()};
  });
  record.votes = json["votes"].list(read_count);
  return record;
}

Json sampling_to_json(const SamplingRecord& record) {
  Json json = {{"chain_count", record.chain_count}, {"draw_count", record.draw_count}};
  const auto add = [&](const char* name, const SamplingRecord::Mixing& mixing) {
    json[name] = {{"r_hat", number_or_null(mixing.r_hat)}, {"effective_count", number_or_null(mixing.effective_count)}};
  };
  add("scores", record.scores);
  add("curves", record.curves);
  add("cuts", record.cuts);
  return json;
}

SamplingRecord read_sampling(const JsonView& json) {
  const auto mixing = [&](const char* name) {
    return SamplingRecord::Mixing{json[name]["r_hat"].number_or_nan(), json[name]["effective_count"].number_or_nan()};
  };
  return {json["chain_count"].integer(1, int_max), json["draw_count"].integer(1, int_max), mixing("scores"),
          mixing("curves"), mixing("cuts")};
}

}  // namespace

Json search_to_json(const SearchRecord& record, std::size_t most_others) {
  Json json = {{"aim", name_of(record.aim)},
               {"seed", record.seed},
               {"fold_count", record.fold_count},
               {"recipe_count", record.recipe_count},
               {"pass_budget", record.pass_budget},
               {"passes", record.passes},
               {"time_limit", record.time_limit},
               {"out_of_time", record.out_of_time},
               {"loss", record.loss},
               {"tried", Json::array()}};
  std::size_t other_count = 0;
  for (const TriedRecipe& tried : record.tried) {
    if (tried.recipe.weight == 0 && ++other_count > most_others) continue;
    Json entry = fields_to_json(tried.recipe);
    entry["loss"] = tried.loss;
    entry["accuracy"] = tried.accuracy;
    entry["mae"] = tried.mae;
    if (tried.margin > 0) entry["margin"] = tried.margin;
    json["tried"].push_back(std::move(entry));
  }
  return json;
}

Json record_to_json(const Record& record) {
  Json json = {{"interrupted", record.interrupted}};
  if (record.search) json["search"] = search_to_json(*record.search, most_other_recipes);
  if (record.terms) json["terms"] = terms_to_json(*record.terms);
  if (record.sampling) json["sampling"] = sampling_to_json(*record.sampling);
  return json;
}

Record read_record(const JsonView& document) {
  Record record;
  if (document.has("record")) {
    const JsonView json = document["record"];
    record.interrupted = json["interrupted"].boolean();
    if (json.has("search")) record.search = read_search(json["search"]);
    if (json.has("terms")) record.terms = read_terms(json["terms"]);
    if (json.has("sampling")) record.sampling = read_sampling(json["sampling"]);
    return record;
  }
  if (document.has("tuning")) {
    record.search = read_search(document["tuning"]);
    record.interrupted = document["tuning"]["interrupted"].boolean();
  }
  if (document.has("terms_record")) record.terms = read_terms(document["terms_record"]);
  return record;
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
    return row.list(read_count);
  });
  json["confusion"].need(validation.confusion.size() == class_count, "must have one row per class");
  return validation;
}

}  // namespace xofm::detail
