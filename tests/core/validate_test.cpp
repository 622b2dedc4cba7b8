#include "xofm/validate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "support/random_rows.hpp"
#include "xofm/error.hpp"
#include "xofm/generate.hpp"
#include "xofm/threads.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

// Training without a search.
FitOptions quick() { return {.train = {.parts = {{.factor_count = 2, .max_epochs = 12}}}, .search = std::nullopt}; }

Dataset mixed_rows(std::size_t row_count = 90) {
  return test_support::random_rows({.row_count = row_count, .categorical_count = 1, .missing_share = 0.05}, 11);
}

// Rows of each class in a part.
std::vector<int> class_counts(const Dataset& data, const std::vector<std::size_t>& rows) {
  std::vector<int> counts(data.schema.class_names.size());
  for (const std::size_t row : rows) ++counts[static_cast<std::size_t>(data.labels[row])];
  return counts;
}

bool same(const Trial& a, const Trial& b) { return a.learning == b.learning && a.holdout == b.holdout; }

void expect_same_predictions(const TrialResult& a, const TrialResult& b) {
  EXPECT_EQ(a.predictions.scores, b.predictions.scores);
  EXPECT_EQ(a.predictions.classes, b.predictions.classes);
  EXPECT_EQ(a.predictions.probabilities, b.predictions.probabilities);
  for (std::size_t i = 0; i < a.predictions.row_count(); ++i) {
    EXPECT_EQ(a.predictions.intervals[i].lowest, b.predictions.intervals[i].lowest);
    EXPECT_EQ(a.predictions.intervals[i].highest, b.predictions.intervals[i].highest);
  }
}

std::string message_of(const std::function<void()>& action, ErrorCode code) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

TEST(Trials, EveryRowIsHeldOutOncePerRepeatAndLearnedFromOtherwise) {
  const Dataset data = mixed_rows();
  const auto trials = k_fold_trials(data, 4, 3, 5);
  ASSERT_EQ(trials.size(), 12U);
  for (std::size_t repeat = 0; repeat < 3; ++repeat) {
    std::vector<int> held_out(data.row_count());
    for (std::size_t t = 4 * repeat; t < 4 * repeat + 4; ++t) {
      for (const std::size_t row : trials[t].holdout) ++held_out[row];
      std::vector<std::size_t> all = trials[t].learning;
      all.insert(all.end(), trials[t].holdout.begin(), trials[t].holdout.end());
      std::sort(all.begin(), all.end());
      ASSERT_EQ(all.size(), data.row_count());
      for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
    }
    EXPECT_EQ(held_out, std::vector<int>(data.row_count(), 1));
  }
}

TEST(Trials, FoldsAndHoldoutsKeepTheClassShares) {
  const Dataset data = mixed_rows(120);
  std::vector<std::size_t> everything(data.row_count());
  for (std::size_t i = 0; i < everything.size(); ++i) everything[i] = i;
  const auto totals = class_counts(data, everything);
  const auto expect_share = [&](const std::vector<Trial>& trials, double share) {
    for (const auto& trial : trials) {
      const auto counts = class_counts(data, trial.holdout);
      for (std::size_t h = 0; h < counts.size(); ++h) EXPECT_NEAR(counts[h], share * totals[h], 1.0);
    }
  };
  expect_share(k_fold_trials(data, 5, 2, 1), 0.2);
  expect_share(holdout_trials(data, 0.25, 6, 1), 0.25);
}

TEST(Trials, SeedsAndRepeatsGiveOtherSplitsAndTheSameSeedTheSame) {
  const Dataset data = mixed_rows();
  const auto kinds = {
      std::function([&](std::uint64_t seed) { return k_fold_trials(data, 2, 3, seed); }),
      std::function([&](std::uint64_t seed) { return holdout_trials(data, 0.3, 6, seed); }),
  };
  for (const auto& make : kinds) {
    const auto first = make(1);
    EXPECT_TRUE(std::equal(first.begin(), first.end(), make(1).begin(), same));
    std::vector<Trial> all = first;
    for (auto& trial : make(2)) all.push_back(std::move(trial));
    for (std::size_t a = 0; a < all.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) EXPECT_FALSE(same(all[a], all[b])) << a << " " << b;
    }
  }
}

