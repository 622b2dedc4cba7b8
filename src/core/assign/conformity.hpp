// What covering intervals are promised by: how unlikely the true classes of unseen rows were.
#pragma once

#include <span>
#include <vector>

#include "xofm/assign.hpp"

namespace xofm::detail {

// Up to 1000 quantiles of equal weight, ascending, each rounded up, of the rows that have an unseen score.
std::vector<double> conformity_quantiles(const Assignment& assignment, std::span<const double> unseen_scores,
                                         std::span<const int> labels, std::span<const double> weights);

}  // namespace xofm::detail
