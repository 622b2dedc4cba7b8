#include "core/assign/conformity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/random.hpp"
#include "xofm/assign.hpp"
#include "xofm/error.hpp"
#include "xofm/generate.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

TEST(Conformity, SetsGrowFromTheMedianByTheLikelierNeighbour) {
  // Median: 0.1 + 0.2 < 1/2 <= 0.1 + 0.2 + 0.4. Then 0.3 before 0.2, then 0.2, then 0.1.
  const std::vector<double> before = conformity(std::vector<double>{0.1, 0.2, 0.4, 0.3});
  ASSERT_EQ(before.size(), 4U);
  EXPECT_EQ(before[2], 0);
  EXPECT_NEAR(before[3], 0.4, 1e-15);
  EXPECT_NEAR(before[1], 0.7, 1e-15);
  EXPECT_NEAR(before[0], 0.9, 1e-15);
}

TEST(Conformity, SetsAreContiguousAndNestedForAnyProbabilities) {
  detail::Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> probabilities(2 + random.below(6));
    double sum = 0;
    for (double& p : probabilities) sum += p = random.uniform() * (random.below(3) == 0 ? 0 : 1);
    if (sum == 0) continue;
    for (double& p : probabilities) p /= sum;
    const std::vector<double> before = conformity(probabilities);
    std::vector<double> levels = before;
    std::sort(levels.begin(), levels.end());
    for (const double level : levels) {
      int runs = 0;
      for (std::size_t h = 0; h < before.size(); ++h) {
        runs += before[h] <= level && (h == 0 || before[h - 1] > level) ? 1 : 0;
      }
      EXPECT_EQ(runs, 1);
    }
  }
}

class CoverageOfNewRows : public ::testing::TestWithParam<double> {};

// One truth, many rows: 500 to learn from, 3000 new ones. The calibration rows leave an error of
// sqrt(c (1 - c) / 500), the new ones of sqrt(c (1 - c) / 3000); three standard deviations of both together.
TEST_P(CoverageOfNewRows, IsAsPromisedWithinBinomialError) {
  const double coverage = GetParam();
  const Dataset all = generate({.row_count = 3500, .attribute_count = 4, .class_count = 5, .noise = 0.6, .seed = 8});
  std::vector<std::size_t> first(500);
  std::vector<std::size_t> rest(3000);
  for (std::size_t i = 0; i < 500; ++i) first[i] = i;
  for (std::size_t i = 0; i < 3000; ++i) rest[i] = 500 + i;
  TrainOptions options;
  options.bag_count = 5;
  options.recipe().max_epochs = 40;
  const Model model = train(subset(all, first), options).model;
  const Dataset fresh = subset(all, rest);
  const Predictions predictions = model.predict(fresh);
  double covered = 0;
  double width = 0;
  for (std::size_t i = 0; i < fresh.row_count(); ++i) {
    const ClassInterval interval =
        covering_interval(model.assignment, {&predictions.probabilities[i * 5], 5}, coverage);
    ASSERT_LE(interval.lowest, interval.highest);
    covered += interval.lowest <= fresh.labels[i] && fresh.labels[i] <= interval.highest ? 1 : 0;
    width += interval.highest - interval.lowest + 1;
  }
  const double share = covered / 3000;
  const double deviation = std::sqrt(coverage * (1 - coverage) * (1.0 / 500 + 1.0 / 3000));
  EXPECT_GE(share, coverage - 3 * deviation);
  // Not by giving all classes: the classes are steps, so that a set may cover more than asked, but not always all.
  EXPECT_LT(width / 3000, 4);
  EXPECT_LE(share, std::min(1.0, coverage + 3 * deviation + 0.1));
}

INSTANTIATE_TEST_SUITE_P(Levels, CoverageOfNewRows, ::testing::Values(0.6, 0.8, 0.9, 0.95));

TEST(Conformity, MoreCoverageNeverTakesAClassAway) {
  const Dataset data = generate({.row_count = 200, .attribute_count = 3, .class_count = 4, .seed = 2});
  TrainOptions options;
  options.bag_count = 5;
  options.recipe().max_epochs = 20;
  const Model model = train(data, options).model;
  const Predictions predictions = model.predict(data);
  for (std::size_t i = 0; i < 50; ++i) {
    const std::span<const double> probabilities(&predictions.probabilities[i * 4], 4);
    ClassInterval last = covering_interval(model.assignment, probabilities, 0.05);
    for (const double coverage : {0.3, 0.6, 0.9, 0.99, 0.9999}) {
      const ClassInterval next = covering_interval(model.assignment, probabilities, coverage);
      EXPECT_LE(next.lowest, last.lowest);
      EXPECT_GE(next.highest, last.highest);
      last = next;
    }
    // More than 200 rows can promise: all classes.
    EXPECT_EQ(last.lowest, 0);
    EXPECT_EQ(last.highest, 3);
  }
}

