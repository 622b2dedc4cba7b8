#include <gtest/gtest.h>

#include <algorithm>

#include "baselines/cnnor_networks.hpp"
#include "support/gradient_check.hpp"
#include "support/neural_cases.hpp"

namespace xofm::baselines {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using namespace test_support;

MatrixXd random_objects(Index feature_count, Index count, detail::Random& random) {
  return MatrixXd::NullaryExpr(feature_count, count, [&] { return random.normal(); });
}

TEST(Cnnor, TheGradientOfTheOrdinalLossAgreesWithDifferences) {
  detail::Random random(2);
  ScoreNetwork network(Tower(5, 3, 4));
  std::vector<double> start = network.start(random);
  for (double& parameter : start) parameter += 0.1 * random.normal();
  const MatrixXd objects = random_objects(5, 6, random);
  const std::vector<int> ranks = {0, 2, 1, 1, 2, 0};
  const auto objective = [&](std::span<const double> parameters, std::span<double> gradient) {
    return network.loss(objects, ranks, parameters, gradient);
  };
  EXPECT_TRUE(gradient_agrees(objective, start));
}

// All scores are equal if the score's weights are 0: then every pair lacks its whole distance.
TEST(Cnnor, TheOrdinalLossAsksForDistancesOfRanks) {
  detail::Random random(2);
  const Tower tower(2, 2, 2);
  ScoreNetwork network(tower);
  std::vector<double> parameters = network.start(random);
  std::fill(parameters.end() - 3, parameters.end(), 0.0);
  const MatrixXd objects = random_objects(2, 4, random);
  std::vector<double> gradient(parameters.size());
  // Pairs of ranks 0 0 1 3: distances 1, 3 (twice each) and 2.
  EXPECT_NEAR(network.loss(objects, std::vector<int>{0, 0, 1, 3}, parameters, gradient), (1 + 1 + 9 + 9 + 4) / 5.0,
              1e-12);
  EXPECT_EQ(network.loss(objects, std::vector<int>{1, 1, 1, 1}, parameters, gradient), 0);
}

TEST(Cnnor, TheGradientOfTheTripletLossAgreesWithDifferences) {
  detail::Random random(3);
  const Tower tower(5, 3, 4);
  ScoreNetwork score_network(tower);
  TripletNetwork network(tower);
  std::vector<double> start = network.start(score_network, score_network.start(random), random);
  for (double& parameter : start) parameter += 0.2 * random.normal();
  const MatrixXd objects = random_objects(5, 6, random);
  const std::vector<Triplet> triplets = {{0, 1, 2}, {3, 4, 5}, {0, 4, 5}, {2, 2, 1}};
  const std::vector<double> answers = {1, -1, 1, -1};
  const auto objective = [&](std::span<const double> parameters, std::span<double> gradient) {
    return network.loss(objects, triplets, answers, parameters, gradient);
  };
  EXPECT_TRUE(gradient_agrees(objective, start));
}

// Started from CNN_reg, the output is s(asked) - (s(below) + s(above)) / 2: it sums to 0 over the three turns of a
// triplet, and changes its sign in no other way.
TEST(Cnnor, ATripletNetworkStartsByComparingScores) {
  detail::Random random(4);
  const Tower tower(3, 2, 4);
  ScoreNetwork score_network(tower);
  TripletNetwork network(tower);
  const std::vector<double> scores = score_network.start(random);
  const std::vector<double> parameters = network.start(score_network, scores, random);
  Tower::Pass pass;
  tower.run(parameters, random_objects(3, 3, random), pass);
  const std::vector<Triplet> turns = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
  const Eigen::VectorXd outputs = network.outputs(pass.output, turns, parameters);
  const Eigen::VectorXd expected = pass.output.transpose() * score_network.score_weights(scores);
  EXPECT_GT(outputs.norm(), 1e-3);
  EXPECT_NEAR(outputs[0], expected[1] - (expected[0] + expected[2]) / 2, 1e-12);
  EXPECT_NEAR(outputs.sum(), 0, 1e-12);
}

TEST(Cnnor, BeatsTheMajorityClassClearlyOnFreshRows) {
  const auto [learning, holdout] = generated_examples();
  const auto method = make_cnnor();
  const auto predicted = method->fit(learning, first_setting(*method))->predict(holdout.features);
  EXPECT_GT(accuracy(predicted, holdout.labels), 0.55) << "the largest class has about a fifth";
}

TEST(Cnnor, TheSeedDecidesAll) {
  const auto [learning, holdout] = generated_examples(150, 150);
  const auto method = make_cnnor();
  const auto run = [&](std::uint64_t seed) {
    return method->fit(learning, first_setting(*method), {.seed = seed})->predict(holdout.features);
  };
  const auto once = run(4);
  EXPECT_EQ(once, run(4));
  EXPECT_NE(once, run(5));
}

TEST(Cnnor, OddLearningRowsBreakNothingAndAbsentClassesAreNotPredicted) {
  const auto method = make_cnnor();
  const auto [learning, holdout] = generated_examples(60, 40);
  for (const std::vector<int>& labels : {std::vector<int>{2}, {1, 3, 3}, {0, 1, 2, 3, 4}}) {
    for (const Index feature_count : {0, 1, 6}) {
      Examples few{.features = learning.features.topLeftCorner(static_cast<Index>(labels.size()), feature_count),
                   .labels = labels,
                   .class_count = 5};
      const auto fitted = method->fit(few, first_setting(*method));
      const auto predicted = fitted->predict(holdout.features.leftCols(feature_count));
      ASSERT_EQ(predicted.size(), holdout.labels.size());
      EXPECT_TRUE(all_within(predicted, labels.front(), labels.back()));
      if (labels.size() == 3) {
        EXPECT_EQ(std::count(predicted.begin(), predicted.end(), 2), 0);
      }
    }
  }
}

// Without time for triplets the networks still compare by the scores of what CNN_reg has learned.
TEST(Cnnor, WhatIsLearnedWhenTimeIsOverIsUsed) {
  const auto [learning, holdout] = generated_examples();
  const auto method = make_cnnor();
  int looks = 0;
  const Effort effort{.seed = 1, .out_of_time = [&] { return ++looks > 15; }};
  const auto predicted = method->fit(learning, first_setting(*method), effort)->predict(holdout.features);
  EXPECT_EQ(looks, 16 + 4) << "once for CNN_reg, once for each of four cuts";
  EXPECT_GT(accuracy(predicted, holdout.labels), 0.3);
}

}  // namespace
}  // namespace xofm::baselines
