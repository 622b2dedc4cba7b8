#include "baselines/nnor.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/gradient_check.hpp"
#include "support/neural_cases.hpp"

namespace xofm::baselines {
namespace {

using Eigen::MatrixXd;
using namespace test_support;

TEST(Nnor, TheGradientAgreesWithDifferences) {
  detail::Random random(1);
  NnorNetwork network(3, 4, 5);
  std::vector<double> start = network.start(random);
  for (double& parameter : start) parameter += 0.2 * random.normal();  // biases too
  const MatrixXd objects = MatrixXd::NullaryExpr(3, 7, [&] { return random.normal(); });
  const std::vector<int> labels = {0, 1, 2, 3, 4, 4, 1};
  const auto objective = [&](std::span<const double> parameters, std::span<double> gradient) {
    return network.loss(objects, labels, 0.1, parameters, gradient);
  };
  EXPECT_TRUE(gradient_agrees(objective, start));
}

// One feature, one hidden unit, three classes: parameters w1, b1, w2 (two), b2 (two).
// The output weights are 0, so the outputs are sigmoid(b2) for every object: 3/4 and 1/3.
TEST(Nnor, TheLossIsTheEntropyOfTheCumulativeCode) {
  NnorNetwork network(1, 1, 3);
  const std::vector<double> parameters = {2, 0.5, 0, 0, std::log(3), -std::log(2)};
  const MatrixXd objects = MatrixXd::Constant(1, 3, 0.7);
  std::vector<double> gradient(parameters.size());
  const auto cost = [&](int label) {
    const std::vector<int> labels(3, label);
    return network.loss(objects, labels, 0, parameters, gradient);
  };
  EXPECT_NEAR(cost(0), -std::log(0.25) - std::log(2.0 / 3), 1e-12);
  EXPECT_NEAR(cost(1), -std::log(0.75) - std::log(2.0 / 3), 1e-12);
  EXPECT_NEAR(cost(2), -std::log(0.75) - std::log(1.0 / 3), 1e-12);
  const std::vector<int> labels(3, 0);
  EXPECT_NEAR(network.loss(objects, labels, 0.3, parameters, gradient) - cost(0), 0.3 / 2 * 4, 1e-12)
      << "decay counts the weight 2, not the biases";
}

TEST(Nnor, TheFirstOutputBelowOneHalfDecides) {
  NnorNetwork network(1, 1, 4);
  const auto class_for = [&](double first, double second, double third) {
    const std::vector<double> parameters = {1, 0, 0, 0, 0, first, second, third};
    return network.predict(MatrixXd::Zero(1, 1), parameters).front();
  };
  EXPECT_EQ(class_for(-1, -1, -1), 0);
  EXPECT_EQ(class_for(1, -1, -1), 1);
  EXPECT_EQ(class_for(1, 1, -1), 2);
  EXPECT_EQ(class_for(1, 1, 1), 3);
  EXPECT_EQ(class_for(-1, 1, 1), 0) << "what comes later is not read";
  EXPECT_EQ(class_for(1, -1, 1), 1);
}

TEST(Nnor, ExtremeValuesStayFinite) {
  NnorNetwork network(1, 1, 3);
  const std::vector<double> parameters = {1e3, 0, 1e4, -1e4, 0, 0};
  const std::vector<int> labels = {0, 2};
  MatrixXd objects(1, 2);
  objects << -1e3, 1e3;
  std::vector<double> gradient(parameters.size());
  EXPECT_NEAR(network.loss(objects, labels, 0, parameters, gradient), 1e4, 1e-6);
  for (const double entry : gradient) EXPECT_TRUE(std::isfinite(entry));
}

TEST(Nnor, BeatsTheMajorityClassClearlyOnFreshRows) {
  const auto [learning, holdout] = generated_examples();
  const auto method = make_nnor();
  const auto predicted = method->fit(learning, first_setting(*method))->predict(holdout.features);
  EXPECT_GT(accuracy(predicted, holdout.labels), 0.55) << "the largest class has about a fifth";
}

TEST(Nnor, TheSeedDecidesAll) {
  const auto [learning, holdout] = generated_examples(150, 150);
  const auto method = make_nnor();
  const auto run = [&](std::uint64_t seed) {
    return method->fit(learning, first_setting(*method), {.seed = seed})->predict(holdout.features);
  };
  EXPECT_EQ(run(4), run(4));
  EXPECT_NE(run(4), run(5));
}

TEST(Nnor, OddLearningRowsBreakNothing) {
  const auto method = make_nnor();
  const auto [learning, holdout] = generated_examples(60, 40);
  for (const std::vector<int>& labels : {std::vector<int>{2}, {0, 0}, {4, 4}, {1, 3, 3}, {0, 1, 2, 3, 4}}) {
    for (const Eigen::Index feature_count : {0, 1, 6}) {
      Examples few{.features = learning.features.topLeftCorner(static_cast<Eigen::Index>(labels.size()), feature_count),
                   .labels = labels,
                   .class_count = 5};
      const auto fitted = method->fit(few, first_setting(*method));
      const auto predicted = fitted->predict(holdout.features.leftCols(feature_count));
      ASSERT_EQ(predicted.size(), holdout.labels.size());
      EXPECT_TRUE(all_within(predicted, 0, 4));
      if (labels.front() == labels.back()) {
        EXPECT_TRUE(all_within(predicted, labels.front(), labels.front()));
      }
    }
  }
}

TEST(Nnor, EndsWhenTimeIsOver) {
  const auto [learning, holdout] = generated_examples(100, 50);
  const auto method = make_nnor();
  int looks = 0;
  const Effort effort{.seed = 1, .out_of_time = [&] { return ++looks >= 3; }};
  const auto predicted = method->fit(learning, first_setting(*method), effort)->predict(holdout.features);
  EXPECT_EQ(looks, 3);
  EXPECT_TRUE(all_within(predicted, 0, 4));
}

}  // namespace
}  // namespace xofm::baselines
