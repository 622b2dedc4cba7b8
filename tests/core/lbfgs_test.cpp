#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/random.hpp"
#include "xofm/optimize.hpp"

namespace xofm {
namespace {

constexpr double free_below = -std::numeric_limits<double>::infinity();

// At a minimum the value is flat: a value exact to rounding leaves the point uncertain by its square root, 1e-8,
// times the square root of the condition number.
constexpr double point_tolerance = 1e-5;

// sum_i c_i (x_i - t_i)^2 / 2, c from 1 to 1e4, t_i = i - 3.
double quadratic(std::span<const double> x, std::span<double> gradient) {
  double value = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double c = std::pow(1e4, static_cast<double>(i) / static_cast<double>(x.size() - 1));
    const double d = x[i] - (static_cast<double>(i) - 3);
    value += c * d * d / 2;
    gradient[i] = c * d;
  }
  return value;
}

// Minimum 0 at (1, 1), at the end of a bent valley.
double rosenbrock(std::span<const double> x, std::span<double> gradient) {
  const double a = 1 - x[0], b = x[1] - x[0] * x[0];
  gradient[0] = -2 * a - 400 * x[0] * b;
  gradient[1] = 200 * b;
  return a * a + 100 * b * b;
}

// Counts evaluations and remembers the least value.
struct Watched {
  Objective objective;
  int calls = 0;
  double least = HUGE_VAL;
  std::vector<double> best = {};

  double operator()(std::span<const double> x, std::span<double> gradient) {
    ++calls;
    const double value = objective(x, gradient);
    if (value < least) {
      least = value;
      best.assign(x.begin(), x.end());
    }
    return value;
  }
};

TEST(Lbfgs, FindsTheMinimumOfAQuadratic) {
  const auto minimum = minimize_lbfgs(quadratic, std::vector<double>(8, 0.0), {}, 500, 1e-14);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(minimum.point[i], static_cast<double>(i) - 3, point_tolerance);
  EXPECT_NE(minimum.reason, StopReason::epoch_limit);
}

TEST(Lbfgs, FindsTheMinimumOfRosenbrocksValley) {
  for (const auto& start : {std::vector<double>{-1.2, 1}, {5, -3}, {0, 0}}) {
    const auto minimum = minimize_lbfgs(rosenbrock, start, {}, 500, 1e-14);
    EXPECT_NEAR(minimum.point[0], 1, point_tolerance);
    EXPECT_NEAR(minimum.point[1], 1, point_tolerance);
    EXPECT_LT(minimum.objective, 1e-10);
  }
}

TEST(Lbfgs, AQuadraticWithLowerBoundsStopsAtTheActiveOnes) {
  // Minima at -3 .. 4, bounds 0: the first three end at their bound.
  const std::vector<double> lower(8, 0.0);
  const auto minimum = minimize_lbfgs(quadratic, std::vector<double>(8, 2.0), lower, 500, 1e-14);
  for (std::size_t i = 0; i < 8; ++i) {
    const double expected = std::max(0.0, static_cast<double>(i) - 3);
    EXPECT_NEAR(minimum.point[i], expected, point_tolerance);
    EXPECT_GE(minimum.point[i], 0);
    if (i < 3) {
      EXPECT_EQ(minimum.point[i], 0);
    }
  }
}

TEST(Lbfgs, RosenbrocksValleyCutOffByABound) {
  // x >= 1.5: the least value is (1 - 1.5)^2 = 0.25 at (1.5, 2.25).
  const std::vector<double> lower = {1.5, free_below};
  for (const auto& start : {std::vector<double>{4, 1}, {1.5, -2}, {-7, 3}}) {  // the last one outside the bound
    const auto minimum = minimize_lbfgs(rosenbrock, start, lower, 500, 1e-14);
    EXPECT_EQ(minimum.point[0], 1.5);
    EXPECT_NEAR(minimum.point[1], 2.25, point_tolerance);
    EXPECT_NEAR(minimum.objective, 0.25, 1e-9);
  }
  // Bounds that are not active change nothing.
  const auto minimum = minimize_lbfgs(rosenbrock, {-1.2, 1}, std::vector<double>{-2, free_below}, 500, 1e-14);
  EXPECT_NEAR(minimum.point[0], 1, point_tolerance);
}

TEST(Lbfgs, TheEpochLimitIsNeverExceeded) {
  for (const bool bounded : {false, true}) {
    const std::vector<double> lower = bounded ? std::vector<double>{-10, -10} : std::vector<double>{};
    for (int limit = 1; limit <= 25; ++limit) {
      Watched watched{rosenbrock};
      const auto minimum = minimize_lbfgs(std::ref(watched), {-1.2, 1}, lower, limit, 0);
      EXPECT_EQ(watched.calls, limit);
      EXPECT_EQ(minimum.epochs, limit);
      EXPECT_EQ(minimum.reason, StopReason::epoch_limit);
      EXPECT_EQ(minimum.objective, watched.least);
      EXPECT_EQ(minimum.point, watched.best);
    }
  }
}

TEST(Lbfgs, AnInterruptionReturnsTheBestSoFar) {
  for (int stop = 1; stop <= 12; ++stop) {
    Watched watched{rosenbrock};
    int last = 0;
    const auto progress = [&](int epochs, double best) {
      EXPECT_EQ(epochs, last + 1);
      EXPECT_EQ(best, watched.least);
      last = epochs;
      return epochs < stop;
    };
    const auto minimum = minimize_lbfgs(std::ref(watched), {-1.2, 1}, {}, 100, 0, progress);
    EXPECT_EQ(minimum.reason, StopReason::interrupted);
    EXPECT_EQ(minimum.epochs, stop);
    EXPECT_EQ(minimum.objective, watched.least);
    EXPECT_EQ(minimum.point, watched.best);
  }
}

TEST(Lbfgs, ConvergesWhenTenEvaluationsDoNotLowerTheValueEnough) {
  // A long gentle slope: exp(-x) falls forever, by less and less of 1 + exp(-x).
  const auto slope = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = -std::exp(-x[0]);
    return 1 + std::exp(-x[0]);
  };
  const auto loose = minimize_lbfgs(slope, {0}, {}, 1000, 1e-2);
  const auto tight = minimize_lbfgs(slope, {0}, {}, 1000, 1e-9);
  EXPECT_EQ(loose.reason, StopReason::converged);
  EXPECT_LE(loose.epochs, tight.epochs);
  EXPECT_LT(tight.objective, 1 + 1e-6);
}

