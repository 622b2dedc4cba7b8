// The logistic function, without loss of digits in its tails.
#pragma once

#include <cmath>

namespace xofm::detail {

inline double sigmoid(double x) {
  if (x >= 0) return 1 / (1 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1 + e);
}

// In place of a threshold that no score passes, or that every score does: beside a class without rows.
inline constexpr double absent_threshold = 1e30;

inline double sigmoid_slope(double x) {
  const double e = std::exp(-std::abs(x));
  return e / ((1 + e) * (1 + e));
}

// sigmoid(a) - sigmoid(b) for a >= b; both may be infinite. Taken from the side where neither is near 1.
inline double sigmoid_difference(double a, double b) {
  return a + b > 0 ? sigmoid(-b) - sigmoid(-a) : sigmoid(a) - sigmoid(b);
}

}  // namespace xofm::detail
