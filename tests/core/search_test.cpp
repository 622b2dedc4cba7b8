#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "core/tune/candidates.hpp"
#include "core/tune/plan.hpp"
#include "support/search_cases.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/threads.hpp"

namespace xofm {
namespace {

using test_support::quick_large_search;
using test_support::quick_search;
using test_support::searched_rows;

bool same(const TriedRecipe& a, const TriedRecipe& b) {
  return a.recipe == b.recipe && a.loss == b.loss && a.accuracy == b.accuracy && a.mae == b.mae;
}

// Recipes that the average has.
std::size_t part_count(const SearchRecord& record) {
  return static_cast<std::size_t>(std::count_if(record.tried.begin(), record.tried.end(),
                                                [](const TriedRecipe& tried) { return tried.recipe.weight > 0; }));
}

std::size_t row_count(const Confusion& confusion) {
  std::size_t count = 0;
  for (const auto& row : confusion) count += std::accumulate(row.begin(), row.end(), std::size_t{0});
  return count;
}

TEST(Search, TheSameSeedGivesTheSameChoiceForAnyNumberOfThreads) {
  const Dataset data = searched_rows();
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return search(data, {}, quick_search());
  };
  const SearchResult one = run(1);
  const SearchResult four = run(4);
  ASSERT_EQ(one.record.tried.size(), four.record.tried.size());
  for (std::size_t c = 0; c < one.record.tried.size(); ++c) {
    EXPECT_TRUE(same(one.record.tried[c], four.record.tried[c])) << c;
  }
  EXPECT_EQ(one.options.parts, four.options.parts);
  EXPECT_EQ(one.record.loss, four.record.loss);
  EXPECT_EQ(one.record.passes, four.record.passes);
  EXPECT_EQ(one.validation.confusion, four.validation.confusion);
}

TEST(Search, AnotherSeedGivesOtherFolds) {
  const Dataset data = searched_rows();
  const SearchResult one = search(data, {.optimizer = {.seed = 1}}, quick_search());
  const SearchResult two = search(data, {.optimizer = {.seed = 2}}, quick_search());
  EXPECT_EQ(one.record.seed, 1U);
  EXPECT_EQ(two.record.seed, 2U);
  EXPECT_NE(one.record.loss, two.record.loss);
}

TEST(Search, TheOptionsFoundAreReadyForTraining) {
  const Dataset data = searched_rows();
  const SearchResult result = search(data, {}, quick_search());
  // What the record says is what is trained.
  for (const Recipe& part : result.options.parts) {
    EXPECT_GT(part.weight, 0);
    EXPECT_TRUE(std::any_of(result.record.tried.begin(), result.record.tried.end(),
                            [&](const TriedRecipe& tried) { return tried.recipe == part; }));
  }
  EXPECT_EQ(result.options.parts.size(), part_count(result.record));
  EXPECT_GT(result.options.parts.size(), 1U);
  EXPECT_EQ(result.options.bag_count, 5);
  EXPECT_FALSE(result.interrupted);
  const Model model = train(data, result.options).model;
  EXPECT_FALSE(model.assignment.conformity.empty());
  // The explanation of the average adds up to its score.
  const Dataset one = subset(data, std::vector<std::size_t>{7});
  const auto explanation = explain(model, one, 0);
  double sum = explanation.base;
  double size = std::abs(sum);
  const auto add = [&](double part) {
    sum += part;
    size += std::abs(part);
  };
  for (const double part : explanation.attributes) add(part);
  for (const auto& pair : explanation.pairs) add(pair.value);
  EXPECT_NEAR(sum, model.score(one)[0], 1e-12 * size);
}

TEST(Search, WhatTheUserFixesIsNotSearched) {
  SearchOptions options = quick_search();
  options.space.factor_counts = {3};
  const TrainOptions base{.margin = 0.5, .smoothness_penalty = 0.001};
  const SearchResult result = search(searched_rows(), base, options);
  for (const TriedRecipe& tried : result.record.tried) EXPECT_EQ(tried.recipe.factor_count, 3);
  for (const Recipe& part : result.options.parts) EXPECT_EQ(part.factor_count, 3);
  EXPECT_EQ(result.options.margin, 0.5);
  EXPECT_EQ(result.options.smoothness_penalty, 0.001);
}

TEST(Search, TheTableIsSortedAndHasTheStart) {
  const SearchResult result = search(searched_rows(), {}, quick_search());
  const auto& tried = result.record.tried;
  ASSERT_GE(tried.size(), 2U);
  EXPECT_TRUE(std::is_sorted(tried.begin(), tried.end(), [](const auto& a, const auto& b) { return a.loss < b.loss; }));
  const Recipe start = detail::starting_recipe(quick_search().space);
  EXPECT_TRUE(std::any_of(tried.begin(), tried.end(), [&](const TriedRecipe& t) {
    Recipe recipe = t.recipe;
    recipe.weight = start.weight;
    return recipe == start;
  }));
  EXPECT_LE(result.record.loss, tried.front().loss);  // several are no worse than the best of them
  EXPECT_GE(result.record.recipe_count, 2U);
  EXPECT_LE(result.record.recipe_count, tried.size());  // a recipe is there once per number of epochs
  EXPECT_GT(result.record.passes, 0);
  EXPECT_LE(result.record.passes, result.record.pass_budget);
}

TEST(Search, NoMoreRecipesThanAllowedMakeTheModel) {
  SearchOptions options = quick_search();
  options.most_parts = 1;
  const SearchResult result = search(searched_rows(), {}, options);
  ASSERT_EQ(result.options.parts.size(), 1U);
  EXPECT_EQ(part_count(result.record), 1U);
  EXPECT_EQ(train(searched_rows(), result.options).model.assignment.reference_source, ReferenceScores::out_of_sample);
}

TEST(Search, ValidationIsOfEveryRowOnce) {
  const Dataset data = searched_rows();
  SearchOptions options = quick_search();
  for (const int fold_count : {5, 3}) {
    options.fold_count = fold_count;
    const SearchResult result = search(data, {}, options);
    EXPECT_EQ(result.validation.trial_count, static_cast<std::size_t>(fold_count));
    EXPECT_EQ(result.record.fold_count, fold_count);
    EXPECT_EQ(row_count(result.validation.confusion), data.row_count());
  }
}

TEST(Search, TheAimIsWhatIsMinimised) {
  const Dataset data = searched_rows();
  SearchOptions options = quick_search();
  const SearchResult by_mae = search(data, {}, options);
  options.aim = Aim::accuracy;
  const SearchResult by_accuracy = search(data, {}, options);
  EXPECT_EQ(by_mae.record.aim, Aim::mae);
  EXPECT_EQ(by_accuracy.record.aim, Aim::accuracy);
  EXPECT_EQ(by_accuracy.options.assignment.aim, Aim::accuracy);
  EXPECT_NE(by_accuracy.record.loss, by_mae.record.loss);  // log loss against ranked probability score
}

TEST(Search, InterruptedAtOnceItFallsBackOnTheStart) {
  const Dataset data = searched_rows();
  const SearchResult result = search(data, {}, quick_search(), [](const Progress&) { return false; });
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.record.out_of_time);
  EXPECT_EQ(result.validation.trial_count, 0U);
  EXPECT_EQ(result.options.recipe().factor_count, 2);
  EXPECT_EQ(train(data, result.options).model.summary.row_count, data.row_count());
}

