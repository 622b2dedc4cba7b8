#include "xofm/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/explain/effects.hpp"
#include "core/explain/pair_range.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"

namespace xofm {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

std::optional<std::size_t> find_attribute(const Model& model, const std::string& name) {
  const auto& attributes = model.schema.attributes;
  const auto at = std::find_if(attributes.begin(), attributes.end(), [&](const auto& a) { return a.name == name; });
  if (at == attributes.end()) return std::nullopt;
  return static_cast<std::size_t>(at - attributes.begin());
}

// An attribute of both models, and the values at which both are linear between.
struct Matched {
  std::size_t first = 0;
  std::size_t second = 0;
  std::vector<double> first_values;   // as the first model codes them; NaN is missing
  std::vector<double> second_values;  // the same values, as the second does
  std::size_t curve_count = 0;        // so many of them are of the curve; then come special values, then missing
};

std::vector<double> level_codes(const Attribute& attribute, const std::vector<std::string>& levels) {
  std::vector<double> codes;
  for (const auto& level : levels) {
    const auto at = std::find(attribute.levels.begin(), attribute.levels.end(), level);
    codes.push_back(at == attribute.levels.end() ? unseen_level : static_cast<double>(at - attribute.levels.begin()));
  }
  return codes;
}

Matched match(const Model& first, std::size_t j, const Model& second, std::size_t k, AttributeComparison& attribute) {
  Matched matched{j, k, {}, {}, 0};
  const AttributeEncoder& a = first.encoder.attributes[j];
  const AttributeEncoder& b = second.encoder.attributes[k];
  if (a.kind == AttributeKind::numeric) {
    attribute.knots = a.knots;
    attribute.knots.insert(attribute.knots.end(), b.knots.begin(), b.knots.end());
    std::sort(attribute.knots.begin(), attribute.knots.end());
    attribute.knots.erase(std::unique(attribute.knots.begin(), attribute.knots.end()), attribute.knots.end());
    matched.first_values = matched.second_values = attribute.knots;
  } else {
    attribute.levels = first.schema.attributes[j].levels;
    for (const auto& level : second.schema.attributes[k].levels) {
      const auto begin = attribute.levels.begin();
      if (std::find(begin, attribute.levels.end(), level) == attribute.levels.end()) attribute.levels.push_back(level);
    }
    matched.first_values = level_codes(first.schema.attributes[j], attribute.levels);
    matched.second_values = level_codes(second.schema.attributes[k], attribute.levels);
  }
  matched.curve_count = matched.first_values.size();
  std::vector<double> special;
  std::set_union(a.special.begin(), a.special.end(), b.special.begin(), b.special.end(), std::back_inserter(special));
  matched.first_values.insert(matched.first_values.end(), special.begin(), special.end());
  matched.second_values.insert(matched.second_values.end(), special.begin(), special.end());
  if (a.has_missing || b.has_missing) {
    matched.first_values.push_back(missing);
    matched.second_values.push_back(missing);
  }
  return matched;
}

// Pearson's.
double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto count = static_cast<double>(a.size());
  double mean_a = 0;
  double mean_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    mean_a += a[i] / count;
    mean_b += b[i] / count;
  }
  double both = 0;
  double squares_a = 0;
  double squares_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - mean_a) * (b[i] - mean_b);
    squares_a += (a[i] - mean_a) * (a[i] - mean_a);
    squares_b += (b[i] - mean_b) * (b[i] - mean_b);
  }
  if (!(squares_a > 0 && squares_b > 0)) return Metrics::undefined;
  return std::clamp(both / std::sqrt(squares_a) / std::sqrt(squares_b), -1.0, 1.0);
}

void compare_curves(const detail::Effects& first, const detail::Effects& second, const Matched& matched,
                    AttributeComparison& attribute) {
  for (std::size_t i = 0; i < matched.first_values.size(); ++i) {
    const double a = first.curve(matched.first, first.at(matched.first, matched.first_values[i]));
    const double b = second.curve(matched.second, second.at(matched.second, matched.second_values[i]));
    attribute.greatest_difference = std::max(attribute.greatest_difference, std::abs(a - b));
    if (std::isnan(matched.first_values[i])) {
      attribute.first_missing = a;
      attribute.second_missing = b;
    } else if (i < matched.curve_count) {
      attribute.first_curve.push_back(a);
      attribute.second_curve.push_back(b);
    }
  }
  attribute.correlation = correlation(attribute.first_curve, attribute.second_curve);
}

double curve_range(const detail::Effects& effects, const Model& model, std::size_t attribute) {
  AttributeCurve curve;
  for (const detail::Effect& stop : effects.stops(attribute)) curve.values.push_back(effects.curve(attribute, stop));
  const AttributeEncoder& encoder = model.encoder.attributes[attribute];
  curve.values.resize(curve.values.size() - encoder.special.size() - (encoder.has_missing ? 1 : 0));
  return curve.range();
}

