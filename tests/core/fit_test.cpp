#include "xofm/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "support/search_cases.hpp"
#include "xofm/error.hpp"
#include "xofm/threads.hpp"

namespace xofm {
namespace {

using test_support::quick_large_search;
using test_support::quick_search;
using test_support::searched_rows;

// u and V, or curves and few pairs.
FitOptions quick_fit(PairChoice pairs) { return {.train = {.terms = {.pairs = pairs}}, .search = quick_search()}; }

void expect_same_model(const Model& a, const Model& b, const Dataset& rows) {
  const Predictions p = a.predict(rows);
  const Predictions q = b.predict(rows);
  EXPECT_EQ(p.scores, q.scores);
  EXPECT_EQ(p.classes, q.classes);
  EXPECT_EQ(p.probabilities, q.probabilities);
  EXPECT_EQ(a.options.parts, b.options.parts);
}

TEST(Fit, WithoutASearchItIsTraining) {
  const Dataset data = searched_rows();
  for (const PairChoice pairs : {PairChoice::all, PairChoice::automatic}) {
    const TrainOptions options{.terms = {.pairs = pairs}, .parts = {{.factor_count = 2, .max_epochs = 20}}};
    const Model model = fit(data, {.train = options, .search = std::nullopt}).model;
    expect_same_model(model, train(data, options).model, data);
    EXPECT_FALSE(model.record.search);
    EXPECT_FALSE(model.bands);
  }
}

TEST(Fit, TheModelIsMadeOfWhatTheSearchHasFound) {
  const Dataset data = searched_rows();
  for (const PairChoice pairs : {PairChoice::all, PairChoice::automatic}) {
    const FitOptions options = quick_fit(pairs);
    const Model model = fit(data, options).model;
    const SearchResult found = search(data, options.train, *options.search);
    EXPECT_EQ(model.options.parts, found.options.parts);
    ASSERT_TRUE(model.record.search);
    EXPECT_EQ(model.record.search->loss, found.record.loss);
    EXPECT_EQ(model.record.search->passes, found.record.passes);
    EXPECT_FALSE(model.record.interrupted);
    EXPECT_EQ(model.terms.has_value(), pairs == PairChoice::automatic);
    EXPECT_EQ(model.record.terms.has_value(), pairs == PairChoice::automatic);
    // Classes and probabilities come from rows that the fits had not seen, and so does the quality told.
    EXPECT_FALSE(model.assignment.conformity.empty());
    ASSERT_TRUE(model.validation);
    EXPECT_EQ(model.validation->trial_count, 5U);
    if (pairs == PairChoice::all) {
      EXPECT_EQ(model.validation->confusion, found.validation.confusion);
    }
    EXPECT_GT(evaluate(3, data.labels, model.predict(data).classes, {}, {}).accuracy, 0.7);
  }
}

TEST(Fit, TheSameBitsForAnyNumberOfThreads) {
  const Dataset data = searched_rows();
  for (const PairChoice pairs : {PairChoice::all, PairChoice::automatic}) {
    const auto run = [&](int threads) {
      const ThreadLimit limit(threads);
      return fit(data, quick_fit(pairs)).model;
    };
    expect_same_model(run(1), run(4), data);
  }
}

TEST(Fit, RowsOfWeightZeroHaveNoPart) {
  Dataset data = searched_rows();
  data.weights.assign(data.row_count(), 1.0);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    if (i % 4 == 0) {
      data.weights[i] = 0;
      data.columns[0][i] = 1e6;
    } else {
      kept.push_back(i);
    }
  }
  const Model all = fit(data, quick_fit(PairChoice::all)).model;
  const Model some = fit(subset(data, kept), quick_fit(PairChoice::all)).model;
  EXPECT_EQ(all.score(data), some.score(data));
  for (const auto& points : all.assignment.reference.classes) {
    for (const ReferencePoint& point : points) EXPECT_GT(data.weights[point.row - 1], 0) << "rows as they were given";
  }
}

TEST(Fit, ProgressRisesToTheEndAndNamesWhatIsDone) {
  const Dataset data = searched_rows();
  FitOptions options = quick_fit(PairChoice::automatic);
  options.band_count = 2;
  double last = 0;
  std::set<std::string> phases;
  fit(data, options, [&](const Progress& progress) {
    EXPECT_GE(progress.share, last - 1e-12);
    EXPECT_LE(progress.share, 1 + 1e-12);
    last = progress.share;
    phases.insert(progress.phase);
    return true;
  });
  EXPECT_NEAR(last, 1, 1e-12);
  EXPECT_TRUE(phases.contains("search"));
  EXPECT_TRUE(phases.contains("choose"));
  EXPECT_TRUE(phases.contains("bands"));
}

TEST(Fit, StoppedAnywhereItGivesAModelThatSaysSo) {
  const Dataset data = searched_rows();
  for (const PairChoice pairs : {PairChoice::all, PairChoice::automatic}) {
    for (const double until : {0.0, 0.3, 0.7, 0.8, 0.95}) {
      bool stopped = false;
      const Fit fitted = fit(data, quick_fit(pairs), [&](const Progress& progress) {
        stopped = stopped || progress.share >= until;
        return !stopped;
      });
      if (!stopped) continue;  // u and V are there as soon as the search is
      EXPECT_TRUE(fitted.interrupted()) << until;
      EXPECT_TRUE(fitted.model.record.interrupted) << until;
      ASSERT_TRUE(fitted.model.record.search) << until;
      EXPECT_FALSE(fitted.model.record.search->out_of_time) << until;
      EXPECT_EQ(fitted.model.predict(data).row_count(), data.row_count()) << until;
    }
  }
}

TEST(Fit, ATimeLimitIsOfAllTheWorkAndNoInterruption) {
  FitOptions options = quick_fit(PairChoice::automatic);
  options.search->time_limit = 1e-6;
  const Dataset data = searched_rows();
  const Fit fitted = fit(data, options);
  EXPECT_FALSE(fitted.interrupted());
  EXPECT_FALSE(fitted.model.record.interrupted);
  ASSERT_TRUE(fitted.model.record.search);
  EXPECT_TRUE(fitted.model.record.search->out_of_time);
  EXPECT_EQ(fitted.model.record.search->time_limit, 1e-6);
  EXPECT_EQ(fitted.model.predict(data).row_count(), data.row_count());
}

TEST(Fit, BandsAreMadeIfAskedForAndLeftOutIfStopped) {
  const Dataset data = searched_rows();
  FitOptions options = quick_fit(PairChoice::all);
  options.band_count = 3;
  const Model model = fit(data, options).model;
  ASSERT_TRUE(model.bands);
  EXPECT_EQ(model.bands->refit_count, 3);
  EXPECT_FALSE(model.record.interrupted);
  const Model without =
      fit(data, options, [](const Progress& progress) { return std::string(progress.phase) != "bands"; }).model;
  EXPECT_FALSE(without.bands);
  EXPECT_TRUE(without.record.interrupted);
  expect_same_model(without, model, data);
}

TEST(Fit, OfLargeDataThePartsAreTrainedOnAllRows) {
  const Dataset data = searched_rows(11000);
  const FitOptions options{.train = {.terms = {.pairs = PairChoice::all}}, .search = quick_large_search()};
  const Model model = fit(data, options).model;
  EXPECT_EQ(model.summary.row_count, data.row_count());
  ASSERT_TRUE(model.validation);
  EXPECT_EQ(model.validation->trial_count, 1U);
  // Read by the rows that were held out.
  EXPECT_EQ(model.assignment.reference_source, ReferenceScores::out_of_sample);
  EXPECT_FALSE(model.assignment.conformity.empty());
  // As training by the options found would give.
  EXPECT_EQ(model.score(data), train(data, model.options).model.score(data));
}

TEST(Fit, SenselessOptionsAreRefusedBeforeAnyWork) {
  const Dataset data = searched_rows(30);
  const auto refused = [&](const FitOptions& options) {
    int calls = 0;
    EXPECT_THROW(fit(data, options,
                     [&](const Progress&) {
                       ++calls;
                       return true;
                     }),
                 Error);
    EXPECT_EQ(calls, 0);
  };
  FitOptions options = quick_fit(PairChoice::all);
  options.train.margin = -1;
  refused(options);
  options = quick_fit(PairChoice::all);
  options.search->fold_count = 1;
  refused(options);
  options = quick_fit(PairChoice::all);
  options.train.parts.clear();
  refused(options);
}

}  // namespace
}  // namespace xofm