TEST(Search, InterruptedLaterItTakesTheBestSoFar) {
  const Dataset data = searched_rows();
  double last = 0;
  const SearchResult result = search(data, {}, quick_search(), [&](const Progress& progress) {
    EXPECT_GE(progress.share, last);
    EXPECT_STREQ(progress.phase, "search");
    last = progress.share;
    return progress.share < 0.6;
  });
  EXPECT_TRUE(result.interrupted);
  EXPECT_GE(result.record.tried.size(), 2U);
  EXPECT_EQ(row_count(result.validation.confusion), data.row_count());
}

TEST(Search, ATimeLimitThatStruckIsRecorded) {
  SearchOptions options = quick_search();
  options.time_limit = 1e-9;
  const SearchResult result = search(searched_rows(), {}, options);
  EXPECT_TRUE(result.record.out_of_time);
  EXPECT_EQ(result.record.time_limit, 1e-9);
  EXPECT_FALSE(result.interrupted);
  options.time_limit = 0;
  EXPECT_FALSE(search(searched_rows(), {}, options).record.out_of_time);
}

TEST(Search, ASmallBudgetIsKeptAndRestartsCount) {
  const Dataset data = searched_rows();
  SearchOptions options = quick_search();
  options.space = SearchSpace{};
  options.space.methods = {Optimizer::lbfgs};
  options.fold_count = 5;
  for (const int restart_count : {1, 3}) {
    TrainOptions base;
    base.optimizer.restart_count = restart_count;
    options.pass_budget = 300.0 * restart_count;  // two recipes for 30 epochs without each of five folds
    const SearchResult result = search(data, base, options);
    EXPECT_EQ(result.record.recipe_count, 2U);
    EXPECT_LE(result.record.passes, options.pass_budget);
    EXPECT_GT(result.record.passes, options.pass_budget / 2);
    for (const TriedRecipe& tried : result.record.tried) EXPECT_EQ(tried.recipe.max_epochs, 30);
  }
}

