#include "core/tune/plan.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/tune/candidates.hpp"
#include "core/tune/select.hpp"
#include "xofm/generate.hpp"
#include "xofm/threads.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

// Columns of nothing: a plan looks at the size alone.
Dataset rows_of(std::size_t row_count, std::size_t attribute_count) {
  Dataset data;
  data.columns.assign(attribute_count, std::vector<double>(row_count));
  data.schema.attributes.resize(attribute_count);
  data.labels.resize(row_count);
  return data;
}

TEST(SearchPlan, SmallDataAreFoldedLargeDataAreSplitAndVeryLargeDataAreSampled) {
  const auto small = detail::plan_search(rows_of(5000, 18), {});
  EXPECT_FALSE(small.holds_out);
  EXPECT_EQ(small.sample_share, 1);
  EXPECT_EQ(small.most_parts, 6U);
  const auto large = detail::plan_search(rows_of(20000, 10), {});
  EXPECT_TRUE(large.holds_out);
  EXPECT_EQ(large.sample_share, 1);
  EXPECT_EQ(large.most_parts, 6U);
  const auto very_large = detail::plan_search(rows_of(1000000, 10), {});
  EXPECT_TRUE(very_large.holds_out);
  EXPECT_EQ(very_large.sample_share, 0.05);
  EXPECT_EQ(very_large.most_parts, 1U);
}

TEST(SearchPlan, FewRowsAreFoldedLonger) {
  const auto wide = detail::plan_search(rows_of(300, 900), {});
  EXPECT_FALSE(wide.holds_out);
  EXPECT_FALSE(wide.has_many_rows);
  EXPECT_TRUE(detail::plan_search(rows_of(300, 1100), {}).holds_out);
  EXPECT_TRUE(detail::plan_search(rows_of(3000, 81), {}).holds_out) << "as many values, more rows";
}

TEST(SearchPlan, TheLargerTheDataTheFewerThePartsAndThePasses) {
  std::size_t parts = 6;
  double budget = 1e9;
  for (const std::size_t row_count : {10000, 30000, 100000, 300000, 1000000}) {
    const Dataset data = rows_of(row_count, 10);
    const auto plan = detail::plan_search(data, {});
    EXPECT_LE(plan.most_parts, parts) << row_count;
    EXPECT_LE(default_pass_budget(data), budget) << row_count;
    parts = plan.most_parts;
    budget = default_pass_budget(data);
  }
  EXPECT_EQ(parts, 1U);
  EXPECT_TRUE(suits_tuning(rows_of(1000000, 10)));
  EXPECT_FALSE(suits_tuning(rows_of(3000000, 10)));
}

TEST(SearchPlan, ASingleFitIsOneRecipe) {
  EXPECT_EQ(detail::plan_search(rows_of(100, 4), {.bag_count = 1}).most_parts, 1U);
  EXPECT_EQ(detail::plan_search(rows_of(20000, 10), {.bag_count = 1}).most_parts, 1U);
}

TEST(NarrowedSpace, LeavesOutWhatSeldomPaysAndKeepsWhatIsFixed) {
  const SearchSpace narrow = detail::narrowed({});
  EXPECT_EQ(narrow.segment_counts, (std::vector<int>{30, 8, 16, 60}));
  EXPECT_EQ(narrow.max_epochs, (std::vector<int>{60, 120, 240, 480}));
  EXPECT_EQ(narrow.factor_counts, SearchSpace{}.factor_counts);
  SearchSpace fixed;
  fixed.segment_counts = {3};
  fixed.increment_penalties = {0.5};
  fixed.pair_weightings = {PairWeighting::adjacent};
  fixed.max_epochs = {100};
  const SearchSpace kept = detail::narrowed(fixed);
  EXPECT_EQ(kept.segment_counts, fixed.segment_counts);
  EXPECT_EQ(kept.increment_penalties, fixed.increment_penalties);
  EXPECT_EQ(kept.pair_weightings, fixed.pair_weightings);
  EXPECT_EQ(kept.max_epochs, fixed.max_epochs);
}

