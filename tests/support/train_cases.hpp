// Options that the training tests share.
#pragma once

#include "xofm/train.hpp"

namespace xofm::test_support {

// Where the stopping rule is tight, values agree far better than this; it is what the rule itself leaves open.
inline constexpr double converged_tolerance = 1e-6;

// The convex problem, minimised as far as rounding allows.
inline TrainOptions convex(double penalty = 0.02) {
  return {.parts = {{.knots = KnotPlacement::equal_width,
                     .segment_count = 4,
                     .factor_count = 0,
                     .increment_penalty = penalty,
                     .max_epochs = 1000}},
          .optimizer = {.tolerance = 1e-13}};
}

inline TrainOptions quick(int factor_count = 3) {
  return {.parts = {{.segment_count = 4, .factor_count = factor_count, .max_epochs = 60}}};
}

inline double objective_of(const Fit& fit) { return fit.model.summary.objective; }

}  // namespace xofm::test_support
