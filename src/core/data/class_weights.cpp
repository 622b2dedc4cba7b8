#include "core/data/class_weights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "xofm/error.hpp"

namespace xofm::detail {

Dataset weight_classes(const Dataset& data, const std::map<std::string, double>& class_weights) {
  const auto& names = data.schema.class_names;
  std::vector<double> factors(names.size(), 1.0);
  for (const auto& [name, weight] : class_weights) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      throw Error(ErrorCode::invalid_option,
                  fmt::format("class_weights has '{}'; the classes are {}", name, fmt::join(names, ", ")));
    }
    if (!(weight > 0 && std::isfinite(weight))) {
      throw Error(ErrorCode::invalid_option,
                  fmt::format("the class weight of '{}' is {}; it must be a positive number", name, weight));
    }
    factors[static_cast<std::size_t>(found - names.begin())] = weight;
  }
  Dataset weighted = data;
  if (weighted.weights.empty()) weighted.weights.assign(data.row_count(), 1.0);
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    weighted.weights[i] *= factors[static_cast<std::size_t>(data.labels[i])];
  }
  return weighted;
}

}  // namespace xofm::detail
