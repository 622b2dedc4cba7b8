#include "baselines/linear_thresholds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/random.hpp"
#include "support/gradient_check.hpp"

namespace xofm::baselines {
namespace {

// The stopping rule bounds the objective: coefficients are off by the square root of what it leaves.
constexpr double coefficient_tolerance = 1e-4;

Examples forty_rows() {
  static constexpr double rows[40][4] = {
      {-0.8, 1.2, 0, 0},  {1.4, -0.1, 1, 3},  {-1.3, -0.7, 0, 0}, {0.1, 1.9, 1, 3},   {1.7, 0.4, 0, 3},
      {-0.6, 0.3, 1, 2},  {-0.5, -1.1, 0, 1}, {-0.6, -0.8, 1, 1}, {-0.3, -0.9, 0, 2}, {0.1, 0, 1, 3},
      {1.2, 2.1, 0, 0},   {-0.8, -0.2, 1, 3}, {-1.1, 0.5, 0, 3},  {-0.2, -0.7, 1, 0}, {-1.1, -0.7, 0, 0},
      {-0.1, -1, 1, 3},   {-0.6, 0.5, 0, 0},  {-2.2, -1.2, 1, 3}, {0.2, 0, 0, 1},     {-0.3, 0.1, 1, 0},
      {0.9, -0.7, 0, 3},  {0.9, 1.3, 1, 3},   {1.5, 0.2, 0, 1},   {0.7, 0.8, 1, 2},   {0.8, -0.4, 0, 3},
      {-0.3, -0.5, 1, 0}, {1.4, -1.4, 0, 3},  {1.5, 0.4, 1, 2},   {-0.7, -1.6, 0, 3}, {-0.9, -0.7, 1, 0},
      {0.3, -0.1, 0, 2},  {1.1, 0.3, 1, 3},   {2.2, 1.4, 0, 2},   {1.2, 0.6, 1, 3},   {1.5, 1.2, 0, 1},
      {1, 0.3, 1, 2},     {-1, 0.5, 0, 0},    {-2, -0.9, 1, 1},   {-1.8, -0.7, 0, 0}, {-0.1, -0.6, 1, 3}};
  Examples examples{.features = Eigen::MatrixXd(40, 3), .labels = {}, .class_count = 4};
  for (Eigen::Index i = 0; i < 40; ++i) {
    for (Eigen::Index c = 0; c < 3; ++c) examples.features(i, c) = rows[i][c];
    examples.labels.push_back(static_cast<int>(rows[i][3]));
  }
  return examples;
}

// With the rows above as the data frame d, columns x1, x2, x3, y:
//   library(MASS); polr(factor(y, ordered = TRUE) ~ x1 + x2 + x3, d, control = list(reltol = 1e-15, maxit = 1000))
//   library(ordinal); clm(factor(y, ordered = TRUE) ~ x1 + x2 + x3, data = d, control = list(gradTol = 1e-10))
// Both (MASS 7.3, ordinal 2022.11) agree to eight digits; logLik() is -46.48703248.
TEST(LinearThresholds, ProportionalOddsWithoutRidgeAreThoseOfPolrAndClm) {
  const LinearThresholds model = fit_linear_thresholds(forty_rows(), ThresholdLoss::proportional_odds, 0);
  const double weights[] = {1.03912407, -0.86445480, 1.24716321};
  const double thresholds[] = {-0.44118705, 0.44541107, 1.32104228};
  for (Eigen::Index c = 0; c < 3; ++c) {
    EXPECT_NEAR(model.weights[c], weights[c], coefficient_tolerance);
    EXPECT_NEAR(model.thresholds[c], thresholds[c], coefficient_tolerance);
  }
  EXPECT_NEAR(-40 * model.objective, -46.48703248, 1e-7);
}

TEST(LinearThresholds, GradientsAgreeWithDifferences) {
  const Examples examples = forty_rows();
  const PresentClasses present(examples.labels);
  for (const auto loss : {ThresholdLoss::proportional_odds, ThresholdLoss::immediate, ThresholdLoss::all}) {
    const LinearThresholdsObjective objective(examples, present, loss, 0.3);
    detail::Random random(4);
    for (int k = 0; k < 5; ++k) {
      std::vector<double> point = objective.start();
      for (double& coordinate : point) coordinate += random.normal();
      EXPECT_TRUE(test_support::gradient_agrees(objective, point));
    }
  }
}

// Without features nothing but the shares 11, 6, 7, 16 of 40 is known, and they are met.
TEST(LinearThresholds, ProportionalOddsStartAtTheSharesOfTheClasses) {
  Examples examples = forty_rows();
  examples.features.resize(40, 0);
  const LinearThresholds model = fit_linear_thresholds(examples, ThresholdLoss::proportional_odds, 0);
  EXPECT_NEAR(model.thresholds[0], std::log(11.0 / 29), coefficient_tolerance);
  EXPECT_NEAR(model.thresholds[1], std::log(17.0 / 23), coefficient_tolerance);
  EXPECT_NEAR(model.thresholds[2], std::log(24.0 / 16), coefficient_tolerance);
}

// Two classes: each is the logistic regression of the other.
TEST(LinearThresholds, WithTwoClassesAllLossesAreOne) {
  Examples examples = forty_rows();
  for (int& label : examples.labels) label = label > 1 ? 1 : 0;
  const LinearThresholds pom = fit_linear_thresholds(examples, ThresholdLoss::proportional_odds, 0.01);
  for (const auto loss : {ThresholdLoss::immediate, ThresholdLoss::all}) {
    const LinearThresholds other = fit_linear_thresholds(examples, loss, 0.01);
    EXPECT_LT((pom.weights - other.weights).cwiseAbs().maxCoeff(), coefficient_tolerance);
    EXPECT_NEAR(pom.thresholds[0], other.thresholds[0], coefficient_tolerance);
  }
}

TEST(LinearThresholds, AClassWithoutRowsHasNoThreshold) {
  Examples examples = forty_rows();
  const LinearThresholds dense = fit_linear_thresholds(examples, ThresholdLoss::all, 0.01);
  examples.class_count = 9;
  for (int& label : examples.labels) label = 2 * label + 1;
  const LinearThresholds sparse = fit_linear_thresholds(examples, ThresholdLoss::all, 0.01);
  EXPECT_EQ(sparse.classes, (std::vector<int>{1, 3, 5, 7}));
  EXPECT_EQ(sparse.thresholds, dense.thresholds);
  EXPECT_EQ(sparse.weights, dense.weights);
}

TEST(LinearThresholds, AllThresholdsAreInOrderAndRidgeShrinksTheWeights) {
  for (const auto loss : {ThresholdLoss::proportional_odds, ThresholdLoss::all}) {
    const LinearThresholds free = fit_linear_thresholds(forty_rows(), loss, 0);
    const LinearThresholds held = fit_linear_thresholds(forty_rows(), loss, 1);
    EXPECT_TRUE(std::is_sorted(free.thresholds.begin(), free.thresholds.end()));
    EXPECT_LT(held.weights.norm(), 0.5 * free.weights.norm());
  }
}

}  // namespace
}  // namespace xofm::baselines
