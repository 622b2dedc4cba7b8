#include "core/train/resample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/random.hpp"
#include "core/data/folds.hpp"
#include "xofm/error.hpp"
#include "xofm/generate.hpp"
#include "xofm/threads.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

TrainOptions quick(int bag_count) { return {.parts = {{.factor_count = 2, .max_epochs = 15}}, .bag_count = bag_count}; }

TEST(Resample, FoldsSpreadEveryClassEvenly) {
  detail::Random random(4);
  std::vector<int> labels;
  for (int i = 0; i < 203; ++i) labels.push_back(static_cast<int>(random.below(4)));
  labels.push_back(4);  // a class of one
  const std::vector<int> folds = detail::stratified_folds(labels, 5, 5, 9);
  std::vector<std::vector<int>> counts(5, std::vector<int>(5));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    ASSERT_TRUE(folds[i] >= 0 && folds[i] < 5);
    ++counts[static_cast<std::size_t>(labels[i])][static_cast<std::size_t>(folds[i])];
  }
  for (const auto& of_class : counts) {
    const auto [least, most] = std::minmax_element(of_class.begin(), of_class.end());
    EXPECT_LE(*most - *least, 1);
  }
  EXPECT_NE(folds, detail::stratified_folds(labels, 5, 5, 10));
}

TEST(Resample, EveryRowIsInOneFoldAndLearnedFromInTheOthers) {
  Dataset data = generate({.row_count = 80, .attribute_count = 2, .class_count = 3, .seed = 5});
  for (std::size_t i = 0; i < data.row_count(); ++i) data.weights.push_back(1 + static_cast<double>(i % 3));
  const detail::Folds folds(data, 4, 9);
  ASSERT_EQ(folds.count(), 4U);
  std::vector<int> seen(data.row_count());
  for (std::size_t f = 0; f < 4; ++f) {
    EXPECT_EQ(folds.learning(f).row_count() + folds.rows(f).size(), data.row_count());
    std::vector<double> weights = data.weights;
    for (const std::size_t i : folds.rows(f)) {
      EXPECT_EQ(folds.fold_of(i), static_cast<int>(f));
      ++seen[i];
      weights[i] = 0;
    }
    EXPECT_EQ(folds.weights(f), weights);
  }
  EXPECT_EQ(seen, std::vector<int>(data.row_count(), 1));
}

TEST(Resample, APartHeldOutIsTheOnlyFold) {
  const Dataset data = generate({.row_count = 100, .attribute_count = 2, .class_count = 3, .seed = 5});
  const detail::Folds all(data, 5, 9);
  const detail::Folds folds(data, 5, 9, true);
  ASSERT_EQ(folds.count(), 1U);
  EXPECT_TRUE(folds.is_held_out());
  EXPECT_EQ(folds.rows(0), all.rows(0));
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    EXPECT_EQ(folds.fold_of(i), all.fold_of(i) == 0 ? 0 : detail::Folds::in_none);
  }
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST(Resample, AFoldIsScoredByAFitThatHasNotSeenIt) {
  // The twin: rows outside the fold as a data set of their own.
  const Dataset data = generate({.row_count = 80, .attribute_count = 3, .class_count = 3, .seed = 5});
  const TrainOptions options = quick(1);
  const detail::Folds folds(data, 4, 9);
  for (const bool has_common_knots : {false, true}) {
    const auto fits = detail::fit_folds(folds, options, 1, has_common_knots, {});
    const std::vector<double> unseen = detail::unseen_scores(folds, fits);
    for (std::size_t f = 0; f < 4; ++f) {
      const Dataset& part = folds.learning(f);
      const Encoder encoder = fit_encoder(has_common_knots ? data : part);
      const EncodedRows part_rows = encode(encoder, part);
      const detail::Learned twin = detail::learn({encoder, part_rows, part.labels, 3, {}}, options, options.recipe(),
                                                 detail::mix(options.optimizer.seed + f));
      const double centre = mean_of(detail::score_rows(encoder, twin, part_rows));
      const std::vector<double> scores = detail::score_rows(encoder, twin, encode(encoder, data));
      // Few epochs, so rounding of the gradients has not grown.
      for (const std::size_t i : folds.rows(f)) EXPECT_NEAR(unseen[i], scores[i] - centre, 1e-6);
    }
  }
}

