#include "core/tune/select.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/base/random.hpp"
#include "xofm/generate.hpp"

namespace xofm {
namespace {

// 40 rows of two classes in four folds; candidates whose scores are given.
struct SelectTest : ::testing::Test {
  Dataset data = generate({.row_count = 40, .attribute_count = 2, .class_count = 2, .seed = 1});
  detail::Folds folds{data, 4, 1};
  detail::Random random{5};

  // Scores that follow the label, with noise of the given size.
  std::vector<double> scores(double noise) {
    std::vector<double> list;
    for (const int label : data.labels) list.push_back(label + noise * random.normal());
    return list;
  }
  detail::Candidate candidate(double noise) {
    return {.recipe = {.increment_penalty = random.uniform()}, .members = {}, .unseen = scores(noise)};
  }
  std::vector<detail::Candidate> candidates(int count, double noise = 1) {
    std::vector<detail::Candidate> all;
    for (int i = 0; i < count; ++i) all.push_back(candidate(noise));
    return all;
  }
  detail::Selection select(const std::vector<detail::Candidate>& all, std::size_t most_parts) const {
    std::vector<double> losses;
    for (const auto& one : all) losses.push_back(detail::judge(one.unseen, data, {}).loss);
    return detail::select(all, losses, data, {}, most_parts);
  }
};

TEST_F(SelectTest, SeveralWithNoiseOfTheirOwnAreBetterThanTheBest) {
  const auto all = candidates(6);
  const auto several = select(all, 6);
  const auto single = select(all, 1);
  EXPECT_EQ(single.picks.size(), 1U);
  EXPECT_LT(several.judgement.loss, single.judgement.loss);
  // The scores are the mean of the picks' scores.
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    double mean = 0;
    for (const std::size_t pick : several.picks) {
      mean += all[pick].unseen[i] / static_cast<double>(several.picks.size());
    }
    EXPECT_NEAR(several.unseen[i], mean, 1e-12);
  }
  EXPECT_EQ(several.judgement.loss, detail::judge(several.unseen, data, {}).loss);
}

TEST_F(SelectTest, NoMorePartsThanAllowed) {
  const auto all = candidates(8);
  for (const std::size_t most : {1U, 2U, 4U}) {
    const auto selection = select(all, most);
    EXPECT_LE(std::set<std::size_t>(selection.picks.begin(), selection.picks.end()).size(), most);
  }
}

TEST_F(SelectTest, TheBestByItselfIsAmongThePicks) {
  auto all = candidates(5, 3);
  all.push_back(candidate(0.05));
  const auto selection = select(all, 1);
  EXPECT_EQ(selection.picks, std::vector<std::size_t>{5});
  const auto several = select(all, 4);
  EXPECT_NE(std::find(several.picks.begin(), several.picks.end(), 5U), several.picks.end());
}

TEST_F(SelectTest, ARecipeIsPickedAtOneNumberOfEpochs) {
  auto all = candidates(2);
  for (const int epochs : {10, 20, 40}) {
    all.push_back(all[0]);
    all.back().recipe.max_epochs = epochs;
    all.back().unseen = scores(1);
  }
  const auto selection = select(all, 6);
  std::set<double> recipes;
  std::set<std::size_t> parts(selection.picks.begin(), selection.picks.end());
  for (const std::size_t part : parts) recipes.insert(all[part].recipe.increment_penalty);
  EXPECT_EQ(recipes.size(), parts.size());
}

}  // namespace
}  // namespace xofm