TEST(Trials, TheFirstHoldoutIsThatOfSplitRows) {
  const Dataset data = mixed_rows();
  const auto trials = holdout_trials(data, 0.2, 2, 7);
  EXPECT_EQ(trials[0].holdout, split_rows(data, {.test_share = 0.2, .seed = 7}).holdout);
}

TEST(Trials, AColumnGivesOneTrialPerValueInAscendingOrder) {
  const auto trials = column_trials(std::vector<int>{7, -1, 7, 3});
  ASSERT_EQ(trials.size(), 3U);
  EXPECT_EQ(trials[0].holdout, (std::vector<std::size_t>{1}));
  EXPECT_EQ(trials[1].holdout, (std::vector<std::size_t>{3}));
  EXPECT_EQ(trials[2].holdout, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(trials[2].learning, (std::vector<std::size_t>{1, 3}));
}

TEST(Trials, CountsThatCannotBeAreRefused) {
  const Dataset data = mixed_rows(10);
  for (const int folds : {-1, 0, 1, 11}) {
    const auto text = message_of([&] { k_fold_trials(data, folds); }, ErrorCode::invalid_option);
    EXPECT_NE(text.find(std::to_string(folds)), std::string::npos) << text;
  }
  message_of([&] { k_fold_trials(data, 2, 0); }, ErrorCode::invalid_option);
  message_of([&] { holdout_trials(data, 0.2, 0); }, ErrorCode::invalid_option);
  for (const double share : {0.0, 1.0, -0.1, std::nan("")}) {
    message_of([&] { holdout_trials(data, share, 1); }, ErrorCode::invalid_option);
  }
}

TEST(Trials, PartsThatCannotBeUsedAreRefusedWithTheTrial) {
  Dataset data = mixed_rows(10);
  data.labels = {0, 0, 0, 1, 1, 2, 2, 3, 3, 3};
  const Trial good{{0, 3, 5}, {1, 4}};
  const std::pair<Trial, std::string> cases[] = {
      {{{}, {1}}, "no rows to learn from"},
      {{{0, 3}, {}}, "no rows are held out"},
      {{{0, 3}, {10}}, "no row 11"},
      {{{0, 3}, {3}}, "row 4 occurs twice"},
      {{{0, 3, 0}, {1}}, "row 1 occurs twice"},
      {{{0, 1}, {3, 5}}, "of class '1'"},
  };
  for (const auto& [trial, part] : cases) {
    const std::vector<Trial> trials = {good, trial};
    const auto text = message_of([&, &bad = trials] { validate(data, quick(), bad); }, ErrorCode::invalid_data);
    EXPECT_TRUE(text.starts_with("trial 2: ")) << text;
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  data.weights = {1, 1, 1, 0, 1, 0, 1, 1, 1, 1};  // only row 0 of the good trial's learning rows counts
  const auto text = message_of([&] { validate(data, quick(), std::vector{good}); }, ErrorCode::invalid_data);
  EXPECT_TRUE(text.starts_with("trial 1: ")) << text;
  message_of([&] { validate(data, quick(), {}); }, ErrorCode::invalid_data);
}

TEST(Validate, ATrialIsWhatTrainingAndPredictingByHandGives) {
  const Dataset data = test_support::random_rows({.row_count = 80}, 3);
  const auto trials = k_fold_trials(data, 3);
  const ValidationResult result = validate(data, quick(), trials);
  ASSERT_EQ(result.trials.size(), 3U);
  EXPECT_FALSE(result.interrupted);
  for (std::size_t t = 0; t < 3; ++t) {
    const TrialResult& trial = result.trials[t];
    const Dataset holdout = subset(data, trials[t].holdout);
    const Predictions expected = train(subset(data, trials[t].learning), quick().train).model.predict(holdout);
    EXPECT_EQ(trial.trial, t);
    EXPECT_EQ(trial.rows, trials[t].holdout);
    EXPECT_EQ(trial.labels, holdout.labels);
    EXPECT_EQ(trial.learning_count, trials[t].learning.size());
    EXPECT_EQ(trial.predictions.scores, expected.scores);
    EXPECT_EQ(trial.predictions.classes, expected.classes);
    const Metrics metrics = evaluate(4, holdout.labels, expected.classes, expected.scores, expected.probabilities);
    EXPECT_EQ(trial.metrics.row_count, holdout.row_count());
    EXPECT_EQ(trial.metrics.accuracy, metrics.accuracy);
    EXPECT_EQ(trial.metrics.log_loss, metrics.log_loss);
    EXPECT_EQ(trial.metrics.confusion, metrics.confusion);
  }
}

TEST(Validate, TheSameBitsForAnyNumberOfThreads) {
  const Dataset data = mixed_rows(150);
  const auto trials = k_fold_trials(data, 5, 2);
  FitOptions options = quick();
  options.train.bag_count = 2;  // parallel loops inside the trials
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return validate(data, options, trials);
  };
  const ValidationResult one = run(1);
  const ValidationResult four = run(4);
  ASSERT_EQ(one.trials.size(), four.trials.size());
  for (std::size_t t = 0; t < one.trials.size(); ++t) expect_same_predictions(one.trials[t], four.trials[t]);
  for (std::size_t m = 0; m < one.summary.size(); ++m) {
    EXPECT_EQ(one.summary[m].mean, four.summary[m].mean);
    EXPECT_EQ(one.summary[m].spread, four.summary[m].spread);
  }
}

TEST(Validate, HeldOutLabelsChangeNoPredictionOfTheirTrial) {
  const Dataset data = mixed_rows();
  const auto trials = k_fold_trials(data, 3);
  const ValidationResult before = validate(data, quick(), trials);
  Dataset permuted = data;
  for (const std::size_t row : trials[1].holdout) permuted.labels[row] = 3 - data.labels[row];
  const ValidationResult after = validate(permuted, quick(), trials);
  expect_same_predictions(after.trials[1], before.trials[1]);
  EXPECT_NE(after.trials[1].metrics.accuracy, before.trials[1].metrics.accuracy);
  // The test can fail: the other trials learn from these labels.
  EXPECT_NE(after.trials[0].predictions.scores, before.trials[0].predictions.scores);
}

TEST(Validate, AHeldOutValueChangesNoPredictionButItsOwn) {
  Dataset data = mixed_rows();
  const auto trials = k_fold_trials(data, 3);
  const ValidationResult before = validate(data, quick(), trials);
  // Far outside the range, where a knot would follow it; missing; a level that no learning row has.
  const std::size_t changed = trials[2].holdout[4];
  data.columns[0][changed] = 1e6;
  data.columns[1][changed] = std::nan("");
  data.schema.attributes.back().levels.emplace_back("new");
  data.columns.back()[changed] = 3;
  const ValidationResult after = validate(data, quick(), trials);
  const auto classes = static_cast<std::size_t>(data.schema.class_count());
  for (std::size_t i = 0; i < trials[2].holdout.size(); ++i) {
    if (i == 4) continue;
    EXPECT_EQ(after.trials[2].predictions.scores[i], before.trials[2].predictions.scores[i]);
    EXPECT_EQ(after.trials[2].predictions.probabilities[i * classes],
              before.trials[2].predictions.probabilities[i * classes]);
  }
  EXPECT_NE(after.trials[0].predictions.scores, before.trials[0].predictions.scores);
}

TEST(Validate, ALevelThatNoLearningRowHasIsNew) {
  Dataset data = mixed_rows();
  const std::size_t k = data.columns.size() - 1;
  const Trial trial = k_fold_trials(data, 3)[0];
  for (const std::size_t row : trial.learning) {
    if (data.columns[k][row] == 0) data.columns[k][row] = 2;
  }
  const std::size_t at = 3;
  data.columns[k][trial.holdout[at]] = 0;
  const auto result = validate(data, quick(), std::vector{trial});
  const auto& notes = result.trials[0].predictions.notes;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [&](const RowNote& note) {
    return note.row == at && note.attribute == k && note.note == ValueNote::new_level;
  }));
}

