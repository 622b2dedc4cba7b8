#include "support/gradient_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace xofm::test_support {
namespace {

const std::vector<double> point = {0.3, -1.2, 2000, 0};

// x0^3 + x0 exp(x1) + 1e-3 x2^2 + x3^4; `error` is added to the derivative by coordinate `wrong`.
Objective objective_with(double error, std::size_t wrong = 0) {
  return [=](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = 3 * x[0] * x[0] + std::exp(x[1]);
    gradient[1] = x[0] * std::exp(x[1]);
    gradient[2] = 2e-3 * x[2];
    gradient[3] = 4 * x[3] * x[3] * x[3];
    gradient[wrong] += error;
    return x[0] * x[0] * x[0] + x[0] * std::exp(x[1]) + 1e-3 * x[2] * x[2] + x[3] * x[3] * x[3] * x[3];
  };
}

TEST(GradientCheck, ARightGradientPassesWithScalesApartAndAZeroEntry) {
  EXPECT_TRUE(gradient_agrees(objective_with(0), point));
}

TEST(GradientCheck, AWrongEntryIsFoundAndNamed) {
  for (std::size_t wrong = 0; wrong < point.size(); ++wrong) {
    const Objective objective = objective_with(1e-3, wrong);
    EXPECT_EQ(check_gradient(objective, point).worst_coordinate, wrong);
    const auto result = gradient_agrees(objective, point);
    EXPECT_FALSE(result);
    EXPECT_NE(std::string(result.message()).find("coordinate " + std::to_string(wrong)), std::string::npos);
  }
}

TEST(GradientCheck, TheRelativeErrorIsMeasured) {
  // The true derivative by x2 is 4; with 4.4 the error is 0.4 / 4.4.
  const GradientReport report = check_gradient(objective_with(0.4, 2), point);
  EXPECT_NEAR(report.largest_error, 1.0 / 11, 1e-6);
  EXPECT_NEAR(report.numeric, 4, 1e-6);
}

TEST(GradientCheck, ANonFiniteGradientFails) {
  EXPECT_FALSE(gradient_agrees(objective_with(std::nan(""), 1), point));
  EXPECT_FALSE(gradient_agrees(
      [](std::span<const double>, std::span<double> gradient) {
        gradient[0] = 0;
        return std::nan("");
      },
      std::vector<double>{1}));
}

TEST(GradientCheck, AConstantPassesAndItsWrongGradientFails) {
  for (const double claimed : {0.0, 1e-3}) {
    const Objective constant = [=](std::span<const double>, std::span<double> gradient) {
      gradient[0] = claimed;
      return 3.0;
    };
    EXPECT_EQ(bool(gradient_agrees(constant, std::vector<double>{1})), claimed == 0);
  }
}

}  // namespace
}  // namespace xofm::test_support
