#include "io/model_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace xofm::detail {

namespace {

using Json = nlohmann::ordered_json;

constexpr int int_max = std::numeric_limits<int>::max();

Json number_or_null(double value) { return std::isnan(value) ? Json() : Json(value); }

Json mean_spread_json(const MeanSpread& value) {
  return {{"mean", number_or_null(value.mean)}, {"spread", number_or_null(value.spread)}};
}

MeanSpread read_mean_spread(const JsonView& json) {
  return {json["mean"].number_or_nan(), json["spread"].number_or_nan()};
}

std::vector<double> read_axis(const JsonView& json) {
  std::vector<double> values = json.numbers();
  const bool ascending = std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
  json.need(!values.empty() && values.front() >= 0 && ascending, "must be ascending, not negative, and at least one");
  return values;
}

// A negative height would turn a band inside out.
void need_ordered(const JsonView& json, const std::vector<double>& lower, const std::vector<double>& upper) {
  for (std::size_t i = 0; i < lower.size(); ++i) json.need(lower[i] <= upper[i], "lower must not be above upper");
}

}  // namespace

Json bands_to_json(const CurveBands& bands, const Schema& schema) {
  Json json = {{"refit_count", bands.refit_count},
               {"lower_share", bands.lower_share},
               {"upper_share", bands.upper_share},
               {"attributes", Json::array()}};
  for (std::size_t j = 0; j < bands.attributes.size(); ++j) {
    const CurveBand& band = bands.attributes[j];
    Json entry = {{"name", schema.attributes[j].name}, {"lower", band.lower}, {"upper", band.upper}};
    if (band.missing_lower && band.missing_upper) entry["missing"] = {*band.missing_lower, *band.missing_upper};
    if (!band.special_lower.empty()) entry["special"] = {band.special_lower, band.special_upper};
    json["attributes"].push_back(std::move(entry));
  }
  return json;
}

Json path_to_json(const PenaltyPath& path) {
  Json json = {{"fold_count", path.fold_count},
               {"increment_penalties", path.increment_penalties},
               {"factor_penalties", path.factor_penalties},
               {"points", Json::array()}};
  for (const PathPoint& point : path.points) {
    json["points"].push_back({{"increment_penalty", point.increment_penalty},
                              {"factor_penalty", point.factor_penalty},
                              {"objective", point.objective},
                              {"loss", point.loss},
                              {"accuracy", mean_spread_json(point.accuracy)},
                              {"mae", mean_spread_json(point.mae)},
                              {"factor_count", point.parameters.factor_count},
                              {"increments", point.parameters.increments},
                              {"factors", point.parameters.factors}});
  }
  return json;
}

CurveBands read_bands(const JsonView& json, const Encoder& encoder) {
  CurveBands bands;
  bands.refit_count = json["refit_count"].integer(2, int_max);
  bands.lower_share = json["lower_share"].number();
  bands.upper_share = json["upper_share"].number();
  json.need(bands.lower_share >= 0 && bands.lower_share < bands.upper_share && bands.upper_share <= 1,
            "lower_share and upper_share must be in 0 to 1, the first the lesser");
  const JsonView attributes = json["attributes"];
  attributes.need(attributes.size() == encoder.attributes.size(), "must have one entry per attribute");
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    const AttributeEncoder& attribute = encoder.attributes[j];
    const JsonView entry = attributes[j];
    const std::size_t count = attribute.kind == AttributeKind::numeric
                                  ? attribute.knots.size()
                                  : static_cast<std::size_t>(attribute.level_count);
    CurveBand& band = bands.attributes.emplace_back();
    band.lower = entry["lower"].numbers(count);
    band.upper = entry["upper"].numbers(count);
    need_ordered(entry, band.lower, band.upper);
    if (!attribute.special.empty()) {
      const JsonView special = entry["special"];
      special.need(special.size() == 2, "must be the lower and the upper ends");
      band.special_lower = special[std::size_t{0}].numbers(attribute.special.size());
      band.special_upper = special[std::size_t{1}].numbers(attribute.special.size());
      need_ordered(special, band.special_lower, band.special_upper);
    }
    if (!attribute.has_missing) continue;
    const std::vector<double> missing = entry["missing"].numbers(2);
    need_ordered(entry["missing"], {missing[0]}, {missing[1]});
    band.missing_lower = missing[0];
    band.missing_upper = missing[1];
  }
  return bands;
}

PenaltyPath read_path(const JsonView& json, const Encoder& encoder) {
  PenaltyPath path;
  path.fold_count = json["fold_count"].integer(0, int_max);
  path.increment_penalties = read_axis(json["increment_penalties"]);
  path.factor_penalties = read_axis(json["factor_penalties"]);
  const JsonView points = json["points"];
  const std::size_t width = path.factor_penalties.size();
  points.need(points.size() == path.increment_penalties.size() * width, "must have one entry per pair of penalties");
  for (std::size_t p = 0; p < points.size(); ++p) {
    const JsonView entry = points[p];
    PathPoint& point = path.points.emplace_back();
    point.increment_penalty = entry["increment_penalty"].number();
    point.factor_penalty = entry["factor_penalty"].number();
    entry.need(point.increment_penalty == path.increment_penalties[p / width] &&
                   point.factor_penalty == path.factor_penalties[p % width],
               "has other penalties than its place in the grid");
    point.objective = entry["objective"].number();
    point.loss = entry["loss"].number();
    point.accuracy = read_mean_spread(entry["accuracy"]);
    point.mae = read_mean_spread(entry["mae"]);
    point.parameters.factor_count = entry["factor_count"].integer(0, int_max);
    point.parameters.increments = entry["increments"].numbers(encoder.coordinate_count());
    point.parameters.factors =
        entry["factors"].numbers(encoder.coordinate_count() * static_cast<std::size_t>(point.parameters.factor_count));
  }
  return path;
}

}  // namespace xofm::detail
