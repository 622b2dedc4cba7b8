#include "core/tune/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "xofm/generate.hpp"

namespace xofm {
namespace {

TEST(Candidates, SingleChangesDifferFromTheStartInOneList) {
  SearchSpace space;
  const auto candidates = detail::single_changes(space);
  // The start, and one for every further value of every list.
  EXPECT_EQ(candidates.size(), 1U + 6 + 4 + 1 + 3 + 1 + 3 + 3 + 3 + 2);
  for (std::size_t a = 0; a < candidates.size(); ++a) {
    for (std::size_t b = a + 1; b < candidates.size(); ++b) {
      EXPECT_FALSE(detail::is_same_model(candidates[a], candidates[b]));
    }
  }
}

TEST(Candidates, AMutationKeepsToTheSpaceAndMostOfItsParent) {
  SearchSpace space;
  space.factor_counts = {5};
  const Recipe parent{.segment_count = 16, .factor_count = 5, .increment_penalty = 1e-2, .factor_penalty = 1e-2};
  detail::Random random(3);
  int kept = 0;
  for (int i = 0; i < 200; ++i) {
    const Recipe recipe = detail::mutated(parent, space, random);
    EXPECT_NE(std::find(space.segment_counts.begin(), space.segment_counts.end(), recipe.segment_count),
              space.segment_counts.end());
    EXPECT_EQ(recipe.factor_count, 5);
    kept += recipe.increment_penalty == parent.increment_penalty ? 1 : 0;
  }
  // Not drawn, or drawn and the same: 0.6 + 0.4 / 4 of 200.
  EXPECT_NEAR(kept, 140, 30);
}

TEST(Candidates, WithoutFactorsTheirPenaltyMakesNoOtherModel) {
  Recipe a = detail::starting_recipe({});
  a.factor_count = 0;
  Recipe b = a;
  b.factor_penalty = 1;
  EXPECT_TRUE(detail::is_same_model(a, b));
  b.increment_penalty = 1;
  EXPECT_FALSE(detail::is_same_model(a, b));
}

TEST(Candidates, BoostingIsTriedOnFineKnots) {
  const auto recipes = detail::plain_recipes({});
  ASSERT_EQ(recipes.size(), 7U);  // 30, 16 and 60 segments by both placements, and curves alone
  for (const Recipe& recipe : recipes) {
    EXPECT_EQ(recipe.method, Optimizer::boost);
    EXPECT_GE(recipe.segment_count, 16);
    EXPECT_EQ(recipe.sparsity_penalty, 0);
  }
  EXPECT_EQ(recipes.back().factor_count, 0);
  SearchSpace coarse;
  coarse.segment_counts = {3};
  coarse.factor_counts = {0};
  EXPECT_EQ(detail::plain_recipes(coarse).size(), 2U);
  coarse.methods = {Optimizer::lbfgs};
  EXPECT_TRUE(detail::plain_recipes(coarse).empty());
}

TEST(Candidates, TheStartBoostsOnlyIfThereIsNothingElse) {
  SearchSpace space;
  space.methods = {Optimizer::boost, Optimizer::sgd};
  EXPECT_EQ(detail::starting_recipe(space).method, Optimizer::sgd);
  space.methods = {Optimizer::boost};
  EXPECT_EQ(detail::starting_recipe(space).method, Optimizer::boost);
}

TEST(Candidates, WhatCannotBeKeptOrDoesNotOccurIsNotTried) {
  const Dataset plain = generate({.row_count = 50, .attribute_count = 2, .class_count = 2});
  Dataset zeros = plain;
  for (std::size_t i = 0; i < 10; ++i) zeros.columns[0][5 * i] = 0;
  const SearchSpace space;
  EXPECT_EQ(detail::suited(space, plain, {}).methods, space.methods);
  EXPECT_EQ(detail::suited(space, plain, {}).spike_shares, std::vector<double>{0});
  EXPECT_EQ(detail::suited(space, zeros, {}).spike_shares, space.spike_shares);
  const std::vector<Optimizer> smooth = {Optimizer::lbfgs};
  TrainOptions directed;
  directed.attributes.directions = {{"x1", Direction::increasing}};
  EXPECT_EQ(detail::suited(space, plain, directed).methods, smooth);
  TrainOptions penalised;
  penalised.pair_penalty = 0.1;
  EXPECT_EQ(detail::suited(space, plain, penalised).methods, smooth);
  SearchSpace sparse;
  sparse.sparsity_penalties = {0.1};
  EXPECT_EQ(detail::suited(sparse, plain, {}).methods, smooth);
  EXPECT_EQ(detail::suited(space, plain, {.auto_direction = 0.3}).methods, smooth);
}

}  // namespace
}  // namespace xofm
