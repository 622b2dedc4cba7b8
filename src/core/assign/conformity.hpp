// What covering intervals are promised by: how unlikely the true classes of unseen rows were.
#pragma once

#include <span>
#include <vector>

#include "xofm/assign.hpp"

namespace xofm::detail {

// How unlikely the true class of each row of `rows` was by a calibration; NaN for rows without a score.
void add_conformity(const Calibration& calibration, std::span<const double> unseen_scores, std::span<const int> labels,
                    std::span<const std::size_t> rows, std::vector<double>& values);

// Up to 1000 quantiles of equal weight, ascending, each rounded up, of the values that are not NaN.
std::vector<double> conformity_quantiles(std::span<const double> values, std::span<const double> weights);

}  // namespace xofm::detail
