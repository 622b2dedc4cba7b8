// Weights that depend on the class.
#pragma once

#include <map>
#include <string>

#include "xofm/dataset.hpp"

namespace xofm::detail {

// The rows with their weights times those of their classes. Throws Error{invalid_option} for a class that the rows do
// not know, or a weight that is not positive.
Dataset weight_classes(const Dataset& data, const std::map<std::string, double>& class_weights);

}  // namespace xofm::detail
