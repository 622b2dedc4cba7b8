#include "xofm/tune.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/base/random.hpp"
#include "core/evaluate/trial_rows.hpp"
#include "core/tune/candidates.hpp"
#include "core/tune/fold_fit.hpp"
#include "support/random_rows.hpp"
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

bool same(const TriedOptions& a, const TriedOptions& b) {
  return detail::is_same_model(a, b) && a.rule == b.rule && a.reference_scores == b.reference_scores &&
         a.repeat_count == b.repeat_count && a.accuracy == b.accuracy && a.mae == b.mae &&
         a.standard_error == b.standard_error;
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
  EXPECT_EQ(one.record.chosen, four.record.chosen);
  EXPECT_EQ(one.record.passes, four.record.passes);
  EXPECT_EQ(one.validation.confusion, four.validation.confusion);
}

TEST(Tune, TheOptionsFoundAreReadyForTraining) {
  const Dataset data = some_rows();
  const TuneResult result = tune(data, {}, quick());
  const TriedOptions& chosen = result.record.tried.at(result.record.chosen);
  EXPECT_EQ(result.options.factor_count, chosen.factor_count);
  EXPECT_EQ(result.options.encoder.segment_count, chosen.segment_count);
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

TEST(Tune, LabelsOfRowsHeldOutHaveNoPartInWhatIsLearnedOrPredicted) {
  Dataset data = test_support::random_rows({.row_count = 80, .categorical_count = 1, .missing_share = 0.1}, 5);
  Trial trial;
  for (std::size_t i = 0; i < data.row_count(); ++i) (i % 4 == 0 ? trial.holdout : trial.learning).push_back(i);
  const auto outcomes = [&] {
    detail::TrialRows rows = detail::take_rows(data, trial);
    EXPECT_TRUE(rows.holdout.labels.empty());
    const detail::Fold fold{rows.learning, rows.holdout, rows.labels, trial.holdout};
    TrainOptions options;
    options.bag_count = 3;
    options.auto_direction = 0.1;
    options.optimizer.max_epochs = 10;
    const std::vector<detail::Reading> readings = {{AssignmentRule::probability, ReferenceScores::out_of_sample},
                                                   {AssignmentRule::support, ReferenceScores::training}};
    detail::Screening state;
    return std::pair(detail::compete(fold, options, readings, {}),
                     detail::screen(fold, options, readings, 2, state, {}));
  };
  const auto before = outcomes();
  for (const std::size_t row : trial.holdout) data.labels[row] = (data.labels[row] + 1) % data.schema.class_count();
  const auto after = outcomes();
  EXPECT_EQ(before.first.scores, after.first.scores);
  EXPECT_EQ(before.first.classes, after.first.classes);
  EXPECT_EQ(before.first.probabilities, after.first.probabilities);
  EXPECT_EQ(before.second.scores, after.second.scores);
  EXPECT_EQ(before.second.classes, after.second.classes);
}

TEST(Tune, AScreeningTakenUpAgainGoesOnFromWhereItStood) {
  const Dataset data = some_rows();
  const std::vector<detail::Fold> folds = detail::make_folds(data, 3, 1);
  const std::vector<detail::Reading> readings = {{AssignmentRule::probability, ReferenceScores::training}};
  TrainOptions options;
  options.optimizer.max_epochs = 10;
  detail::Screening state;
  const auto first = detail::screen(folds[0], options, readings, 1, state, {});
  EXPECT_EQ(state.epochs, 10);
  const Parameters then = state.members[0];
  options.optimizer.max_epochs = 30;
  const auto second = detail::screen(folds[0], options, readings, 1, state, {});
  EXPECT_EQ(state.epochs, 30);
  EXPECT_LE(second.passes, 20);
  EXPECT_NE(state.members[0].increments, then.increments);
  EXPECT_NE(first.scores, second.scores);
}

TEST(Tune, WhatTheUserFixesIsNotSearched) {
  TuneOptions options = quick();
  options.space.factor_counts = {3};
  const TuneResult result = tune(some_rows(), {}, options);
  for (const TriedOptions& tried : result.record.tried) EXPECT_EQ(tried.factor_count, 3);
  EXPECT_EQ(result.options.factor_count, 3);
}

TEST(Tune, TheFinalistsComeFirstAndTheChosenIsOneOfThem) {
  const TuneResult result = tune(some_rows(), {}, quick());
  const auto& tried = result.record.tried;
  ASSERT_GE(tried.size(), 2U);
  EXPECT_GT(tried.front().repeat_count, 0);
  EXPECT_GT(tried[result.record.chosen].repeat_count, 0);
  const auto is_finalist = [](const TriedOptions& t) { return t.repeat_count > 0; };
  EXPECT_TRUE(std::is_partitioned(tried.begin(), tried.end(), is_finalist));
  // The start is always a finalist: another must beat it.
  const TriedOptions start = detail::starting_candidate(quick().space);
  EXPECT_TRUE(std::any_of(tried.begin(), tried.end(),
                          [&](const TriedOptions& t) { return is_finalist(t) && detail::is_same_model(t, start); }));
}

TEST(Tune, CurvesAloneAreChosenWhereThereAreNoInteractions) {
  // Additive truth, hardly any noise of labels: pairs can only hurt.
  const Dataset data = generate({.row_count = 300,
                                 .attribute_count = 3,
                                 .class_count = 3,
                                 .products = std::vector<Product>{},
                                 .noise = 0.3,
                                 .seed = 4});
  EXPECT_EQ(tune(data, {}, quick()).options.factor_count, 0);
}

TEST(Tune, ValidationIsOfEveryRowOnce) {
  const Dataset data = some_rows();
  const TuneResult result = tune(data, {}, quick());
  EXPECT_EQ(result.validation.trial_count, 5U);
  std::size_t count = 0;
  for (const auto& row : result.validation.confusion) count += std::accumulate(row.begin(), row.end(), std::size_t{0});
  EXPECT_EQ(count, data.row_count());
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
  EXPECT_EQ(all.record.chosen, some.record.chosen);
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

TEST(Candidates, SingleChangesDifferFromTheStartInOneList) {
  SearchSpace space;
  const auto candidates = detail::single_changes(space);
  // The start, and one for every further value of every list.
  EXPECT_EQ(candidates.size(), 1U + 1 + 2 + 1 + 2 + 2 + 2 + 3 + 1);
  for (std::size_t a = 0; a < candidates.size(); ++a) {
    for (std::size_t b = a + 1; b < candidates.size(); ++b) {
      EXPECT_FALSE(detail::is_same_model(candidates[a], candidates[b]));
    }
  }
}

TEST(Candidates, CombinationsHaveTheChangesOfBoth) {
  const SearchSpace space;
  const TriedOptions start = detail::starting_candidate(space);
  TriedOptions fewer = start;
  fewer.segment_count = 8;
  TriedOptions wide = start;
  wide.knots = KnotPlacement::equal_width;
  TriedOptions other = start;
  other.segment_count = 16;
  const std::vector<TriedOptions> changes = {fewer, wide, other};
  const auto combined = detail::combined_changes(start, changes, changes);
  // fewer+wide, wide+other; fewer+other is one of the two alone; all together: the last segment count wins.
  ASSERT_EQ(combined.size(), 2U);
  EXPECT_EQ(combined[0].segment_count, 8);
  EXPECT_EQ(combined[0].knots, KnotPlacement::equal_width);
  EXPECT_EQ(combined[1].segment_count, 16);
  EXPECT_EQ(combined[1].knots, KnotPlacement::equal_width);
}

TEST(Candidates, WithoutFactorsTheirPenaltyMakesNoOtherModel) {
  TriedOptions a = detail::starting_candidate({});
  a.factor_count = 0;
  TriedOptions b = a;
  b.factor_penalty = 1;
  EXPECT_TRUE(detail::is_same_model(a, b));
  b.increment_penalty = 1;
  EXPECT_FALSE(detail::is_same_model(a, b));
}

TEST(Candidates, CurvesAloneAreSimplerThanAnyPairs) {
  TriedOptions curves = detail::starting_candidate({});
  curves.factor_count = 0;
  curves.segment_count = 30;
  TriedOptions pairs = curves;
  pairs.factor_count = 1;
  pairs.segment_count = 2;
  EXPECT_TRUE(detail::is_simpler(curves, pairs));
  EXPECT_FALSE(detail::is_simpler(pairs, curves));
  TriedOptions fewer = curves;
  fewer.segment_count = 4;
  EXPECT_TRUE(detail::is_simpler(fewer, curves));
  EXPECT_FALSE(detail::is_simpler(curves, curves));
}

}  // namespace
}  // namespace xofm
