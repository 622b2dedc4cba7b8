#include "xofm/path.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/train_cases.hpp"
#include "xofm/error.hpp"
#include "xofm/generate.hpp"
#include "xofm/threads.hpp"
#include "xofm/train.hpp"
#include "xofm/validate.hpp"

namespace xofm {
namespace {

using test_support::convex;
using test_support::quick;

Dataset small_data() {
  return generate({.row_count = 150, .attribute_count = 3, .class_count = 3, .noise = 0.3, .seed = 4});
}

double squares(const std::vector<double>& values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

TEST(Path, AWarmStartReachesTheObjectiveOfAColdOne) {
  const Dataset data = small_data();
  const PenaltyPath path = *fit_path(data, convex(), {.increment_penalties = {0.1, 0.001, 0.01}, .fold_count = 0});
  ASSERT_EQ(path.points.size(), 3U);
  for (const PathPoint& point : path.points) {
    const Fit cold = train(data, convex(point.increment_penalty));
    EXPECT_NEAR(point.objective, test_support::objective_of(cold), test_support::converged_tolerance);
    EXPECT_NEAR(point.loss, cold.model.summary.loss, test_support::converged_tolerance);
  }
}

TEST(Path, TheGridIsAscendingAndWithoutRepeats) {
  const PenaltyPath path =
      *fit_path(small_data(), quick(1),
                {.increment_penalties = {0.1, 0, 0.1}, .factor_penalties = {0.01, 0.001, 0.1, 0.01}, .fold_count = 0});
  EXPECT_EQ(path.increment_penalties, std::vector({0.0, 0.1}));
  EXPECT_EQ(path.factor_penalties, std::vector({0.001, 0.01, 0.1}));
  ASSERT_EQ(path.points.size(), 6U);
  for (std::size_t p = 0; p < 6; ++p) {
    EXPECT_EQ(path.points[p].increment_penalty, path.increment_penalties[p / 3]);
    EXPECT_EQ(path.points[p].factor_penalty, path.factor_penalties[p % 3]);
    EXPECT_TRUE(std::isnan(path.points[p].mae.mean));  // not validated
  }
}

TEST(Path, TheFirstPointIsWhatTrainingGives) {
  const Dataset data = small_data();
  TrainOptions options = quick();
  options.recipe().increment_penalty = 0.002;
  options.recipe().factor_penalty = 0.003;
  const PenaltyPath path =
      *fit_path(data, options, {.increment_penalties = {}, .factor_penalties = {0.003, 0.1}, .fold_count = 0});
  const Model model = train(data, options).model;
  EXPECT_EQ(path.points[0].parameters.increments, model.parameters.increments);
  EXPECT_EQ(path.points[0].parameters.factors, model.parameters.factors);
  EXPECT_EQ(path.points[0].objective, model.summary.objective);
}

TEST(Path, LargerPenaltiesMakeFlatterCurvesAndWeakerInteractions) {
  const PenaltyPath path =
      *fit_path(small_data(), quick(),
                {.increment_penalties = {0.001, 0.1, 1}, .factor_penalties = {0.001, 0.01, 0.1, 10}, .fold_count = 0});
  const auto at = [&](std::size_t i, std::size_t f) -> const PathPoint& { return path.points[i * 4 + f]; };
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t f = 0; f + 1 < 4; ++f) {
      EXPECT_GE(squares(at(i, f).parameters.factors), squares(at(i, f + 1).parameters.factors));
    }
    EXPECT_LT(squares(at(i, 3).parameters.factors), 1e-3);
  }
  // With the interactions gone the problem is convex, and a larger penalty cannot give larger increments.
  for (std::size_t i = 0; i + 1 < 3; ++i) {
    EXPECT_GT(squares(at(i, 3).parameters.increments), squares(at(i + 1, 3).parameters.increments));
  }
}

TEST(Path, TheErrorOfAPointIsThatOfValidation) {
  Dataset data = generate({.row_count = 150, .attribute_count = 3, .class_count = 3, .categorical_count = 1});
  data.columns[2][5] = 3;  // as the fourth level may have one row only, some folds do not know it
  TrainOptions options = quick();
  options.assignment.reference_scores = ReferenceScores::training;
  const PenaltyPath path =
      *fit_path(data, options, {.increment_penalties = {}, .factor_penalties = {}, .fold_count = 4});
  const ValidationResult result =
      validate(data, {.train = options, .search = std::nullopt}, k_fold_trials(data, 4, 1, options.optimizer.seed));
  ASSERT_EQ(path.points.size(), 1U);
  EXPECT_EQ(path.fold_count, 4);
  EXPECT_EQ(path.points[0].accuracy.mean, result.summary[0].mean);
  EXPECT_EQ(path.points[0].accuracy.spread, result.summary[0].spread);
  EXPECT_EQ(path.points[0].mae.mean, result.summary[1].mean);
  EXPECT_EQ(path.points[0].mae.spread, result.summary[1].spread);
}

TEST(Path, TheErrorsAlongAConvexPathAreThoseOfColdValidations) {
  const Dataset data = small_data();
  const PenaltyPath path = *fit_path(data, convex(), {.increment_penalties = {0.001, 0.1, 3}, .fold_count = 3});
  for (const PathPoint& point : path.points) {
    TrainOptions options = convex(point.increment_penalty);
    options.assignment.reference_scores = ReferenceScores::training;
    const ValidationResult cold =
        validate(data, {.train = options, .search = std::nullopt}, k_fold_trials(data, 3, 1, options.optimizer.seed));
    EXPECT_NEAR(point.accuracy.mean, cold.summary[0].mean, 1.0 / 150 + 1e-12);  // one row may lie on a cut
  }
}

TEST(Path, WithoutFactorsThereIsNoFactorPenalty) {
  const PenaltyPath path = *fit_path(small_data(), convex(), {.increment_penalties = {0.01}, .fold_count = 0});
  EXPECT_EQ(path.factor_penalties, std::vector({Recipe{}.factor_penalty}));
  EXPECT_EQ(path.points.size(), 1U);
}

TEST(Path, ABaggedModelHasABaggedPath) {
  TrainOptions options = quick(2);
  options.bag_count = 3;
  const PenaltyPath path = *fit_path(
      small_data(), options, {.increment_penalties = {0.01}, .factor_penalties = {0.001, 0.1}, .fold_count = 2});
  for (const PathPoint& point : path.points) EXPECT_EQ(point.parameters.factor_count, 6);
}

TEST(Path, IsTheSameBitsForAnyNumberOfThreads) {
  const Dataset data = small_data();
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return *fit_path(data, quick(2),
                     {.increment_penalties = {0, 0.01}, .factor_penalties = {0.001, 0.01}, .fold_count = 3});
  };
  const PenaltyPath one = run(1);
  const PenaltyPath two = run(2);
  for (std::size_t p = 0; p < one.points.size(); ++p) {
    EXPECT_EQ(one.points[p].parameters.increments, two.points[p].parameters.increments);
    EXPECT_EQ(one.points[p].parameters.factors, two.points[p].parameters.factors);
    EXPECT_EQ(one.points[p].mae.mean, two.points[p].mae.mean);
  }
}

TEST(Path, OptionsHaveTheirRanges) {
  std::vector<double> different(101);
  std::iota(different.begin(), different.end(), 0.0);
  for (const PathOptions& path :
       {PathOptions{.increment_penalties = {-1}}, PathOptions{.factor_penalties = {0, std::nan("")}},
        PathOptions{.increment_penalties = {HUGE_VAL}}, PathOptions{.fold_count = 1}, PathOptions{.fold_count = -2},
        PathOptions{.fold_count = 101}, PathOptions{.increment_penalties = different, .factor_penalties = different}}) {
    EXPECT_THROW(fit_path(small_data(), quick(1), path), Error);
  }
}

TEST(Path, AnInterruptedCallGivesNone) {
  double last = 0;
  int calls = 0;
  EXPECT_FALSE(fit_path(small_data(), quick(1), {}, [&](const Progress& progress) {
    EXPECT_GE(progress.share, last);
    last = progress.share;
    return ++calls < 50;
  }));
  EXPECT_LT(last, 1.0);
}

}  // namespace
}  // namespace xofm