std::vector<double> values_of(const Assignment& assignment, const std::vector<double>& scores,
                              const std::vector<int>& labels) {
  std::vector<std::size_t> rows(scores.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::vector<double> values(scores.size());
  detail::add_conformity(assignment.calibration, scores, labels, rows, values);
  return values;
}

TEST(Conformity, ARowIsJudgedByACalibrationThatItHadNoPartIn) {
  // Classes of a few rows that overlap by chance: in the mean a row surprises a calibration more that it had no part
  // in.
  detail::Random random(5);
  double by_others = 0;
  double by_itself = 0;
  for (int draw = 0; draw < 40; ++draw) {
    std::vector<double> scores;
    std::vector<int> labels;
    for (int i = 0; i < 30; ++i) {
      labels.push_back(i % 6);
      scores.push_back(0.5 * labels.back() + random.normal());
    }
    const Assignment assignment = fit_assignment(scores, scores, labels, {}, 6, 1.0, {});
    const std::vector<double> own = detail::conformity_quantiles(values_of(assignment, scores, labels), {});
    ASSERT_EQ(assignment.conformity.size(), own.size());
    by_others += std::accumulate(assignment.conformity.begin(), assignment.conformity.end(), 0.0);
    by_itself += std::accumulate(own.begin(), own.end(), 0.0);
  }
  EXPECT_GT(by_others, 1.05 * by_itself);
}

TEST(Conformity, ThinnedQuantilesPromiseNoLessThanAllValues) {
  const Dataset data = generate({.row_count = 4000, .attribute_count = 3, .class_count = 4, .seed = 6});
  TrainOptions options;
  options.bag_count = 2;
  options.recipe().max_epochs = 15;
  const Model model = train(data, options).model;
  EXPECT_EQ(model.assignment.conformity.size(), 1000U);
  // The twin: every row's value, from the model's own scores, which here stand for unseen ones.
  const std::vector<double> scores = model.score(data);
  const auto quantiles = detail::conformity_quantiles(values_of(model.assignment, scores, data.labels), {});
  std::vector<double> all;
  const Assigner assigner(model.assignment);
  std::vector<double> probabilities(4);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    assigner.probabilities(scores[i], probabilities);
    all.push_back(conformity(probabilities)[static_cast<std::size_t>(data.labels[i])]);
  }
  std::sort(all.begin(), all.end());
  for (std::size_t q = 0; q < quantiles.size(); ++q) EXPECT_EQ(quantiles[q], all[4 * q + 3]);
}

TEST(Conformity, WeightsCountAsRowsDo) {
  const std::vector<double> scores = {0.1, 0.4, 0.9, 1.4, 2.0, 2.2};
  const std::vector<int> labels = {0, 1, 0, 1, 2, 2};
  const Assignment assignment = fit_assignment(scores, scores, labels, {}, 3, 1.0, {});
  const std::vector<double> doubled_weights = {2, 1, 1, 1, 1, 1};
  const auto weighted = detail::conformity_quantiles(values_of(assignment, scores, labels), doubled_weights);
  std::vector<double> repeated_scores = scores;
  repeated_scores.push_back(0.1);
  std::vector<int> repeated_labels = labels;
  repeated_labels.push_back(0);
  const auto repeated = detail::conformity_quantiles(values_of(assignment, repeated_scores, repeated_labels), {});
  EXPECT_EQ(weighted.size(), 6U);
  EXPECT_EQ(weighted.back(), repeated.back());
  EXPECT_EQ(weighted.front(), repeated.front());
}

TEST(Conformity, IsRefusedWithoutUnseenScoresAndForImpossibleShares) {
  const std::vector<double> scores = {0, 1, 2, 3};
  const std::vector<int> labels = {0, 0, 1, 1};
  const std::vector<double> probabilities = {0.5, 0.5};
  const Assignment blind = fit_assignment(scores, {}, labels, {}, 2, 1.0, {});
  EXPECT_TRUE(blind.conformity.empty());
  EXPECT_THROW(covering_interval(blind, probabilities, 0.9), Error);
  const Assignment honest = fit_assignment(scores, scores, labels, {}, 2, 1.0, {});
  for (const double coverage : {0.0, 1.0, -1.0, std::nan("")}) {
    EXPECT_THROW(covering_interval(honest, probabilities, coverage), Error);
  }
}

}  // namespace
}  // namespace xofm