TEST(Validate, AClassAbsentFromTheLearningRowsStaysAClass) {
  Dataset data = mixed_rows();
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    if (data.labels[i] == 3) data.labels[i] = 1;
  }
  data.labels[17] = 3;  // the only one, so it is held out once and absent then
  for (const auto rule : {AssignmentRule::support, AssignmentRule::threshold, AssignmentRule::probability}) {
    FitOptions options = quick();
    options.train.assignment.rule = rule;
    const auto result = validate(data, options, k_fold_trials(data, 5));
    ASSERT_EQ(result.trials.size(), 5U);
    for (const auto& trial : result.trials) {
      EXPECT_EQ(trial.predictions.class_count, 4);
      EXPECT_EQ(trial.metrics.confusion.size(), 4U);
      EXPECT_TRUE(std::isfinite(trial.metrics.log_loss));
    }
  }
}

TEST(Validate, MeanAndSpreadAreThoseWorkedByHand) {
  std::vector<TrialResult> trials(4);
  const double accuracies[] = {0.5, 0.7, 0.9, 0.7};  // mean 0.7, squares 0.04 + 0.04 = 0.08, spread sqrt(0.08 / 3)
  for (std::size_t t = 0; t < 4; ++t) trials[t].metrics.accuracy = accuracies[t];
  trials[2].metrics.mae = 0.25;  // undefined in the others
  const auto summary = summarize(trials);
  constexpr double rounding = 1e-15;
  ASSERT_EQ(summary.size(), std::size(metric_fields));
  EXPECT_EQ(summary[0].count, 4U);
  EXPECT_NEAR(summary[0].mean, 0.7, rounding);
  EXPECT_NEAR(summary[0].spread, std::sqrt(0.08 / 3), rounding);
  EXPECT_EQ(summary[0].min, 0.5);
  EXPECT_EQ(summary[0].max, 0.9);
  EXPECT_EQ(summary[1].count, 1U);
  EXPECT_EQ(summary[1].mean, 0.25);
  EXPECT_TRUE(std::isnan(summary[1].spread));
  EXPECT_EQ(summary[2].count, 0U);
  EXPECT_TRUE(std::isnan(summary[2].mean));
}