TEST(Resample, LabelsAndValuesOfAFoldHaveNoPartInTheFitWithoutIt) {
  Dataset data = generate({.row_count = 80, .attribute_count = 3, .class_count = 3, .seed = 6});
  const detail::Folds folds(data, 4, 9);
  const auto increments = [&] {
    std::vector<std::vector<double>> by_fold;
    for (const detail::Members& members : detail::fit_folds(folds, quick(1), 2, false, {})) {
      by_fold.emplace_back();
      for (const detail::Member& member : members) {
        const auto& own = member.learned->parameters.increments;
        by_fold.back().insert(by_fold.back().end(), own.begin(), own.end());
      }
    }
    return by_fold;
  };
  const auto before = increments();
  // The folds keep a pointer to the rows, so they stay as they are.
  for (const std::size_t i : folds.rows(0)) data.labels[i] = (data.labels[i] + 1) % 3;
  const auto other_labels = increments();
  EXPECT_EQ(other_labels[0], before[0]);
  for (std::size_t f = 1; f < 4; ++f) EXPECT_NE(other_labels[f], before[f]);  // these learn from the labels
  for (const std::size_t i : folds.rows(0)) data.columns[1][i] = 1e6;
  const auto other_values = increments();
  constexpr double rounding = 1e-12;  // zeros are added up in another order
  for (std::size_t n = 0; n < before[0].size(); ++n) EXPECT_NEAR(other_values[0][n], before[0][n], rounding);
}

TEST(Resample, TheMeanScoresAreThoseOfTheMembersAboutTheirCentres) {
  const Dataset data = generate({.row_count = 60, .attribute_count = 3, .class_count = 3, .seed = 7});
  TrainOptions options = quick(1);
  options.parts.push_back({.segment_count = 3, .factor_count = 0, .max_epochs = 10, .weight = 3});
  const detail::Members members = detail::fit_parts(data, options, 5, {});
  ASSERT_EQ(members.size(), 2U);
  std::vector<double> expected(data.row_count());
  for (std::size_t p = 0; p < 2; ++p) {
    const detail::Member& member = members[p];
    EXPECT_EQ(member.weight, options.parts[p].weight);
    const auto scores = detail::score_rows(*member.encoder, *member.learned, encode(*member.encoder, data));
    EXPECT_NEAR(member.centre, mean_of(scores), 1e-12);
    for (std::size_t i = 0; i < scores.size(); ++i) expected[i] += member.weight / 4 * (scores[i] - member.centre);
  }
  const std::vector<double> together = detail::mean_scores(members, data);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(together[i], expected[i], 1e-12);
}

TEST(Resample, AskedToStopTheFoldsKeepTheFitsThatWereFinished) {
  const Dataset data = generate({.row_count = 80, .attribute_count = 3, .class_count = 3, .seed = 8});
  const detail::Folds folds(data, 2, 9);
  TrainOptions options = quick(1);
  options.optimizer.tolerance = 0;
  const auto whole = detail::fit_folds(folds, options, 3, true, {});
  const ThreadLimit limit(1);
  // Six fits one after the other; the second of the first fold is cut off, those of the second fold do not begin.
  const auto cut = detail::fit_folds(folds, options, 3, true, [](const Progress& p) { return p.share < 1.5 / 6; });
  ASSERT_EQ(cut[0].size(), 1U);
  EXPECT_EQ(cut[0][0].learned->parameters.factors, whole[0][0].learned->parameters.factors);
  ASSERT_FALSE(cut[1].empty());
  for (const detail::Member& member : cut[1]) EXPECT_EQ(member.learned->reason, StopReason::interrupted);
}

TEST(Resample, UnseenScoresDoNotKnowTheLabelsTheyAreCalibratedOn) {
  // Labels without any relation to the attributes: training scores look good, unseen scores do not.
  detail::Random random(21);
  Dataset data = generate({.row_count = 150, .attribute_count = 6, .class_count = 3, .seed = 2});
  random.shuffle(data.labels);
  const auto c_index_of = [&](ReferenceScores source, int bag_count) {
    TrainOptions options = quick(bag_count);
    options.recipe().max_epochs = 60;
    options.recipe().increment_penalty = options.recipe().factor_penalty = 1e-5;
    options.assignment.reference_scores = source;
    const Model model = train(data, options).model;
    std::vector<int> labels;
    std::vector<double> scores;
    for (std::size_t h = 0; h < 3; ++h) {
      for (const auto& point : model.assignment.reference.classes[h]) {
        labels.push_back(static_cast<int>(h));
        scores.push_back(point.score);
        EXPECT_EQ(data.labels[point.row - 1], static_cast<int>(h));
      }
    }
    return c_index(count_pairs(3, labels, scores));
  };
  EXPECT_GT(c_index_of(ReferenceScores::training, 1), 0.9);
  EXPECT_LT(c_index_of(ReferenceScores::out_of_sample, 1), 0.65);
  EXPECT_LT(c_index_of(ReferenceScores::automatic, 8), 0.65);
}

TEST(Resample, ABaggedModelIsOneModelWithTheFactorsSideBySide) {
  const Dataset data = generate({.row_count = 120, .attribute_count = 4, .class_count = 3});
  const Model model = train(data, quick(5)).model;
  EXPECT_EQ(model.parameters.factor_count, 10);
  EXPECT_EQ(model.parameters.factors.size(), 10 * model.encoder.coordinate_count());
  EXPECT_EQ(model.assignment.reference_source, ReferenceScores::out_of_sample);
  // Five folds, five members: each row is left out once, so all are for reference.
  std::size_t referenced = 0;
  for (const auto& points : model.assignment.reference.classes) referenced += points.size();
  EXPECT_EQ(referenced, 120U);
}