TEST(Lbfgs, APointWithoutSlopeHasConvergedAtOnce) {
  for (const bool bounded : {false, true}) {
    const std::vector<double> lower = bounded ? std::vector<double>{0, 0} : std::vector<double>{};
    const auto minimum = minimize_lbfgs(rosenbrock, {1, 1}, lower, 100, 1e-5);
    EXPECT_EQ(minimum.reason, StopReason::converged);
    EXPECT_EQ(minimum.epochs, 1);
    EXPECT_EQ(minimum.point, (std::vector<double>{1, 1}));
  }
}

// --- Line searches that must fail: the best point seen is returned all the same.

void expect_best_returned(const Objective& objective, const std::vector<double>& start, const char* name) {
  for (const bool bounded : {false, true}) {
    const std::vector<double> lower = bounded ? std::vector<double>(start.size(), -10.0) : std::vector<double>{};
    for (const double tolerance : {0.0, 1e-6}) {
      Watched watched{objective};
      const auto minimum = minimize_lbfgs(std::ref(watched), start, lower, 300, tolerance);
      EXPECT_EQ(minimum.objective, watched.least) << name;
      EXPECT_EQ(minimum.point, watched.best) << name;
      EXPECT_EQ(minimum.epochs, watched.calls) << name;
      EXPECT_LE(minimum.epochs, 300) << name;
    }
  }
}

TEST(Lbfgs, NoiseLeavesTheBestPointSeen) {
  const auto noisy = [](std::span<const double> x, std::span<double> gradient) {
    const auto bits = static_cast<std::uint64_t>(std::abs(x[0] * 1e9) + std::abs(x[1] * 1e7));
    const double noise = static_cast<double>(detail::mix(bits) >> 40) * 1e-8;
    return rosenbrock(x, gradient) + noise;
  };
  expect_best_returned(noisy, {-1.2, 1}, "noise");
}

TEST(Lbfgs, AKinkLeavesTheBestPointSeen) {
  const auto kink = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = x[0] > 0 ? 1 : -1;
    gradient[1] = x[1] > 0 ? 3 : -3;
    return std::abs(x[0]) + 3 * std::abs(x[1]);
  };
  expect_best_returned(kink, {0.7, -1.3}, "kink");
}

TEST(Lbfgs, AGradientThatPointsUphillLeavesTheBestPointSeen) {
  const auto uphill = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = -2 * x[0];
    return x[0] * x[0];
  };
  expect_best_returned(uphill, {1}, "uphill");
  EXPECT_NE(minimize_lbfgs(uphill, {1}, {}, 1000, 1e-6).reason, StopReason::epoch_limit);
}

// x^2 - 0.01 log x + (y - 1)^2, not a number for x <= 0. Least at x = sqrt(0.005), y = 1.
double half_plane(std::span<const double> x, std::span<double> gradient) {
  gradient[0] = 2 * x[0] - 0.01 / x[0];
  gradient[1] = 2 * (x[1] - 1);
  return x[0] * x[0] - 0.01 * std::log(x[0]) + (x[1] - 1) * (x[1] - 1);
}

TEST(Lbfgs, StepsBackFromARegionWithoutNumbers) {
  // The first step has length 1 and lands at x < 0.
  for (const bool bounded : {false, true}) {
    const std::vector<double> lower = bounded ? std::vector<double>(2, free_below) : std::vector<double>{};
    Watched watched{half_plane};
    const auto minimum = minimize_lbfgs(std::ref(watched), {0.4, 1.01}, lower, 300, 1e-12);
    EXPECT_NEAR(minimum.point[0], std::sqrt(0.005), point_tolerance) << bounded;
    EXPECT_NEAR(minimum.point[1], 1, point_tolerance) << bounded;
    EXPECT_NE(minimum.reason, StopReason::epoch_limit);
    EXPECT_TRUE(std::isfinite(minimum.objective));
  }
}

TEST(Lbfgs, AStartWithoutAValueIsReturnedAsItIs) {
  const auto nothing = [](std::span<const double>, std::span<double> gradient) {
    for (double& entry : gradient) entry = std::nan("");
    return std::nan("");
  };
  for (const bool bounded : {false, true}) {
    const std::vector<double> lower = bounded ? std::vector<double>(2, -5.0) : std::vector<double>{};
    const auto minimum = minimize_lbfgs(nothing, {0.5, 2}, lower, 50, 1e-6);
    EXPECT_EQ(minimum.point, (std::vector<double>{0.5, 2}));
    EXPECT_EQ(minimum.reason, StopReason::no_descent);
    EXPECT_LE(minimum.epochs, 50);
  }
}

}  // namespace
}  // namespace xofm
