#include "xofm/tune.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/tune/candidates.hpp"
#include "core/tune/rehearsal.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/generate.hpp"
#include "xofm/threads.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

// A search of a second: few values, few epochs, small bags.
TuneOptions quick() {
  TuneOptions options;
  options.pass_budget = 2000;
  options.bag_count = 5;
  options.space.knots = {KnotPlacement::quantile};
  options.space.segment_counts = {4, 2};
  options.space.factor_counts = {2, 0};
  options.space.pair_weightings = {PairWeighting::uniform};
  options.space.init_stddevs = {0.1};
  options.space.max_epochs = {8, 16};
  return options;
}

Dataset some_rows(std::size_t row_count = 120) {
  return generate({.row_count = row_count, .attribute_count = 4, .class_count = 3, .seed = 3});
}

bool same(const TriedRecipe& a, const TriedRecipe& b) {
  return a.recipe == b.recipe && a.count == b.count && a.loss == b.loss && a.accuracy == b.accuracy && a.mae == b.mae;
}

int pick_count(const TuningRecord& record) {
  int count = 0;
  for (const TriedRecipe& tried : record.tried) count += tried.count;
  return count;
}

TEST(Tune, TheSameSeedGivesTheSameChoiceForAnyNumberOfThreads) {
  const Dataset data = some_rows();
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return tune(data, {}, quick());
  };
  const TuneResult one = run(1);
  const TuneResult four = run(4);
  ASSERT_EQ(one.record.tried.size(), four.record.tried.size());
  for (std::size_t c = 0; c < one.record.tried.size(); ++c) {
    EXPECT_TRUE(same(one.record.tried[c], four.record.tried[c])) << c;
  }
  EXPECT_EQ(one.record.loss, four.record.loss);
  EXPECT_EQ(one.record.passes, four.record.passes);
  EXPECT_EQ(one.validation.confusion, four.validation.confusion);
}

TEST(Tune, TheOptionsFoundAreReadyForTraining) {
  const Dataset data = some_rows();
  const TuneResult result = tune(data, {}, quick());
  // What the record says is what is trained.
  int count = 0;
  for (const BlendPart& part : result.options.blend) {
    const auto tried = std::find_if(result.record.tried.begin(), result.record.tried.end(),
                                    [&](const TriedRecipe& t) { return t.recipe == part.recipe; });
    ASSERT_NE(tried, result.record.tried.end());
    EXPECT_EQ(tried->count, part.count);
    count += part.count;
  }
  EXPECT_EQ(count, pick_count(result.record));
  EXPECT_GT(result.options.blend.size(), 1U);
  EXPECT_EQ(result.options.bag_count, 5);
  const Model model = train(data, result.options).model;
  EXPECT_FALSE(model.assignment.conformity.empty());
  // The bagged model's explanation adds up to its score.
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

TEST(Rehearsal, ARowsLabelHasNoPartInTheScoreThatItIsJudgedBy) {
  Dataset data = some_rows(60);
  const TrainOptions base;
  const auto scores = [&](const Dataset& rows, const detail::Stage& folds) {
    const detail::Stage stage{rows, base, folds.fold_count, folds.folds};
    const TuneOptions options = quick();
    detail::Watch watch(options, {});
    const Recipe recipe{.segment_count = 4, .factor_count = 2, .max_epochs = 8};
    return stage.unseen_scores(detail::rehearse(
                                   stage, {recipe}, {8}, [](const auto&) { return 0.0; }, watch)
                                   .front()
                                   .scores);
  };
  const detail::Stage folds = detail::make_stage(data, base, 3, 1);
  const std::vector<double> before = scores(data, folds);
  Dataset other = data;
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    if (folds.folds[i] == 0) other.labels[i] = (other.labels[i] + 1) % 3;
  }
  const std::vector<double> after = scores(other, folds);
  bool others_differ = false;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (folds.folds[i] == 0) {
      EXPECT_EQ(before[i], after[i]) << i;
    }
    others_differ = others_differ || before[i] != after[i];
  }
  EXPECT_TRUE(others_differ);
}

TEST(Rehearsal, TheBetterHalfGoesOnFromStationToStation) {
  const Dataset data = some_rows();
  const TrainOptions base;
  const detail::Stage stage = detail::make_stage(data, base, 3, 1);
  const TuneOptions options = quick();
  detail::Watch watch(options, {});
  std::vector<Recipe> recipes;
  for (const int segment_count : {1, 2, 3, 4}) recipes.push_back({.segment_count = segment_count, .factor_count = 0});
  // The more segments, the worse.
  const auto loss = [](const detail::Rehearsed& r) { return static_cast<double>(r.recipe.segment_count); };
  const auto seen = detail::rehearse(stage, recipes, {4, 8, 12}, loss, watch);
  std::vector<std::pair<int, int>> order;
  for (const auto& r : seen) order.emplace_back(r.recipe.max_epochs, r.recipe.segment_count);
  EXPECT_EQ(order, (std::vector<std::pair<int, int>>{{4, 1}, {4, 2}, {4, 3}, {4, 4}, {8, 1}, {8, 2}, {12, 1}}));
  EXPECT_LE(watch.passes(), detail::rehearsal_passes(4, {4, 8, 12}, 3) * 1.5);
  EXPECT_NE(seen[0].scores, seen[4].scores);
}

TEST(Tune, WhatTheUserFixesIsNotSearched) {
  TuneOptions options = quick();
  options.space.factor_counts = {3};
  const TuneResult result = tune(some_rows(), {}, options);
  for (const TriedRecipe& tried : result.record.tried) EXPECT_EQ(tried.recipe.factor_count, 3);
  EXPECT_EQ(result.options.factor_count, 3);
}

