// Metrics where some rows are left to a person.
#pragma once

#include <span>

#include "xofm/metrics.hpp"

namespace xofm::detail {

// As evaluate(); what depends on classes is of the rows that have one, what depends on scores or probabilities of all.
Metrics evaluate_decided(int class_count, std::span<const int> labels, std::span<const int> classes,
                         std::span<const double> scores, std::span<const double> probabilities);

}  // namespace xofm::detail
