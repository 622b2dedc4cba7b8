#include "core/assign/judge.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.hpp"
#include "xofm/generate.hpp"

namespace xofm {
namespace {

// Scores that follow the label, with noise.
std::vector<double> noisy_scores(const Dataset& data, double noise) {
  detail::Random random(5);
  std::vector<double> scores;
  for (const int label : data.labels) scores.push_back(label + noise * random.normal());
  return scores;
}

TEST(Judge, LossesAreTheScoringRulesOfTheAim) {
  const Dataset data = generate({.row_count = 40, .attribute_count = 2, .class_count = 2, .seed = 1});
  const std::vector<double> unseen = noisy_scores(data, 0.5);
  const auto by_mae = detail::judge(unseen, data, {.aim = Aim::mae});
  const auto by_accuracy = detail::judge(unseen, data, {.aim = Aim::accuracy});
  // With two classes p = P(y = 1): the ranked probability score is (1 - p_true)^2, the log loss -log p_true.
  ASSERT_EQ(by_mae.row_losses.size(), unseen.size());
  for (std::size_t i = 0; i < unseen.size(); ++i) {
    EXPECT_NEAR(by_mae.row_losses[i], std::pow(1 - std::exp(-by_accuracy.row_losses[i]), 2), 1e-12);
  }
  EXPECT_EQ(by_mae.accuracy, 1 - by_mae.mae);
}

TEST(Judge, OnlyRowsWithAScoreAreJudged) {
  const Dataset data = generate({.row_count = 200, .attribute_count = 2, .class_count = 3, .seed = 1});
  std::vector<double> unseen = noisy_scores(data, 0.7);
  std::vector<std::size_t> judged;
  std::vector<double> their_scores;
  for (std::size_t i = 0; i < unseen.size(); ++i) {
    if (i % 5 == 0) {
      judged.push_back(i);
      their_scores.push_back(unseen[i]);
    } else {
      unseen[i] = std::nan("");
    }
  }
  // The twin: these rows alone.
  const auto judgement = detail::judge(unseen, data, {});
  const auto twin = detail::judge(their_scores, subset(data, judged), {});
  EXPECT_EQ(judgement.row_losses, twin.row_losses);
  EXPECT_EQ(judgement.loss, twin.loss);
  EXPECT_EQ(judgement.mae, twin.mae);
  EXPECT_EQ(judgement.accuracy, twin.accuracy);
}

TEST(Judge, ARowCountsByItsWeight) {
  Dataset data = generate({.row_count = 60, .attribute_count = 2, .class_count = 3, .seed = 2});
  const std::vector<double> unseen = noisy_scores(data, 0.7);
  // The twin: a row of weight 2 is there twice.
  std::vector<std::size_t> rows;
  std::vector<double> their_scores;
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    data.weights.push_back(i % 4 == 0 ? 2 : 1);
    for (int copy = 0; copy < (i % 4 == 0 ? 2 : 1); ++copy) {
      rows.push_back(i);
      their_scores.push_back(unseen[i]);
    }
  }
  Dataset copies = subset(data, rows);
  copies.weights.clear();
  const auto weighted = detail::judge(unseen, data, {});
  const auto twin = detail::judge(their_scores, copies, {});
  EXPECT_NEAR(weighted.loss, twin.loss, 1e-6);  // calibration stops at its tolerance
  EXPECT_NEAR(weighted.accuracy, twin.accuracy, 1e-12);
}

// Differences 0.1, 0.3, 0.2 of weights 1, 1, 2: mean 0.2, error sqrt(0.01 + 0.01 + 0) / 4.
TEST(Judge, TheExcessIsOfTheRowsDifferences) {
  detail::Judgement a;
  a.row_losses = {0.6, 0.8, 0.3};
  a.row_weights = {1, 1, 2};
  detail::Judgement b = a;
  b.row_losses = {0.5, 0.5, 0.1};
  const auto [mean, error] = detail::excess(a, b);
  EXPECT_NEAR(mean, 0.2, 1e-15);
  EXPECT_NEAR(error, std::sqrt(0.02) / 4, 1e-15);
}

}  // namespace
}  // namespace xofm
