// What scores of unseen rows are worth.
#pragma once

#include <span>
#include <vector>

#include "xofm/assign.hpp"
#include "xofm/dataset.hpp"

namespace xofm::detail {

// Judged by class probabilities that are calibrated on these very scores: a few numbers from all rows, so hardly a
// gain. Rows without a score (NaN) are left out; a row counts by its weight.
struct Judgement {
  std::vector<double> row_losses;  // aim mae: ranked probability score; accuracy: log loss
  std::vector<double> row_weights;
  double loss = 0;      // their mean: moves less by chance than the metric itself
  double accuracy = 0;  // of the likeliest class
  double mae = 0;       // of the median class
};
Judgement judge(std::span<const double> unseen_scores, const Dataset& data, const AssignmentOptions& options);

// How much more one loses than the other, row by row.
struct Excess {
  double mean = 0;
  double standard_error = 0;
};
Excess excess(const Judgement& a, const Judgement& b);

}  // namespace xofm::detail
