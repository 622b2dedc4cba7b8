#include "core/train/resample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/random.hpp"
#include "core/data/folds.hpp"
#include "core/score/score_table.hpp"
#include "support/random_rows.hpp"
#include "xofm/error.hpp"
#include "xofm/generate.hpp"
#include "xofm/threads.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

TrainOptions quick(int bag_count) {
  TrainOptions options;
  options.factor_count = 2;
  options.bag_count = bag_count;
  options.optimizer.max_epochs = 15;
  return options;
}

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

TEST(Resample, TheAverageModelScoresTheMeanOfTheScores) {
  const Dataset data = test_support::random_rows({.row_count = 60, .categorical_count = 1, .missing_share = 0.1}, 3);
  const Encoder encoder = fit_encoder(data);
  const EncodedRows rows = encode(encoder, data);
  detail::Random random(8);
  std::vector<Parameters> models(3);
  for (auto& model : models) {
    model.factor_count = 3;
    for (std::size_t i = 0; i < encoder.coordinate_count(); ++i) model.increments.push_back(random.normal());
    for (std::size_t i = 0; i < 3 * encoder.coordinate_count(); ++i) model.factors.push_back(random.normal());
  }
  const std::vector<double> together = detail::score_rows(encoder, detail::average(models), rows);
  for (std::size_t i = 0; i < rows.row_count; ++i) {
    double mean = 0;
    double size = 0;
    for (const auto& model : models) {
      const double score = detail::score_rows(encoder, model, rows)[i];
      mean += score / 3;
      size += std::abs(score);
    }
    EXPECT_NEAR(together[i], mean, 1e-13 * size);  // rounding of sums of a few hundred products
  }
}

TEST(Resample, AFoldIsScoredByAModelThatHasNotSeenIt) {
  // The twin: rows outside the fold as a data set of their own, on the same knots.
  const Dataset data = generate({.row_count = 80, .attribute_count = 3, .class_count = 3, .seed = 5});
  TrainOptions options = quick(1);
  options.assignment.fold_count = 4;
  const Encoder encoder = fit_encoder(data, options.encoder);
  const EncodedRows rows = encode(encoder, data);
  const detail::LearningRows learning{encoder, rows, data.labels, 3, {}};
  const Parameters full = detail::learn(learning, options).parameters;
  const std::vector<double> scores = detail::out_of_fold_scores(learning, options, full, {});

  const auto mean_of = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  const double centre = mean_of(detail::score_rows(encoder, full, rows));
  const std::vector<int> folds =
      detail::stratified_folds(data.labels, 3, 4, detail::mix(options.optimizer.seed ^ 0xf01d));
  for (std::size_t fold = 0; fold < 4; ++fold) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < folds.size(); ++i) {
      if (folds[i] != static_cast<int>(fold)) others.push_back(i);
    }
    const Dataset part = subset(data, others);
    const EncodedRows part_rows = encode(encoder, part);
    TrainOptions own = options;
    own.optimizer.seed = detail::mix(options.optimizer.seed + fold);
    const Parameters model = detail::learn({encoder, part_rows, part.labels, 3, {}}, own).parameters;
    const std::vector<double> all = detail::score_rows(encoder, model, rows);
    for (std::size_t i = 0; i < folds.size(); ++i) {
      // Few epochs, so rounding of the gradients has not grown.
      if (folds[i] != static_cast<int>(fold)) continue;
      EXPECT_NEAR(scores[i], all[i] - mean_of(all) + centre, 1e-6);
    }
  }
}

TEST(Resample, UnseenScoresDoNotKnowTheLabelsTheyAreCalibratedOn) {
  // Labels without any relation to the attributes: training scores look good, unseen scores do not.
  detail::Random random(21);
  Dataset data = generate({.row_count = 150, .attribute_count = 6, .class_count = 3, .seed = 2});
  random.shuffle(data.labels);
  const auto c_index_of = [&](ReferenceScores source, int bag_count) {
    TrainOptions options = quick(bag_count);
    options.optimizer.max_epochs = 60;
    options.increment_penalty = options.factor_penalty = 1e-5;
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
  options.encoder.directions = {{"x1", Direction::increasing}, {"x3", Direction::decreasing}};
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
    options.optimizer.method = method;
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
