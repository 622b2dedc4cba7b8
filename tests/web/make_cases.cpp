// Models of every kind with what the library says of them, for the page's own arithmetic to be compared with.
// Usage: web_cases FOLDER; writes FOLDER/NAME.json ({document, rows: [...]}) and reports of models that are hard to
// draw.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "report/report_data.hpp"
#include "support/explained_model.hpp"
#include "xofm/bands.hpp"
#include "xofm/explain.hpp"
#include "xofm/path.hpp"

namespace {

using namespace xofm;
using Json = nlohmann::ordered_json;
using test_support::ExplainedModel;

Json value_json(double value) { return std::isnan(value) ? Json() : Json(value); }

Json change_json(const Model& model, const Dataset& rows, std::size_t i, const std::optional<int>& target,
                 const Counterfactuals& changes) {
  if (!target) return {};
  Json json = {{"target", *target}, {"cost", nullptr}};
  if (!changes.one) return json;
  json["cost"] = changes.one->cost;
  const ValueChange rounded = round_outwards(model, rows, i, *changes.one).changes.front();
  json["rounded"] = {{"attribute", rounded.attribute}, {"to", rounded.to}};
  return json;
}

Json row_json(const Model& model, const Dataset& rows, std::size_t i) {
  const LocalExplanation local = explain(model, rows, i);
  const NextClasses next = next_classes(model, rows, i);
  Json json = {{"values", Json::array()},
               {"score", local.score},
               {"label", local.label},
               {"lowest", local.interval.lowest},
               {"highest", local.interval.highest},
               {"support", local.support},
               {"probabilities", local.probabilities},
               {"base", local.base},
               {"attributes", local.attributes},
               {"pairs", Json::array()},
               {"better", change_json(model, rows, i, next.better, next.to_better)},
               {"worse", change_json(model, rows, i, next.worse, next.to_worse)}};
  if (!model.assignment.conformity.empty()) {
    for (const double coverage : {0.5, 0.9, 0.999}) {
      const ClassInterval interval = covering_interval(model.assignment, local.probabilities, coverage);
      json["covering"].push_back({coverage, interval.lowest, interval.highest});
    }
  }
  for (const auto& column : rows.columns) json["values"].push_back(value_json(column[i]));
  for (const auto& pair : local.pairs) json["pairs"].push_back(pair.value);
  return json;
}

Json curve_json(const AttributeCurve& curve) {
  return {{"values", curve.values}, {"missing", curve.missing ? Json(*curve.missing) : Json()}};
}

// With values that training never saw: outside the range, a new level, missing.
Dataset with_unusual(Dataset rows) {
  for (std::size_t j = 0; j < rows.columns.size(); ++j) {
    const bool numeric = rows.schema.attributes[j].kind == AttributeKind::numeric;
    rows.columns[j][1] = numeric ? -50 : unseen_level;
    rows.columns[j][2] = numeric ? 50 : 1;
    rows.columns[j][3] = std::nan("");
  }
  return rows;
}

void write_case(const std::string& path, const Model& model, const Dataset& data) {
  const Dataset rows = with_unusual(data);
  Json json = {{"document", detail::report_data(model, nullptr, {})},
               {"rows", Json::array()},
               {"raw_curves", Json::array()},
               {"purified_curves", Json::array()},
               {"products", Json::array()},
               {"surfaces", Json::array()}};
  for (std::size_t i = 0; i < rows.row_count(); ++i) json["rows"].push_back(row_json(model, rows, i));
  const std::size_t count = model.schema.attributes.size();
  for (std::size_t a = 0; a < count; ++a) {
    if (!model.terms) json["raw_curves"].push_back(curve_json(raw_curve(model, a)));
    json["purified_curves"].push_back(curve_json(purified_curve(model, a)));
    for (std::size_t b = a + 1; b < count; ++b) {
      if (!model.terms) json["products"].push_back(segment_products(model, a, b).values);
      json["surfaces"].push_back(purified_surface(model, a, b).values);
    }
  }
  std::ofstream(path) << json.dump();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  const AssignmentOptions rules[] = {{.rule = AssignmentRule::support},
                                     {.rule = AssignmentRule::threshold, .aim = Aim::accuracy},
                                     {.rule = AssignmentRule::threshold, .aim = Aim::mae},
                                     {.rule = AssignmentRule::probability, .aim = Aim::mae},
                                     {.rule = AssignmentRule::probability, .aim = Aim::accuracy}};
  const auto write_with_rule = [&](const char* name, std::uint64_t seed, ExplainedModel made) {
    Assignment& assignment = made.model.assignment;
    const AssignmentOptions& rule = rules[seed % std::size(rules)];
    assignment.options.rule = rule.rule;
    assignment.options.aim = rule.aim;
    // As if refits had given the unseen scores: any quantiles will do.
    detail::Random random(seed, 5);
    for (int q = 0; q < 50 && seed % 2 == 0; ++q) assignment.conformity.push_back(random.uniform());
    std::ranges::sort(assignment.conformity);
    const std::string path = fmt::format("{}/{}{}", folder, name, seed);
    write_case(path + ".json", made.model, made.data);
    const Dataset rows = with_unusual(made.data);
    if (seed == 6) save_report(made.model, path + ".html", &rows);  // with classes outside their own interval
  };
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    write_with_rule("motley", seed, test_support::motley_model(seed));
    write_with_rule("terms", seed, test_support::terms_model(seed));
  }
  // By support, with a class that has several ranges of scores; and without interactions.
  TrainOptions options{.parts = {{.factor_count = 2}}, .assignment = {.rule = AssignmentRule::support}};
  const test_support::RandomRowsOptions rows{.row_count = 30, .class_count = 3, .tied_count = 0};
  const ExplainedModel contradictory = test_support::random_model(rows, options, 2, true);
  write_case(folder + "/contradictory.json", contradictory.model, contradictory.data);
  options.recipe().factor_count = 0;
  const ExplainedModel additive = test_support::random_model(rows, options, 3);
  write_case(folder + "/additive.json", additive.model, additive.data);

  // Hard to draw: a constant attribute and missing values, also with curves and surfaces; no pairs; a class without
  // rows; one attribute.
  const ExplainedModel motley = test_support::motley_model(1);
  save_report(motley.model, folder + "/motley.html", &motley.data);
  const ExplainedModel terms = test_support::terms_model(1, 80);
  save_report(terms.model, folder + "/terms.html", &terms.data);
  save_report(additive.model, folder + "/additive.html", &additive.data);
  const Dataset absent = test_support::random_rows({.row_count = 50, .absent_class = 1}, 5);
  save_report(train(absent).model, folder + "/absent.html", &absent);
  const Dataset single = test_support::random_rows({.class_count = 2, .numeric_count = 1, .tied_count = 0}, 6);
  save_report(train(single).model, folder + "/single.html");

  const Dataset data =
      test_support::random_rows({.row_count = 80, .numeric_count = 3, .categorical_count = 1, .missing_share = 0.1}, 7);
  Model model = train(data).model;
  model.bands = fit_bands(model, data, {.refit_count = 5});
  model.path =
      fit_path(data, model.options,
               {.increment_penalties = {0.0001, 0.01, 1}, .factor_penalties = {0.0001, 0.01, 1}, .fold_count = 3});
  save_report(model, folder + "/path.html", &data, {.title = "A path", .data_name = "rows.csv"});
  const TrainOptions averaged{.parts = {{.segment_count = 5, .factor_count = 2, .weight = 3}, {.factor_count = 0}}};
  save_report(train(data, averaged).model, folder + "/average.html", &data);
}
