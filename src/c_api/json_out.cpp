#include "c_api/json_out.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/parallel.hpp"
#include "core/data/calendar.hpp"
#include "core/explain/effects.hpp"
#include "io/metrics_json.hpp"
#include "io/option_blocks.hpp"
#include "io/record_blocks.hpp"
#include "xofm/c_api.h"
#include "xofm/names.hpp"

namespace xofm::c_api {

namespace {

using Json = nlohmann::ordered_json;

// Pairs of u and V models are all pairs of attributes; of very many only the strongest are drawn.
constexpr std::size_t most_pairs = 200;

std::string dump(const Json& json) { return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); }

Json attribute_json(const Model& model, std::size_t j) {
  const Attribute& attribute = model.schema.attributes[j];
  const AttributeEncoder& encoder = model.encoder.attributes[j];
  Json json = {{"name", attribute.name}, {"kind", name_of(attribute.kind)}};
  if (!attribute.description.empty()) json["description"] = attribute.description;
  if (!attribute.unit.empty()) json["unit"] = attribute.unit;
  if (attribute.time != TimePart::none) json["time"] = name_of(attribute.time);
  if (!attribute.column.empty()) json["column"] = attribute.column;
  if (attribute.kind == AttributeKind::categorical) {
    json["levels"] = attribute.levels;
    if (!attribute.indicators.empty()) json["indicators"] = attribute.indicators;
  } else {
    json["knots"] = encoder.knots;
    if (!encoder.special.empty()) json["special"] = encoder.special;
    json["direction"] = name_of(encoder.direction);
    if (encoder.direction != Direction::none) json["certified"] = model.certificate.attributes[j].holds;
  }
  json["has_missing"] = encoder.has_missing;
  json["is_used"] = is_used(model, j);
  return json;
}

// Weight of the training rows in each segment (by ascending knots) or level; special values and missing last if there
// were any.
std::vector<double> row_weights(const Model& model, std::size_t j) {
  const AttributeEncoder& encoder = model.encoder.attributes[j];
  const std::size_t offset = model.encoder.offsets[j];
  std::vector<double> weights;
  for (std::size_t c = 0; c < static_cast<std::size_t>(encoder.coordinate_count()); ++c) {
    double sum = 0;
    for (const double weight : model.distribution.class_histogram[offset + c]) sum += weight;
    weights.push_back(sum);
  }
  if (encoder.direction == Direction::decreasing) {
    std::reverse(weights.begin(), weights.begin() + encoder.segment_count());
  }
  return weights;
}

Json curve_json(const Model& model, const AttributeCurve& curve, const AttributeImportance& importance) {
  const std::size_t j = importance.attribute;
  Json json = attribute_json(model, j);
  json["values"] = curve.values;
  if (curve.missing) json["missing"] = *curve.missing;
  if (!curve.special.empty()) json["special_values"] = curve.special;
  if (model.bands) {
    const CurveBand& band = model.bands->attributes[j];
    json["lower"] = band.lower;
    json["upper"] = band.upper;
    if (!band.special_lower.empty()) json["special_lower"] = band.special_lower;
    if (!band.special_upper.empty()) json["special_upper"] = band.special_upper;
    if (band.missing_lower) json["missing_lower"] = *band.missing_lower;
    if (band.missing_upper) json["missing_upper"] = *band.missing_upper;
  }
  json["row_weights"] = row_weights(model, j);
  json["range"] = importance.range;
  json["mean_absolute"] = importance.mean_absolute;
  return json;
}

Json value_json(const Attribute& attribute, double value) {
  if (std::isnan(value)) return {};
  if (attribute.time == TimePart::days) return detail::date_text(value);
  if (attribute.kind == AttributeKind::numeric) return value;
  if (!(value >= 0 && value < static_cast<double>(attribute.levels.size()))) return {};
  return attribute.levels[static_cast<std::size_t>(value)];
}

Json change_json(const Model& model, const Dataset& rows, std::size_t row, const std::optional<Counterfactual>& found,
                 bool is_rounded) {
  if (!found) return {};
  const Counterfactual change = is_rounded ? round_outwards(model, rows, row, *found) : *found;
  Json changes = Json::array();
  for (const ValueChange& value : change.changes) {
    const Attribute& attribute = model.schema.attributes[value.attribute];
    changes.push_back({{"attribute", attribute.name},
                       {"from", value_json(attribute, value.from)},
                       {"to", value_json(attribute, value.to)}});
  }
  return {{"changes", changes}, {"cost", change.cost}, {"score", change.score}, {"class", change.label}};
}

Counterfactuals changes_to(const Model& model, const Dataset& rows, std::size_t row, ClassInterval target,
                           const CounterfactualOptions& options) {
  if (target.lowest >= 0) return smallest_changes(model, rows, row, target, options);
  NextClasses next = next_classes(model, rows, row, options);
  return target.lowest == XOFM_NEXT_BETTER ? std::move(next.to_better) : std::move(next.to_worse);
}

}  // namespace

