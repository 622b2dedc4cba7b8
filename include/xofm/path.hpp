// Last stage, evaluate: the same training over a grid of penalties, to see what each of them does to the curves and to
// the interactions (paper, Section 4.4), and what it costs on rows held out.
#pragma once

#include <optional>
#include <vector>

#include "xofm/model.hpp"

namespace xofm {

struct PathOptions {
  // Not negative, in any order; empty: the one of the training options.
  std::vector<double> increment_penalties = {0, 0.0001, 0.001, 0.01, 0.1};
  std::vector<double> factor_penalties = {0, 0.0001, 0.001, 0.01, 0.1};  // not used if factor_count is 0
  int fold_count = 5;  // stratified folds, each held out once at every point; 0: no validation; else 2 .. 100
};

// One model for every pair of penalties, all on the knots that train(data, options) takes. Each starts from its
// neighbour with the smaller factor_penalty (else increment_penalty): from small to large, since factors that a large
// penalty has made zero would stay so. A bagged model has no warm start. Folds take their knots from their own learning
// rows, as validate does. The same bits for any number of threads. None if progress asked to stop.
std::optional<PenaltyPath> fit_path(const Dataset& data, const TrainOptions& options, const PathOptions& path = {},
                                    const ProgressCallback& progress = {});

}  // namespace xofm
