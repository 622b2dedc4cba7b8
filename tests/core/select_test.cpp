#include "core/tune/select.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/base/random.hpp"
#include "xofm/generate.hpp"

namespace xofm {
namespace {

// A stage of 40 rows in two classes; a rehearsed recipe whose scores are given.
struct SelectTest : ::testing::Test {
  Dataset data = generate({.row_count = 40, .attribute_count = 2, .class_count = 2, .seed = 1});
  TrainOptions base;
  detail::Stage stage = detail::make_stage(data, base, 4, 1);
  detail::Random random{5};

  // Scores that follow the label, with noise of the given size.
  detail::Rehearsed rehearsed(double noise, int factor_count = 2) {
    detail::Rehearsed r{{.factor_count = factor_count, .increment_penalty = random.uniform()}, {}};
    std::vector<double> scores;
    for (const int label : data.labels) scores.push_back(label + noise * random.normal());
    r.scores.assign(4, scores);
    return r;
  }
  std::vector<double> losses(const std::vector<detail::Rehearsed>& all) const {
    std::vector<double> result;
    for (const auto& r : all) result.push_back(detail::judge(stage, Aim::mae, stage.unseen_scores(r.scores)).loss);
    return result;
  }
};

TEST_F(SelectTest, SeveralWithNoiseOfTheirOwnAreBetterThanTheBest) {
  std::vector<detail::Rehearsed> all;
  for (int i = 0; i < 6; ++i) all.push_back(rehearsed(1));
  const detail::Kind kind{true, 0};
  const auto blend = detail::select_blend(stage, Aim::mae, all, losses(all), kind, 6);
  const auto single = detail::select_blend(stage, Aim::mae, all, losses(all), kind, 1);
  EXPECT_EQ(single.picks.size(), 1U);
  EXPECT_LT(blend.judgement.loss, single.judgement.loss);
  // The scores are the mean of the picks' scores.
  double mean = 0;
  for (const std::size_t pick : blend.picks) mean += all[pick].scores[2][7] / static_cast<double>(blend.picks.size());
  EXPECT_NEAR(blend.scores[2][7], mean, 1e-12);
}

TEST_F(SelectTest, NoMorePartsThanAllowedAndNoneThatTheKindForbids) {
  std::vector<detail::Rehearsed> all;
  for (int i = 0; i < 8; ++i) all.push_back(rehearsed(1, i % 2 == 0 ? 0 : 2));
  const auto blend = detail::select_blend(stage, Aim::mae, all, losses(all), {false, 0}, 2);
  std::set<std::size_t> parts(blend.picks.begin(), blend.picks.end());
  EXPECT_LE(parts.size(), 2U);
  for (const std::size_t part : parts) EXPECT_EQ(all[part].recipe.factor_count, 0);
  EXPECT_TRUE(detail::select_blend(stage, Aim::mae, all, losses(all), {false, 0.5}, 2).picks.empty());
}

TEST_F(SelectTest, TheSimplerKindIsTakenUnlessItIsClearlyWorse) {
  const auto selection = [&](double noise) {
    std::vector<detail::Rehearsed> all = {rehearsed(noise)};
    return detail::select_blend(stage, Aim::mae, all, losses(all), {true, 0}, 1);
  };
  const auto clear = selection(0.1);
  const auto poor = selection(10);
  const auto worse = [&] {
    auto copy = clear;
    for (std::size_t i = 0; i < copy.judgement.row_losses.size(); ++i) {
      copy.judgement.row_losses[i] += i % 2 == 0 ? 0.011 : -0.01;  // a little worse, by chance
    }
    copy.judgement.loss += 0.0005;
    return copy;
  }();
  const std::vector<detail::Selection> poor_first = {detail::Selection{}, poor, clear};
  EXPECT_EQ(detail::choose_kind(poor_first, true), 2U);
  const std::vector<detail::Selection> worse_first = {worse, clear};
  EXPECT_EQ(detail::choose_kind(worse_first, true), 0U);
  EXPECT_EQ(detail::choose_kind(worse_first, false), 1U);
}

TEST_F(SelectTest, LossesAreTheScoringRulesOfTheMetric) {
  const auto r = rehearsed(0.5);
  const std::vector<double> unseen = stage.unseen_scores(r.scores);
  const auto by_mae = detail::judge(stage, Aim::mae, unseen);
  const auto by_accuracy = detail::judge(stage, Aim::accuracy, unseen);
  // With two classes p = P(y = 1): the ranked probability score is (1 - p_true)^2, the log loss -log p_true.
  for (std::size_t i = 0; i < unseen.size(); ++i) {
    EXPECT_NEAR(by_mae.row_losses[i], std::pow(1 - std::exp(-by_accuracy.row_losses[i]), 2), 1e-12);
  }
  EXPECT_EQ(by_mae.accuracy, 1 - by_mae.mae);
}

TEST_F(SelectTest, TheFirstReadingStaysUnlessAnotherIsClearlyBetter) {
  const auto r = rehearsed(0.3);
  const std::vector<detail::Reading> readings = {{AssignmentRule::threshold, ReferenceScores::out_of_sample},
                                                 {AssignmentRule::threshold, ReferenceScores::training}};
  // All folds have the same scores: both references are the same.
  EXPECT_EQ(detail::choose_reading(stage, Aim::mae, r.scores, readings).reference_scores,
            ReferenceScores::out_of_sample);
  // Training scores of another sign than the unseen ones mislead.
  auto turned = r;
  for (int fold = 0; fold < 4; ++fold) {
    for (std::size_t i = 0; i < data.row_count(); ++i) {
      if (stage.folds[i] != fold) turned.scores[static_cast<std::size_t>(fold)][i] *= -1;
    }
  }
  const std::vector<detail::Reading> misled = {readings[1], readings[0]};
  EXPECT_EQ(detail::choose_reading(stage, Aim::mae, turned.scores, misled).reference_scores,
            ReferenceScores::out_of_sample);
}

}  // namespace
}  // namespace xofm
