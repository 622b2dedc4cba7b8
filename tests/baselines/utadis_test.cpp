#include "baselines/utadis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "core/base/random.hpp"

namespace xofm::baselines {
namespace {

constexpr double penalty = utadis_penalty;
constexpr double exact = 1e-9;  // a vertex of a small program: rounding alone

Examples one_feature(std::vector<double> values, std::vector<int> labels, int direction = 0) {
  return {.features = Eigen::Map<Eigen::MatrixXd>(values.data(), static_cast<Eigen::Index>(values.size()), 1),
          .labels = std::move(labels),
          .class_count = 2,
          .directions = {direction}};
}

// The program's objective, with the errors written out.
double cost(const Utadis& model, const Examples& examples) {
  double sum = 0;
  for (Eigen::Index i = 0; i < examples.features.rows(); ++i) {
    const double value = model.value(examples.features, i);
    const auto label = static_cast<std::size_t>(examples.labels[static_cast<std::size_t>(i)]);
    if (label > 0) sum += std::max(0.0, model.thresholds[label - 1] + 1 - value);
    if (label < model.thresholds.size()) sum += std::max(0.0, value - model.thresholds[label] + 1);
  }
  for (const ValueFunction& function : model.functions) {
    for (const double w : function.increments) sum += penalty * static_cast<double>(examples.features.rows()) * w;
  }
  return sum;
}

// Rising and falling features with noise, and one that says nothing.
Examples noisy_rows(Eigen::Index row_count, int class_count) {
  detail::Random random(8);
  Examples examples{.features = Eigen::MatrixXd(row_count, 3), .labels = {}, .class_count = class_count};
  for (Eigen::Index i = 0; i < row_count; ++i) {
    for (Eigen::Index c = 0; c < 3; ++c) examples.features(i, c) = random.uniform();
    const double score = examples.features(i, 0) - examples.features(i, 1) + 1 + 0.2 * random.normal();
    examples.labels.push_back(std::clamp(static_cast<int>(score / 2 * class_count), 0, class_count - 1));
  }
  return examples;
}

// x = 0, 1 are low and 2 is high, U = w x / 2. Without errors w >= t + 1 and w / 2 <= t - 1, hence w >= 4; the penalty
// takes w = 4, and then t = 3 is forced.
TEST(Utadis, SeparableRowsGetTheWidestSeparationByHand) {
  const Utadis model = fit_utadis(one_feature({0, 1, 2}, {0, 0, 1}), 1);
  EXPECT_NEAR(model.functions[0].increments[0], 4, exact);
  EXPECT_NEAR(model.thresholds[0], 3, exact);
}

// x = 0, 2 are low and 1, 3 are high, U = v x with w = 3 v. The errors of the two rows in the middle are 2 v - t + 1
// and t - v + 1, together v + 2; the outer ones are 0 if 1 <= t <= 3 v - 1, which asks for v >= 2/3, else 2 - 3 v in
// all. So the sum falls as 4 - 2 v to v = 2/3 and grows as v + 2 beyond: v = 2/3, w = 2, t = 1, errors 8/3.
TEST(Utadis, OverlappingRowsHaveTheLeastSumOfErrorsByHand) {
  const Examples examples = one_feature({0, 1, 2, 3}, {0, 1, 0, 1});
  const Utadis model = fit_utadis(examples, 1);
  EXPECT_NEAR(model.functions[0].increments[0], 2, exact);
  EXPECT_NEAR(model.thresholds[0], 1, exact);
  EXPECT_NEAR(cost(model, examples), 8.0 / 3 + penalty * 4 * 2, exact);
}

// x = 0 is low, 1 and 2 are high, a segment between each: the first must rise by 2, the second need not rise.
TEST(Utadis, AValueIsFlatWhereNothingIsGained) {
  const Utadis model = fit_utadis(one_feature({0, 1, 2}, {0, 1, 1}), 2);
  EXPECT_NEAR(model.functions[0].increments[0], 2, exact);
  EXPECT_NEAR(model.functions[0].increments[1], 0, exact);
  EXPECT_NEAR(model.thresholds[0], 1, exact);
  EXPECT_NEAR(model.functions[0](0.5), 1, exact);
  EXPECT_EQ(model.functions[0](-9), 0);
  EXPECT_NEAR(model.functions[0](9), 2, exact);
}

// x = 0 is low once and high thrice, 1 is middle. The three ask for t_2 = -1 and so t_1 = -2, one below: the low row
// errs by 3, and the middle one by w + 2, hence w = 0. Raising both costs the three more than the two gain.
TEST(Utadis, ThresholdsKeepTheirDistance) {
  Examples examples = one_feature({0, 1, 0, 0, 0}, {0, 1, 2, 2, 2}, 1);
  examples.class_count = 3;
  const Utadis model = fit_utadis(examples, 1);
  EXPECT_NEAR(model.thresholds[0], -2, exact);
  EXPECT_NEAR(model.thresholds[1], -1, exact);
  EXPECT_NEAR(model.functions[0].increments[0], 0, exact);
}

// The program is convex: what no small move improves is the minimum.
TEST(Utadis, NoNearbyModelCostsLess) {
  const Examples examples = noisy_rows(150, 4);
  const Utadis best = fit_utadis(examples, 3);
  const double least = cost(best, examples);
  detail::Random random(2);
  for (int k = 0; k < 300; ++k) {
    Utadis moved = best;
    const double step = k % 2 == 0 ? 1e-3 : 0.3;
    for (double& t : moved.thresholds) t += step * random.normal();
    for (ValueFunction& function : moved.functions) {
      for (double& w : function.increments) w = std::max(0.0, w + step * random.normal());
    }
    for (std::size_t l = 1; l < moved.thresholds.size(); ++l) {
      moved.thresholds[l] = std::max(moved.thresholds[l], moved.thresholds[l - 1] + 1);
    }
    ASSERT_GE(cost(moved, examples), least - 1e-6);
  }
}

TEST(Utadis, ValuesAreMonotoneTheWayTheRanksOrTheUserSay) {
  Examples examples = noisy_rows(300, 3);
  for (const int given : {0, 1}) {
    examples.directions = {0, given, 0};
    const Utadis model = fit_utadis(examples, 4);
    EXPECT_GT(model.functions[0](0.8), model.functions[0](0.2));
    EXPECT_EQ(model.functions[1].scale < 0, given == 0);
    for (const ValueFunction& function : model.functions) {
      for (const double increment : function.increments) EXPECT_GE(increment, 0);
    }
    EXPECT_GE(model.thresholds[1], model.thresholds[0] + 1);
    if (given == 0) {
      EXPECT_LT(model.functions[1](0.8), model.functions[1](0.2));
    } else {
      EXPECT_LE(model.functions[1](0.2), model.functions[1](0.8));
    }
  }
}

TEST(Utadis, EndedEarlyItIsStillAProperModelAndNoBetter) {
  const Examples examples = noisy_rows(400, 5);
  const double least = cost(fit_utadis(examples, 5), examples);
  int asked = 0;
  const Utadis model = fit_utadis(examples, 5, {.out_of_time = [&] { return ++asked > 20; }});
  EXPECT_LT(asked, 60);
  EXPECT_GT(cost(model, examples), least);
  ASSERT_EQ(model.thresholds.size(), 4U);
  for (std::size_t l = 1; l < 4; ++l) EXPECT_GE(model.thresholds[l], model.thresholds[l - 1] + 1 - exact);
}

}  // namespace
}  // namespace xofm::baselines
