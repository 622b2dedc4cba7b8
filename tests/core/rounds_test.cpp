#include "core/tune/rounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "xofm/generate.hpp"
#include "xofm/threads.hpp"

namespace xofm {
namespace {

Dataset some_rows(std::size_t row_count = 120) {
  return generate({.row_count = row_count, .attribute_count = 4, .class_count = 3, .seed = 3});
}

// The more segments, the worse.
double segment_loss(const detail::Candidate& candidate) { return candidate.recipe.segment_count; }

std::vector<Recipe> curves(const std::vector<int>& segment_counts) {
  std::vector<Recipe> recipes;
  for (const int count : segment_counts) recipes.push_back({.segment_count = count, .factor_count = 0});
  return recipes;
}

// A pass budget without end.
std::vector<detail::Candidate> run(const detail::Folds& folds, const std::vector<Recipe>& recipes,
                                   const std::vector<int>& epochs, const TrainOptions& base = {}) {
  detail::Budget budget(1e9, 0, {});
  return detail::run_rounds(folds, base, false, recipes, epochs, segment_loss, budget);
}

TEST(Rounds, TheBetterHalfGoesOnFromRoundToRound) {
  const Dataset data = some_rows();
  const detail::Folds folds(data, 3, 1);
  detail::Budget budget(1e9, 0, {});
  const auto seen = detail::run_rounds(folds, {}, false, curves({1, 2, 3, 4}), {4, 8, 12}, segment_loss, budget);
  std::vector<std::pair<int, int>> order;
  for (const auto& candidate : seen) order.emplace_back(candidate.recipe.max_epochs, candidate.recipe.segment_count);
  EXPECT_EQ(order, (std::vector<std::pair<int, int>>{{4, 1}, {4, 2}, {4, 3}, {4, 4}, {8, 1}, {8, 2}, {12, 1}}));
  EXPECT_NE(seen[0].unseen, seen[4].unseen);
  // Four recipes for 4 epochs, two for 4 more, one for 4 more, three folds each.
  EXPECT_EQ(detail::passes_of_rounds(4, {4, 8, 12}, 3), 3 * (16 + 8 + 4));
  EXPECT_GT(budget.used(), 0);
  EXPECT_LE(budget.used(), 3 * (16 + 8 + 4));
}

TEST(Rounds, TrainingInRoundsIsTrainingOn) {
  const Dataset data = some_rows();
  const detail::Folds folds(data, 3, 1);
  const Recipe trees{.method = Optimizer::boost, .segment_count = 4};
  const auto in_rounds = run(folds, {trees}, {5, 12});
  const auto at_once = run(folds, {trees}, {12});
  ASSERT_EQ(in_rounds.size(), 2U);
  EXPECT_EQ(in_rounds[1].unseen, at_once[0].unseen);
  for (const detail::Member& member : in_rounds[1].members) EXPECT_EQ(member.learned->epochs, 12);
}

TEST(Rounds, UnseenScoresAreThoseOfTheMembers) {
  const Dataset data = some_rows();
  for (const bool is_held_out : {false, true}) {
    const detail::Folds folds(data, 3, 1, is_held_out);
    const auto seen = run(folds, {{.segment_count = 4, .factor_count = 2}}, {8});
    std::vector<detail::Members> by_fold;
    for (const detail::Member& member : seen.front().members) by_fold.push_back({member});
    const std::vector<double> expected = detail::unseen_scores(folds, by_fold);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (folds.fold_of(i) == detail::Folds::in_none) {
        EXPECT_TRUE(std::isnan(seen.front().unseen[i]));
      } else {
        EXPECT_NEAR(seen.front().unseen[i], expected[i], 1e-12);
      }
    }
  }
}

// A fit's centre is the mean of its scores over the rows that it has learned from, by their weights, wherever fits are
// made: in the search, in folds, on all rows.
TEST(Rounds, CentresAreMeansByWeight) {
  Dataset data = some_rows();
  for (std::size_t i = 0; i < data.row_count(); ++i) data.weights.push_back(data.labels[i] == 0 ? 5 : 0.5);
  const detail::Folds folds(data, 3, 1);
  const Recipe recipe{.segment_count = 4, .factor_count = 0, .max_epochs = 8};
  const auto expect_centred = [&](const detail::Member& member, const std::vector<double>& weights) {
    const detail::Members alone = {member};
    const std::vector<double> scores = detail::mean_scores(alone, data);
    double sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) sum += weights[i] * scores[i];
    EXPECT_NEAR(sum, 0, 1e-9);
  };
  const TrainOptions options{.parts = {recipe}};
  const auto found = run(folds, {recipe}, {8});
  const auto by_fold = detail::fit_folds(folds, options, 1, false, {});
  for (std::size_t f = 0; f < folds.count(); ++f) {
    expect_centred(found.front().members[f], folds.weights(f));
    expect_centred(by_fold[f].front(), folds.weights(f));
  }
  expect_centred(detail::fit_parts(data, options, 1, {}).front(), data.weights);
}

