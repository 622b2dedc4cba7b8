// Options that the training tests share.
#pragma once

#include "xofm/train.hpp"

namespace xofm::test_support {

// Where the stopping rule is tight, values agree far better than this; it is what the rule itself leaves open.
inline constexpr double converged_tolerance = 1e-6;

// The convex problem, minimised as far as rounding allows.
inline TrainOptions convex(double penalty = 0.02) {
  TrainOptions options;
  options.encoder = {.knots = KnotPlacement::equal_width, .segment_count = 4};
  options.factor_count = 0;
  options.increment_penalty = penalty;
  options.optimizer = {.max_epochs = 1000, .tolerance = 1e-13};
  return options;
}

inline TrainOptions quick(int factor_count = 3) {
  TrainOptions options;
  options.encoder.segment_count = 4;
  options.factor_count = factor_count;
  options.optimizer.max_epochs = 60;
  return options;
}

inline double objective_of(const Fit& fit) { return fit.model.summary.objective; }

}  // namespace xofm::test_support
