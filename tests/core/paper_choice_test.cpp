#include "core/tune/paper_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/search_cases.hpp"
#include "xofm/error.hpp"
#include "xofm/threads.hpp"
#include "xofm/validate.hpp"

namespace xofm {
namespace {

using detail::paper_candidates;
using detail::train_as_paper;
using test_support::searched_rows;

TrainOptions quick_paper() {
  TrainOptions options = paper_preset();
  options.recipe().max_epochs = 2;
  return options;
}

SearchOptions quick_choice() {
  return {.fold_count = 3, .paper = PaperGrid{.segment_counts = {3, 1}, .margins = {0.5, 1}}};
}

TEST(PaperChoice, VariesSegmentsAndMarginAndNothingElse) {
  const Dataset data = searched_rows(60);
  std::set<std::pair<int, double>> seen;
  for (TrainOptions options : paper_candidates(data, paper_preset(), PaperGrid{})) {
    seen.emplace(options.recipe().segment_count, options.margin);
    options.recipe().segment_count = paper_preset().recipe().segment_count;
    EXPECT_EQ(options.recipe(), paper_preset().recipe());
  }
  EXPECT_EQ(seen.size(), PaperGrid{}.segment_counts.size() * PaperGrid{}.margins.size());
}

TEST(PaperChoice, OfTooManyPairsForAlgorithm1LbfgsMinimisesTheSameLoss) {
  const Dataset data = searched_rows(60);
  const auto method = [&](double most_pairs, const TrainOptions& base) {
    return paper_candidates(data, base, {.segment_counts = {2}, .margins = {1}, .most_pairs = most_pairs})
        .front()
        .recipe()
        .method;
  };
  EXPECT_EQ(method(60 * 60, paper_preset()), Optimizer::sgd);
  EXPECT_EQ(method(100, paper_preset()), Optimizer::lbfgs);
  TrainOptions boosted = paper_preset();
  boosted.recipe().method = Optimizer::boost;
  EXPECT_EQ(method(100, boosted), Optimizer::boost);
}

TEST(PaperChoice, TakesTheLeastMeanErrorOfTheFolds) {
  const Dataset data = searched_rows(60);
  for (const Aim aim : {Aim::mae, Aim::accuracy}) {
    SearchOptions options = quick_choice();
    options.aim = aim;
    const SearchResult chosen = search(data, quick_paper(), options);
    const std::vector<Trial> trials = k_fold_trials(data, 3);
    ASSERT_EQ(chosen.record.tried.size(), 4U);
    double least = 1e9;
    for (const TriedRecipe& tried : chosen.record.tried) {
      // The same by the public door, candidate by candidate.
      TrainOptions own = quick_paper();
      own.assignment.aim = aim;
      own.recipe().segment_count = tried.recipe.segment_count;
      own.margin = tried.margin;
      const auto summary = validate(data, {.train = own, .search = std::nullopt}, trials).summary;
      EXPECT_NEAR(tried.accuracy, summary[0].mean, 1e-12);
      EXPECT_NEAR(tried.mae, summary[1].mean, 1e-12);
      EXPECT_EQ(tried.loss, aim == Aim::mae ? tried.mae : 1 - tried.accuracy);
      least = std::min(least, tried.loss);
    }
    const TriedRecipe& best = chosen.record.tried.front();
    EXPECT_EQ(best.loss, least);
    EXPECT_EQ(best.recipe.weight, 1);
    EXPECT_EQ(chosen.options.recipe().segment_count, best.recipe.segment_count);
    EXPECT_EQ(chosen.options.margin, best.margin);
    EXPECT_EQ(chosen.validation.trial_count, 3U);
    EXPECT_NEAR(chosen.validation.metrics[1].mean, best.mae, 1e-12);
  }
}

TEST(PaperChoice, FitTrainsWhatIsChosenWithTheSameBitsForAnyNumberOfThreads) {
  const Dataset data = searched_rows(60);
  const auto made = [&](int thread_count) {
    const ThreadLimit limit(thread_count);
    return fit(data, {.train = quick_paper(), .search = quick_choice()}).model;
  };
  const Model model = made(1);
  const SearchResult chosen = search(data, quick_paper(), quick_choice());
  EXPECT_EQ(model.parameters.increments, train(data, chosen.options).model.parameters.increments);
  EXPECT_EQ(model.options.margin, chosen.options.margin);
  EXPECT_EQ(model.record.search->recipe_count, 4U);
  EXPECT_EQ(made(3).parameters.factors, model.parameters.factors);
}

TEST(PaperChoice, StoppedAtOnceThereIsWhatItWouldHaveStartedFrom) {
  const SearchResult stopped =
      search(searched_rows(60), quick_paper(), quick_choice(), [](const Progress&) { return false; });
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_EQ(stopped.validation.trial_count, 0U);
  EXPECT_EQ(stopped.options.recipe().segment_count, 3);
}

TEST(PaperChoice, AStepThatDivergesIsHalved) {
  const Dataset data = searched_rows(60);
  TrainOptions options = quick_paper();
  options.recipe().max_epochs = 10;
  options.optimizer.learning_rate = 100;
  EXPECT_THROW(train(data, options), Error);
  const Model model = train_as_paper(data, options);
  EXPECT_NE(model.summary.stop_reason, StopReason::diverged);
  EXPECT_LT(model.options.optimizer.learning_rate, 100);
}

TEST(PaperChoice, SenselessGridsAreRefused) {
  const Dataset data = searched_rows(60);
  for (const PaperGrid& grid : {PaperGrid{.segment_counts = {}}, PaperGrid{.margins = {}},
                                PaperGrid{.segment_counts = {0}}, PaperGrid{.margins = {-1}}}) {
    EXPECT_THROW(search(data, quick_paper(), {.paper = grid}), Error);
  }
}

}  // namespace
}  // namespace xofm