using Deviations = std::vector<std::vector<double>>;

Deviations deviations_at(const detail::Effects& effects, std::size_t attribute, const std::vector<double>& values) {
  Deviations deviations;
  for (const double value : values) {
    deviations.push_back(effects.deviation(attribute, effects.at(attribute, value)));
  }
  return deviations;
}

}  // namespace

ModelComparison compare(const Model& first, const Model& second) {
  // Alike, whatever kind they are.
  const detail::Effects a(first, detail::Purity::independent);
  const detail::Effects b(second, detail::Purity::independent);
  ModelComparison comparison;
  std::vector<Matched> matched;
  for (std::size_t j = 0; j < first.schema.attributes.size(); ++j) {
    AttributeComparison& attribute = comparison.attributes.emplace_back();
    attribute.name = first.schema.attributes[j].name;
    attribute.kind = first.schema.attributes[j].kind;
    attribute.first_range = curve_range(a, first, j);
    const std::optional<std::size_t> k = find_attribute(second, attribute.name);
    if (!k) continue;
    attribute.second_range = curve_range(b, second, *k);
    attribute.comparable = second.schema.attributes[*k].kind == attribute.kind;
    if (!attribute.comparable) continue;
    matched.push_back(match(first, j, second, *k, attribute));
    compare_curves(a, b, matched.back(), attribute);
  }
  for (std::size_t k = 0; k < second.schema.attributes.size(); ++k) {
    const Attribute& only = second.schema.attributes[k];
    if (find_attribute(first, only.name)) continue;
    AttributeComparison& attribute = comparison.attributes.emplace_back();
    attribute.name = only.name;
    attribute.kind = only.kind;
    attribute.second_range = curve_range(b, second, k);
  }

  // A surface is a product of deviations, bilinear between the merged values.
  std::vector<Deviations> of_first;
  std::vector<Deviations> of_second;
  std::vector<Deviations> own_first;  // at the model's own knots and levels, for its range
  std::vector<Deviations> own_second;
  for (const Matched& attribute : matched) {
    of_first.push_back(deviations_at(a, attribute.first, attribute.first_values));
    of_second.push_back(deviations_at(b, attribute.second, attribute.second_values));
    own_first.push_back(detail::stop_deviations(a, attribute.first));
    own_second.push_back(detail::stop_deviations(b, attribute.second));
  }
  for (std::size_t x = 0; x < matched.size(); ++x) {
    for (std::size_t y = x + 1; y < matched.size(); ++y) {
      PairComparison& pair = comparison.pairs.emplace_back();
      pair.first_name = first.schema.attributes[matched[x].first].name;
      pair.second_name = first.schema.attributes[matched[y].first].name;
      pair.first_range = detail::product_range(own_first[x], own_first[y]);
      pair.second_range = detail::product_range(own_second[x], own_second[y]);
      for (std::size_t i = 0; i < of_first[x].size(); ++i) {
        for (std::size_t k = 0; k < of_first[y].size(); ++k) {
          const double difference =
              detail::dot(of_first[x][i], of_first[y][k]) - detail::dot(of_second[x][i], of_second[y][k]);
          pair.greatest_difference = std::max(pair.greatest_difference, std::abs(difference));
        }
      }
    }
  }
  return comparison;
}

ClassChanges class_changes(const Model& first, const Dataset& first_rows, const Model& second,
                           const Dataset& second_rows) {
  if (first.schema.class_names != second.schema.class_names) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("the models have different classes: {} and {}; only the same ones can be compared",
                            fmt::join(first.schema.class_names, ", "), fmt::join(second.schema.class_names, ", ")));
  }
  if (first_rows.row_count() != second_rows.row_count()) {
    throw Error(ErrorCode::invalid_data, fmt::format("the models are given {} and {} rows; they must be the same",
                                                     first_rows.row_count(), second_rows.row_count()));
  }
  const Predictions a = first.predict(first_rows);
  const Predictions b = second.predict(second_rows);
  const std::size_t class_count = first.schema.class_names.size();
  ClassChanges changes;
  changes.table.assign(class_count, std::vector<std::size_t>(class_count));
  for (std::size_t i = 0; i < a.row_count(); ++i) {
    ++changes.table[static_cast<std::size_t>(a.classes[i])][static_cast<std::size_t>(b.classes[i])];
    if (a.classes[i] == b.classes[i]) continue;
    changes.rows.push_back({i, a.classes[i], b.classes[i], a.scores[i], b.scores[i]});
  }
  return changes;
}

}  // namespace xofm