TEST(Resample, BaggingIsTheSameBitsForAnyNumberOfThreads) {
  const Dataset data = generate({.row_count = 200, .attribute_count = 4, .class_count = 3});
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return train(data, quick(4)).model;
  };
  const Model one = run(1);
  const Model four = run(4);
  EXPECT_EQ(one.parameters.increments, four.parameters.increments);
  EXPECT_EQ(one.parameters.factors, four.parameters.factors);
  EXPECT_EQ(one.assignment.mae_cuts, four.assignment.mae_cuts);
}

TEST(Resample, AClassOfOneObjectStaysInTheReference) {
  Dataset data = generate({.row_count = 60, .attribute_count = 3, .class_count = 3});
  for (int& label : data.labels) label = std::min(label, 1);
  data.labels[7] = 2;
  const Model model = train(data, quick(4)).model;
  ASSERT_EQ(model.assignment.reference.classes[2].size(), 1U);
  EXPECT_EQ(model.assignment.reference.classes[2][0].row, 8U);
}

TEST(Resample, AMonotoneBaggedModelIsCertified) {
  const Dataset data = generate({.row_count = 150, .attribute_count = 4, .class_count = 3});
  TrainOptions options = quick(3);
  options.attributes.directions = {{"x1", Direction::increasing}, {"x3", Direction::decreasing}};
  EXPECT_TRUE(train(data, options).model.certificate.holds);
}

TEST(Resample, AnInterruptedBagKeepsWhatHasBeenLearned) {
  const Dataset data = generate({.row_count = 100, .attribute_count = 3, .class_count = 3});
  int calls = 0;
  double greatest_share = 0;
  const Fit fit = train(data, quick(6), [&](const Progress& progress) {
    greatest_share = std::max(greatest_share, progress.share);
    return ++calls < 40;
  });
  EXPECT_TRUE(fit.interrupted());
  EXPECT_LE(greatest_share, 1.0);
  EXPECT_GT(c_index(count_pairs(3, data.labels, fit.model.score(data))), 0.8);
}

TEST(Resample, ASingleFitIsReadByScoresOfUnseenRowsWhereRefitsAreQuick) {
  const Dataset data = generate({.row_count = 200, .attribute_count = 3, .class_count = 3, .noise = 0.5});
  const auto fitted = [&](const Dataset& rows, ReferenceScores source, Optimizer method = Optimizer::lbfgs) {
    TrainOptions options = quick(1);
    options.assignment.reference_scores = source;
    options.recipe().method = method;
    return train(rows, options).model;
  };
  const Model by_itself = fitted(data, ReferenceScores::automatic);
  const Model asked = fitted(data, ReferenceScores::out_of_sample);
  const Model paper = fitted(data, ReferenceScores::training);
  EXPECT_EQ(by_itself.assignment.reference_source, ReferenceScores::out_of_sample);
  EXPECT_EQ(by_itself.assignment.calibration.thresholds, asked.assignment.calibration.thresholds);
  EXPECT_EQ(by_itself.assignment.conformity, asked.assignment.conformity);
  EXPECT_EQ(by_itself.parameters.increments, paper.parameters.increments);
  EXPECT_LT(by_itself.assignment.calibration.slope, paper.assignment.calibration.slope);  // less sure of itself
  // Too few rows for folds; the paper's descent, which is slow.
  std::vector<std::size_t> few(49);
  std::iota(few.begin(), few.end(), std::size_t{0});
  for (const Model& model : {fitted(subset(data, few), ReferenceScores::automatic),
                             fitted(data, ReferenceScores::automatic, Optimizer::sgd)}) {
    EXPECT_EQ(model.assignment.reference_source, ReferenceScores::training);
  }
  EXPECT_TRUE(detail::has_quick_refits(5'000, 10));
  EXPECT_FALSE(detail::has_quick_refits(5'001, 10));
}

TEST(Resample, RefitsThatAreCutOffLeaveTheModelAndItsTrainingScores) {
  const Dataset data = generate({.row_count = 100, .attribute_count = 3, .class_count = 3});
  const auto fit_until = [&](double share) {
    return train(data, quick(1), [&](const Progress& progress) { return progress.share < share; });
  };
  const Fit whole = fit_until(2);
  const Fit cut = fit_until(0.5);  // the fit itself is the first sixth of the work
  EXPECT_TRUE(cut.interrupted());
  EXPECT_EQ(cut.model.parameters.increments, whole.model.parameters.increments);
  EXPECT_EQ(cut.model.assignment.reference_source, ReferenceScores::training);
  EXPECT_TRUE(cut.model.assignment.conformity.empty());
  EXPECT_FALSE(whole.interrupted());
}

TEST(Resample, AWarmStartOfABagIsRefused) {
  const Dataset data = generate({.row_count = 60, .attribute_count = 3, .class_count = 3});
  const Model model = train(data, quick(1)).model;
  EXPECT_THROW(train(data, quick(2), {}, &model), Error);
}

}  // namespace
}  // namespace xofm