TEST(HoldOut, OnlyTheRowsHeldOutHaveUnseenScoresAndOnlyTheyAreJudged) {
  const Dataset data = generate({.row_count = 200, .attribute_count = 2, .class_count = 3, .seed = 1});
  const TrainOptions base;
  const detail::Stage stage = detail::make_hold_out(data, base, 5, 1);
  EXPECT_EQ(stage.fold_count, 1);
  std::vector<double> scores(data.row_count());
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = data.labels[i] + std::sin(double(i));
  const std::vector<double> unseen = stage.unseen_scores({scores});
  std::vector<std::size_t> held_out;
  for (std::size_t i = 0; i < unseen.size(); ++i) {
    if (std::isnan(unseen[i])) continue;
    EXPECT_EQ(unseen[i], scores[i]);
    held_out.push_back(i);
  }
  EXPECT_EQ(held_out.size(), 40U);
  // The slow twin: the rows held out alone.
  const Dataset alone = subset(data, held_out);
  std::vector<double> their_scores;
  their_scores.reserve(held_out.size());
  for (const std::size_t i : held_out) their_scores.push_back(scores[i]);
  const auto judgement = detail::judge(stage, Aim::mae, unseen);
  const auto twin = detail::judge(detail::make_stage(alone, base, 5, 1), Aim::mae, their_scores);
  EXPECT_EQ(judgement.row_losses, twin.row_losses);
  EXPECT_EQ(judgement.mae, twin.mae);
  EXPECT_EQ(judgement.accuracy, twin.accuracy);
}

// A search of seconds on data large enough to be split, or sampled.
TuneOptions quick() {
  TuneOptions options;
  options.pass_budget = 40;
  options.space.segment_counts = {8};
  options.space.knots = {KnotPlacement::quantile};
  options.space.sparsity_penalties = {0};
  options.space.auto_directions = {0};
  options.space.factor_counts = {2, 0};
  options.space.max_epochs = {2, 4};
  return options;
}

TEST(TuneLargeData, RowsHeldOutJudgeTheChoiceAndTheModelIsReadByUnseenRows) {
  const Dataset data = generate({.row_count = 11000, .attribute_count = 4, .class_count = 3, .seed = 3});
  ASSERT_GT(detail::pass_cost(data), 1.5e5);
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return tune(data, {}, quick());
  };
  const TuneResult result = run(1);
  EXPECT_EQ(result.validation.trial_count, 1U);
  EXPECT_EQ(result.options.bag_count, 5) << "one round of folds is quick here";
  EXPECT_EQ(result.options.assignment.reference_scores, ReferenceScores::out_of_sample);
  EXPECT_GT(result.record.tried.size(), 2U);
  EXPECT_FALSE(train(data, result.options).model.assignment.conformity.empty());
  const TuneResult other = run(4);
  EXPECT_EQ(other.record.loss, result.record.loss);
  EXPECT_EQ(other.validation.confusion, result.validation.confusion);
}

TEST(TuneLargeData, WhereRefitsWouldBeSlowTheModelIsASingleFit) {
  const Dataset data = generate({.row_count = 90000, .attribute_count = 2, .class_count = 2, .seed = 3});
  TuneOptions options = quick();
  options.time_limit = 1e-3;  // the choice is where the search starts
  const auto bag_count = [&](int epochs) {
    options.space.max_epochs = {epochs};
    const TuneResult result = tune(data, {}, options);
    EXPECT_TRUE(result.record.out_of_time);
    return result.options.bag_count;
  };
  EXPECT_EQ(bag_count(500), 5);
  EXPECT_EQ(bag_count(600), 1);
}

TEST(TuneLargeData, OfVeryManyRowsASampleIsLookedAt) {
  const Dataset data = generate({.row_count = 90000, .attribute_count = 2, .class_count = 2, .seed = 3});
  ASSERT_GT(detail::pass_cost(data), 1e6);
  TuneOptions options = quick();
  options.validate = false;
  const TuneResult result = tune(data, {}, options);
  EXPECT_GT(result.record.tried.size(), 2U);
  // Rows that the sample does not have cannot move the choice.
  Dataset other = data;
  const auto looked_at = split_rows(data, {.test_share = 1e6 / detail::pass_cost(data), .seed = options.seed});
  ASSERT_FALSE(looked_at.learning.empty());
  std::array<std::vector<std::size_t>, 2> by_class;
  for (const std::size_t row : looked_at.learning) by_class[static_cast<std::size_t>(data.labels[row])].push_back(row);
  ASSERT_FALSE(by_class[0].empty() || by_class[1].empty());
  for (auto& column : other.columns) std::swap(column[by_class[0][0]], column[by_class[1][0]]);
  EXPECT_EQ(tune(other, {}, options).record.loss, result.record.loss);
}

}  // namespace
}  // namespace xofm
