// One gradient check for every objective: central differences, to be used away from kinks.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace xofm::test_support {

// Returns the value at x and fills the gradient, which has the size of x.
using Objective = std::function<double(std::span<const double> x, std::span<double> gradient)>;

// A tolerance carries its reason, so that a failure prints it.
struct Tolerance {
  double relative_error;
  const char* reason;
};

// The error of a central difference is h^2/6 times the third derivative plus rounding of the value over h; with
// h = 6e-6 (the cube root of the machine epsilon) both are near 1e-10 for values and derivatives near 1.
inline constexpr Tolerance smooth_tolerance = {1e-7,
                                               "smooth objective: truncation and rounding of central differences"};

struct GradientReport {
  double largest_error = 0;  // relative; infinite if a value or a gradient is not finite
  std::size_t worst_coordinate = 0;
  double analytic = 0;  // both derivatives at the worst coordinate
  double numeric = 0;
};

// Coordinate n moves by step * max(1, |x_n|). The error of a coordinate is the difference of the two derivatives, less
// what the rounding of the two values explains, relative to the larger derivative; derivatives below a thousandth of
// the largest entry of the gradient are measured against that, as their differences drown in the value's rounding.
// Costs 2 n + 1 evaluations.
inline GradientReport check_gradient(const Objective& objective, std::span<const double> point,
                                     double step = std::cbrt(std::numeric_limits<double>::epsilon())) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  constexpr double rounding_count = 16;  // an objective is a sum: its value is rounded more than once
  std::vector<double> x(point.begin(), point.end());
  std::vector<double> gradient(x.size()), unused(x.size());
  GradientReport report;
  if (!std::isfinite(objective(x, gradient))) report.largest_error = std::numeric_limits<double>::infinity();
  double largest_entry = 0;
  for (const double entry : gradient) largest_entry = std::max(largest_entry, std::abs(entry));

  for (std::size_t n = 0; n < x.size(); ++n) {
    const double centre = x[n];
    const double move = step * std::max(1.0, std::abs(centre));
    const double above = centre + move, below = centre - move;
    x[n] = above;
    const double value_above = objective(x, unused);
    x[n] = below;
    const double value_below = objective(x, unused);
    x[n] = centre;

    const double width = above - below;  // the steps really taken: centre + move is rounded
    const double numeric = (value_above - value_below) / width;
    const double noise = rounding_count * epsilon * std::max(std::abs(value_above), std::abs(value_below)) / width;
    const double size = std::max({std::abs(gradient[n]), std::abs(numeric), 1e-3 * largest_entry});
    const double difference = std::max(0.0, std::abs(gradient[n] - numeric) - noise);
    double error = difference == 0 ? 0 : difference / size;
    if (!std::isfinite(gradient[n]) || !std::isfinite(numeric)) error = std::numeric_limits<double>::infinity();
    if (n == 0 || error > report.largest_error) {
      report = {std::max(report.largest_error, error), n, gradient[n], numeric};
    }
  }
  return report;
}

// For EXPECT_TRUE(gradient_agrees(objective, point)).
inline ::testing::AssertionResult gradient_agrees(const Objective& objective, std::span<const double> point,
                                                  const Tolerance& tolerance = smooth_tolerance) {
  const GradientReport report = check_gradient(objective, point);
  if (report.largest_error <= tolerance.relative_error) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "coordinate " << report.worst_coordinate << ": gradient " << report.analytic
                                       << ", central difference " << report.numeric << ", relative error "
                                       << report.largest_error << "; allowed " << tolerance.relative_error << " ("
                                       << tolerance.reason << ")";
}

}  // namespace xofm::test_support