TEST(Search, RowsOfWeightZeroHaveNoPart) {
  Dataset data = searched_rows();
  data.weights.assign(data.row_count(), 1.0);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    if (i % 3 == 0) {
      data.weights[i] = 0;
      data.columns[0][i] = 1e6;  // would move the knots
    } else {
      kept.push_back(i);
    }
  }
  const SearchResult all = search(data, {}, quick_search());
  const SearchResult some = search(subset(data, kept), {}, quick_search());
  EXPECT_TRUE(same(all.record.tried[0], some.record.tried[0]));
  EXPECT_EQ(all.record.loss, some.record.loss);
}

TEST(Search, ClassWeightsAreKeptForTheTraining) {
  const TrainOptions base{.class_weights = {{"1", 2.0}}};
  const SearchResult weighted = search(searched_rows(), base, quick_search());
  EXPECT_EQ(weighted.options.class_weights, base.class_weights);
  EXPECT_NE(weighted.record.loss, search(searched_rows(), {}, quick_search()).record.loss);
}

TEST(Search, SenselessOptionsAreRefused) {
  const Dataset data = searched_rows(30);
  const auto refused = [&](const std::function<void(SearchOptions&)>& change) {
    SearchOptions options = quick_search();
    change(options);
    EXPECT_THROW(search(data, {}, options), Error);
  };
  refused([](SearchOptions& o) { o.space.segment_counts.clear(); });
  refused([](SearchOptions& o) { o.space.segment_counts = {0}; });
  refused([](SearchOptions& o) { o.space.max_epochs = {20, 10}; });
  refused([](SearchOptions& o) { o.most_parts = 0; });
  refused([](SearchOptions& o) { o.pass_budget = -1; });
  refused([](SearchOptions& o) { o.time_limit = std::nan(""); });
  refused([](SearchOptions& o) { o.fold_count = 1; });
  refused([](SearchOptions& o) { o.fold_count = 31; });
}

TEST(SearchOfLargeData, RowsHeldOutJudgeTheChoice) {
  const Dataset data = searched_rows(11000);
  ASSERT_GT(detail::pass_cost(data), 1.5e5);
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return search(data, {}, quick_large_search());
  };
  const SearchResult result = run(1);
  EXPECT_EQ(result.validation.trial_count, 1U);
  EXPECT_EQ(row_count(result.validation.confusion), data.row_count() / 5);
  EXPECT_EQ(result.options.bag_count, 1);
  EXPECT_GT(result.record.tried.size(), 2U);
  const SearchResult other = run(4);
  EXPECT_EQ(other.record.loss, result.record.loss);
  EXPECT_EQ(other.validation.confusion, result.validation.confusion);
}

TEST(SearchOfLargeData, OfVeryManyRowsASampleIsLookedAt) {
  const Dataset data = generate({.row_count = 90000, .attribute_count = 2, .class_count = 2, .seed = 3});
  ASSERT_GT(detail::pass_cost(data), 1e6);
  const TrainOptions base;
  const SearchResult result = search(data, base, quick_large_search());
  EXPECT_GT(result.record.tried.size(), 2U);
  // Rows that the sample does not have cannot move the choice.
  Dataset other = data;
  const auto looked_at = split_rows(data, {.test_share = 1e6 / detail::pass_cost(data), .seed = base.optimizer.seed});
  ASSERT_FALSE(looked_at.learning.empty());
  std::array<std::vector<std::size_t>, 2> by_class;
  for (const std::size_t row : looked_at.learning) by_class[static_cast<std::size_t>(data.labels[row])].push_back(row);
  ASSERT_FALSE(by_class[0].empty() || by_class[1].empty());
  for (auto& column : other.columns) std::swap(column[by_class[0][0]], column[by_class[1][0]]);
  EXPECT_EQ(search(other, base, quick_large_search()).record.loss, result.record.loss);
}

}  // namespace
}  // namespace xofm