TEST(Tune, TheTableIsSortedAndHasTheStart) {
  const TuneResult result = tune(some_rows(), {}, quick());
  const auto& tried = result.record.tried;
  ASSERT_GE(tried.size(), 2U);
  EXPECT_TRUE(std::is_sorted(tried.begin(), tried.end(), [](const auto& a, const auto& b) { return a.loss < b.loss; }));
  const Recipe start = detail::starting_recipe(quick().space);
  EXPECT_TRUE(std::any_of(tried.begin(), tried.end(), [&](const auto& t) { return t.recipe == start; }));
  EXPECT_GE(result.record.loss, result.record.best_loss);
}

TEST(Tune, WithoutBagsOneRecipeIsTheModel) {
  TuneOptions options = quick();
  options.bag_count = 1;
  const TuneResult result = tune(some_rows(), {}, options);
  EXPECT_TRUE(result.options.blend.empty());
  EXPECT_EQ(result.options.bag_count, 1);
  EXPECT_EQ(train(some_rows(), result.options).model.assignment.reference_source, ReferenceScores::out_of_sample);
  EXPECT_EQ(pick_count(result.record), 1);
}

TEST(Tune, CurvesAloneAreChosenWhereThereAreNoInteractions) {
  // Straight lines that add up: pairs can only follow the noise. One standard error is no more than that, so of eight
  // draws of the rows some may still get pairs.
  int curves_alone = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const Dataset data = generate({.row_count = 300,
                                   .attribute_count = 3,
                                   .class_count = 3,
                                   .curves = {Curve::linear, Curve::linear, Curve::falling},
                                   .products = std::vector<Product>{},
                                   .noise = 0.3,
                                   .seed = seed});
    TuneOptions options = quick();
    options.space.segment_counts = {4};
    options.space.auto_directions = {0};
    options.space.increment_penalties = {1e-4};
    options.space.factor_penalties = {1e-4};
    options.space.max_epochs = {40};
    options.pass_budget = 50000;
    options.validate = false;
    const TuneResult result = tune(data, {}, options);
    const auto& blend = result.options.blend;
    const auto has_pairs = [](const BlendPart& part) { return part.recipe.factor_count > 0; };
    const bool is_simple = result.options.factor_count == 0 && std::none_of(blend.begin(), blend.end(), has_pairs);
    curves_alone += is_simple ? 1 : 0;
  }
  EXPECT_GE(curves_alone, 6);
}

TEST(Tune, ValidationIsOfEveryRowOnce) {
  const Dataset data = some_rows();
  const TuneResult result = tune(data, {}, quick());
  EXPECT_EQ(result.validation.trial_count, 5U);
  std::size_t count = 0;
  for (const auto& row : result.validation.confusion) count += std::accumulate(row.begin(), row.end(), std::size_t{0});
  EXPECT_EQ(count, data.row_count());
  TuneOptions without = quick();
  without.validate = false;
  const TuneResult same_choice = tune(data, {}, without);
  EXPECT_EQ(same_choice.record.loss, result.record.loss);
  EXPECT_EQ(same_choice.validation.trial_count, 0U);
}

TEST(Tune, InterruptedAtOnceItFallsBackOnTheStart) {
  const Dataset data = some_rows();
  const TuneResult result = tune(data, {}, quick(), [](const TuneProgress&) { return false; });
  EXPECT_TRUE(result.record.interrupted);
  EXPECT_FALSE(result.record.out_of_time);
  EXPECT_EQ(result.validation.trial_count, 0U);
  EXPECT_EQ(result.options.factor_count, 2);
  EXPECT_EQ(train(data, result.options).model.summary.row_count, data.row_count());
}

TEST(Tune, ATimeLimitThatStruckIsRecorded) {
  TuneOptions options = quick();
  options.time_limit = 1e-9;
  const TuneResult result = tune(some_rows(), {}, options);
  EXPECT_TRUE(result.record.out_of_time);
  EXPECT_FALSE(result.record.interrupted);
  options.time_limit = 0;
  EXPECT_FALSE(tune(some_rows(), {}, options).record.out_of_time);
}

TEST(Tune, RowsOfWeightZeroHaveNoPart) {
  Dataset data = some_rows();
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
  const TuneResult all = tune(data, {}, quick());
  const TuneResult some = tune(subset(data, kept), {}, quick());
  EXPECT_TRUE(same(all.record.tried[0], some.record.tried[0]));
  EXPECT_EQ(all.record.loss, some.record.loss);
}

TEST(Tune, SenselessOptionsAreRefused) {
  const Dataset data = some_rows(30);
  const auto refused = [&](const std::function<void(TuneOptions&)>& change) {
    TuneOptions options = quick();
    change(options);
    EXPECT_THROW(tune(data, {}, options), Error);
  };
  refused([](TuneOptions& o) { o.space.segment_counts.clear(); });
  refused([](TuneOptions& o) { o.space.max_epochs = {20, 10}; });
  refused([](TuneOptions& o) { o.space.reference_scores = {ReferenceScores::automatic}; });
  refused([](TuneOptions& o) { o.bag_count = 0; });
  refused([](TuneOptions& o) { o.pass_budget = -1; });
  refused([](TuneOptions& o) { o.time_limit = std::nan(""); });
  refused([](TuneOptions& o) { o.fold_count = 1; });
  refused([](TuneOptions& o) { o.fold_count = 31; });
}

}  // namespace
}  // namespace xofm
