#include "core/train/directions.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.hpp"
#include "xofm/metrics.hpp"

namespace xofm::detail {

AttributeOptions directed_attributes(const Dataset& data, const TrainOptions& options) {
  AttributeOptions attributes = options.attributes;
  if (!(options.auto_direction > 0)) return attributes;
  std::vector<double> correlations(data.attribute_count(), 0.0);
  parallel_for(data.attribute_count(), [&](std::size_t j) {
    if (data.schema.attributes[j].kind != AttributeKind::numeric) return;
    std::vector<int> labels;
    std::vector<double> values;
    for (std::size_t i = 0; i < data.row_count(); ++i) {
      const auto& special = data.schema.attributes[j].special;
      if (std::isnan(data.columns[j][i])) continue;
      if (std::binary_search(special.begin(), special.end(), data.columns[j][i])) continue;
      labels.push_back(data.labels[i]);
      values.push_back(data.columns[j][i]);
    }
    correlations[j] = kendall_tau_b(count_pairs(data.schema.class_count(), labels, values));
  });
  for (std::size_t j = 0; j < correlations.size(); ++j) {
    // Not a number where all values or all labels are equal: no direction.
    if (!(std::abs(correlations[j]) >= options.auto_direction)) continue;
    attributes.directions.try_emplace(data.schema.attributes[j].name,
                                      correlations[j] > 0 ? Direction::increasing : Direction::decreasing);
  }
  return attributes;
}

std::vector<std::string> named_attributes(const TrainOptions& options) {
  std::vector<std::string> names;
  for (const auto& [name, direction] : options.attributes.directions) names.push_back(name);
  for (const auto& [name, knots] : options.attributes.given_knots) names.push_back(name);
  for (const auto& [first, second] : options.terms.listed) names.insert(names.end(), {first, second});
  return names;
}

}  // namespace xofm::detail
