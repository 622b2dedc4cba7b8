#include "baselines/student.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace xofm::baselines {
namespace {

TEST(Student, TheIncompleteBetaFunctionIsThatOfItsClosedForms) {
  EXPECT_NEAR(incomplete_beta(1, 1, 0.3), 0.3, 1e-14);
  // I_x(2, 3) = 6x^2 - 8x^3 + 3x^4.
  EXPECT_NEAR(incomplete_beta(2, 3, 0.4), 6 * 0.16 - 8 * 0.064 + 3 * 0.0256, 1e-14);
  EXPECT_NEAR(incomplete_beta(0.5, 0.5, 0.25), 2 / std::numbers::pi * std::asin(0.5), 1e-13);
  EXPECT_EQ(incomplete_beta(2, 3, 0), 0);
  EXPECT_EQ(incomplete_beta(2, 3, 1), 1);
}

TEST(Student, PIsThatOfTheClosedFormsForOneAndTwoDegrees) {
  for (const double t : {0.1, 1.0, 2.0, 7.5, 40.0}) {
    EXPECT_NEAR(student_p(t, 1), 1 - 2 / std::numbers::pi * std::atan(t), 1e-13) << t;
    EXPECT_NEAR(student_p(-t, 2), 1 - t / std::sqrt(2 + t * t), 1e-13) << t;
  }
  EXPECT_EQ(student_p(0, 5), 1);
}

// Quantiles of any table of Student's t, to the digits that they give.
TEST(Student, PIsThatOfTheTables) {
  EXPECT_NEAR(student_p(2.228139, 10), 0.05, 1e-7);
  EXPECT_NEAR(student_p(2.045230, 29), 0.05, 1e-7);
  EXPECT_NEAR(student_p(2.756386, 29), 0.01, 1e-7);
  EXPECT_NEAR(student_p(1.959964, 1e7), 0.05, 1e-6);
}

// Mean 2, variance 1, J = 3, ratio 1/4: t = 2 / sqrt(1/3 + 1/4), so t^2 = 48/7, two degrees of freedom.
TEST(Student, TheCorrectedTestIsThatWorkedByHand) {
  const std::vector<double> differences = {1, 2, 3};
  const double t = std::sqrt(48.0 / 7);
  EXPECT_NEAR(corrected_resampled_p(differences, 0.25), 1 - t / std::sqrt(2 + t * t), 1e-13);
  // Without the correction it would be the plain paired test.
  EXPECT_NEAR(corrected_resampled_p(differences, 0), 1 - std::sqrt(12.0) / std::sqrt(14.0), 1e-13);
}

TEST(Student, EqualDifferencesAndTooFewAreNamed) {
  EXPECT_EQ(corrected_resampled_p(std::vector<double>{0, 0, 0}, 0.25), 1);
  EXPECT_EQ(corrected_resampled_p(std::vector<double>{0.1, 0.1, 0.1}, 0.25), 0);
  EXPECT_TRUE(std::isnan(corrected_resampled_p(std::vector<double>{0.1}, 0.25)));
}

}  // namespace
}  // namespace xofm::baselines