TEST(Validate, ProgressRisesToTheEndOneCallAtATime) {
  const Dataset data = mixed_rows();
  std::atomic<int> inside = 0;
  double share = 0;
  std::size_t finished = 0;
  validate(data, quick(), k_fold_trials(data, 4), [&](const Progress& progress) {
    EXPECT_EQ(++inside, 1);
    EXPECT_GE(progress.count, finished);
    EXPECT_LE(progress.count, 4U);
    EXPECT_LE(progress.share, 1.0);
    finished = progress.count;
    share = std::max(share, progress.share);
    --inside;
    return true;
  });
  EXPECT_EQ(finished, 4U);
  EXPECT_EQ(share, 1.0);
}

TEST(Validate, AnInterruptionKeepsTheFinishedTrialsAsTheyWouldHaveBeen) {
  const Dataset data = mixed_rows();
  const auto trials = k_fold_trials(data, 5, 4);
  const ValidationResult whole = validate(data, quick(), trials);
  const ValidationResult part = validate(data, quick(), trials, [](const Progress& p) { return p.count < 2; });
  EXPECT_TRUE(part.interrupted);
  EXPECT_GE(part.trials.size(), 2U);
  EXPECT_LT(part.trials.size(), trials.size());
  for (const auto& trial : part.trials) expect_same_predictions(trial, whole.trials[trial.trial]);
  EXPECT_EQ(part.summary[0].count, part.trials.size());

  const ValidationResult none = validate(data, quick(), trials, [](const Progress&) { return false; });
  EXPECT_TRUE(none.interrupted);
  EXPECT_TRUE(none.trials.empty());
  EXPECT_TRUE(std::isnan(none.summary[0].mean));
}

TEST(Validate, AnErrorInTheRowsToLearnFromNamesTheTrial) {
  Dataset data = mixed_rows(30);
  const auto trials = k_fold_trials(data, 3);
  for (const std::size_t row : trials[1].learning) data.columns[0][row] = std::nan("");
  const auto text = message_of([&] { validate(data, quick(), std::vector{trials[1]}); }, ErrorCode::invalid_data);
  EXPECT_TRUE(text.starts_with("trial 1, rows to learn from: ")) << text;
  EXPECT_NE(text.find("'n0'"), std::string::npos) << text;
  FitOptions options = quick();
  options.train.margin = -1;
  EXPECT_TRUE(message_of([&] { validate(data, options, trials); }, ErrorCode::invalid_option).starts_with("margin"));
}

}  // namespace
}  // namespace xofm