std::string describe_json(const Model& model) {
  Json json = {{"label_name", model.schema.label_name}, {"class_names", model.schema.class_names},
               {"has_terms", model.terms.has_value()},  {"base", base_score(model)},
               {"attributes", Json::array()},           {"pairs", detail::pairs_of(model)}};
  for (std::size_t j = 0; j < model.schema.attributes.size(); ++j)
    json["attributes"].push_back(attribute_json(model, j));
  if (!model.schema.id_name.empty()) json["id"] = model.schema.id_name;
  json["options"] = detail::options_to_json(model.options);
  json["assignment"] = detail::fields_to_json(model.options.assignment);
  const TrainingSummary& summary = model.summary;
  json["summary"] = {{"row_count", summary.row_count},
                     {"class_weights", summary.class_weights},
                     {"loss", summary.loss},
                     {"epochs", summary.epochs},
                     {"stop_reason", name_of(summary.stop_reason)}};
  json["has_coverage"] = !model.assignment.conformity.empty();
  json["certified"] = model.certificate.holds;
  json["interrupted"] = model.record.interrupted;
  json["record"] = detail::record_to_json(model.record);
  if (model.validation) json["validation"] = detail::validation_to_json(*model.validation);
  return dump(json);
}

std::string global_json(const Model& model, const Dataset* rows) {
  const Importance found =
      rows != nullptr ? importance(model, *rows, most_pairs) : training_importance(model, most_pairs);
  const AttributeCurves curves = attribute_curves(model);
  Json json = {{"base", base_score(model)}, {"curves", Json::array()}, {"pairs", Json::array()}};
  if (model.bands) {
    json["bands"] = {{"refit_count", model.bands->refit_count},
                     {"lower_share", model.bands->lower_share},
                     {"upper_share", model.bands->upper_share}};
  }
  for (const AttributeImportance& entry : found.attributes) {
    json["curves"].push_back(curve_json(model, curves.purified[entry.attribute], entry));
  }
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const PairImportance& pair : found.pairs) pairs.emplace_back(pair.first, pair.second);
  const std::vector<PairGrid> grids = purified_surfaces(model, pairs);
  for (std::size_t p = 0; p < grids.size(); ++p) {
    json["pairs"].push_back({{"first", model.schema.attributes[grids[p].first].name},
                             {"second", model.schema.attributes[grids[p].second].name},
                             {"values", grids[p].values},
                             {"range", found.pairs[p].range},
                             {"mean_absolute", found.pairs[p].mean_absolute}});
  }
  json["pair_count"] = pair_count(model);
  return dump(json);
}

std::string recourse_json(const Model& model, const Dataset& rows, ClassInterval target,
                          const CounterfactualOptions& options, bool is_rounded) {
  std::vector<Json> entries(rows.row_count());
  detail::parallel_for(entries.size(), [&](std::size_t i) {
    const Counterfactuals found = changes_to(model, rows, i, target, options);
    entries[i] = {{"one", change_json(model, rows, i, found.one, is_rounded)},
                  {"two", change_json(model, rows, i, found.two, is_rounded)}};
  });
  return dump(Json(entries));
}

std::string metrics_json(const Metrics& metrics) { return dump(detail::metrics_to_json(metrics)); }

}  // namespace xofm::c_api
