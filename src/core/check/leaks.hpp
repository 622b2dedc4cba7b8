// How much of the class one attribute tells by itself.
#pragma once

#include <vector>

#include "xofm/check.hpp"

namespace xofm::detail {

// By attribute. Of labelled rows, at least one.
std::vector<AloneAccuracy> alone_accuracies(const Dataset& data);

// Those that know too much, the strongest first.
std::vector<AloneAccuracy> suspected(const std::vector<AloneAccuracy>& alone, std::size_t row_count,
                                     const CheckOptions& options);

}  // namespace xofm::detail