TEST(Rounds, ARowHasNoPartInTheScoreThatItIsJudgedBy) {
  Dataset data = some_rows(60);
  const detail::Folds folds(data, 3, 1);
  const std::vector<Recipe> recipes = {{.segment_count = 4, .factor_count = 2},
                                       {.method = Optimizer::boost, .segment_count = 6}};
  const auto before = run(folds, recipes, {8});
  // The folds keep a pointer to the rows, so they stay as they are.
  for (const std::size_t i : folds.rows(0)) data.labels[i] = (data.labels[i] + 1) % 3;
  const auto after = run(folds, recipes, {8});
  for (std::size_t c = 0; c < recipes.size(); ++c) {
    for (const std::size_t i : folds.rows(0)) EXPECT_EQ(before[c].unseen[i], after[c].unseen[i]) << i;
    EXPECT_NE(before[c].unseen, after[c].unseen);  // the test can fail: the other fits learn from these labels
  }
}

TEST(Rounds, TheSameBitsForAnyNumberOfThreads) {
  const Dataset data = some_rows();
  const detail::Folds folds(data, 3, 1);
  const auto with_threads = [&](int threads) {
    const ThreadLimit limit(threads);
    return run(folds, {{.factor_count = 2}, {.segment_count = 3, .factor_count = 0}}, {4, 8});
  };
  const auto one = with_threads(1);
  const auto four = with_threads(4);
  ASSERT_EQ(one.size(), four.size());
  for (std::size_t c = 0; c < one.size(); ++c) EXPECT_EQ(one[c].unseen, four[c].unseen) << c;
}

TEST(Rounds, AskedToStopOnlyWholeRoundsCount) {
  const Dataset data = some_rows();
  const detail::Folds folds(data, 3, 1);
  const std::vector<Recipe> recipes = curves({1, 2});
  const auto whole = run(folds, recipes, {4, 8, 12});
  // Asked in the second round, which begins after all fits of the first have used their passes.
  detail::Budget budget(1e9, 0, [&](const Progress& progress) {
    EXPECT_STREQ(progress.phase, "search");
    EXPECT_EQ(progress.count, 2U);
    return progress.share * 1e9 <= 2 * 3 * 4 + 1;
  });
  const auto cut = detail::run_rounds(folds, {}, false, recipes, {4, 8, 12}, segment_loss, budget);
  EXPECT_TRUE(budget.is_interrupted());
  EXPECT_FALSE(budget.may_go_on());
  EXPECT_FALSE(budget.is_out_of_time());
  ASSERT_EQ(cut.size(), 2U);
  for (std::size_t c = 0; c < cut.size(); ++c) EXPECT_EQ(cut[c].unseen, whole[c].unseen);
}

TEST(Rounds, TimeThatIsUpEndsThem) {
  const Dataset data = some_rows();
  const detail::Folds folds(data, 3, 1);
  detail::Budget budget(1e9, 1e-9, {});
  EXPECT_TRUE(detail::run_rounds(folds, {}, false, curves({1, 2}), {4}, segment_loss, budget).empty());
  EXPECT_TRUE(budget.is_out_of_time());
  EXPECT_FALSE(budget.is_interrupted());
}

}  // namespace
}  // namespace xofm
