#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/random.hpp"
#include "support/random_rows.hpp"
#include "support/train_cases.hpp"
#include "xofm/error.hpp"
#include "xofm/generate.hpp"
#include "xofm/threads.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

using test_support::converged_tolerance;
using test_support::convex;
using test_support::objective_of;
using test_support::quick;
using test_support::random_rows;

// --- The same bits.

void expect_same_bits(const Model& a, const Model& b) {
  EXPECT_EQ(a.parameters.increments, b.parameters.increments);
  EXPECT_EQ(a.parameters.factors, b.parameters.factors);
  EXPECT_EQ(a.summary.objective, b.summary.objective);
  EXPECT_EQ(a.assignment.mae_cuts, b.assignment.mae_cuts);
  EXPECT_EQ(a.assignment.accuracy_cuts, b.assignment.accuracy_cuts);
  EXPECT_EQ(a.assignment.calibration.slope, b.assignment.calibration.slope);
  EXPECT_EQ(a.assignment.calibration.thresholds, b.assignment.calibration.thresholds);
  EXPECT_EQ(a.assignment.calibration.floor, b.assignment.calibration.floor);
  EXPECT_EQ(a.summary.data_fingerprint, b.summary.data_fingerprint);
}

TEST(Train, ThreadsDoNotChangeABit) {
  const Dataset data =
      generate({.row_count = 8000, .attribute_count = 5, .categorical_count = 1, .missing_share = 0.02});
  for (const LossForm form : {LossForm::sweep, LossForm::histogram}) {
    TrainOptions options = quick();
    options.loss_form = form;
    options.recipe().max_epochs = 15;
    Fit one;
    Predictions expected;
    {
      const ThreadLimit limit(1);
      one = train(data, options);
      expected = one.model.predict(data);
    }
    const ThreadLimit limit(4);
    const Fit many = train(data, options);
    expect_same_bits(one.model, many.model);
    const Predictions predictions = many.model.predict(data);
    EXPECT_EQ(predictions.scores, expected.scores);
    EXPECT_EQ(predictions.classes, expected.classes);
    EXPECT_EQ(predictions.support, expected.support);
    EXPECT_EQ(predictions.probabilities, expected.probabilities);
  }
}

TEST(Train, TheSeedDecidesTheBits) {
  const Dataset data = random_rows({.row_count = 60}, 39);
  for (const Optimizer method : {Optimizer::lbfgs, Optimizer::sgd}) {
    TrainOptions options = quick();
    options.recipe().method = method;
    options.recipe().max_epochs = 5;
    const Fit a = train(data, options), b = train(data, options);
    expect_same_bits(a.model, b.model);
    options.optimizer.seed = 2;
    EXPECT_NE(train(data, options).model.parameters.factors, a.model.parameters.factors);
  }
}

// --- Properties of the data.

TEST(Train, RowOrderDoesNotMatter) {
  const Dataset data = random_rows({.row_count = 100, .missing_share = 0.05, .weighted = true}, 40);
  std::vector<std::size_t> order(data.row_count());
  std::iota(order.begin(), order.end(), 0);
  detail::Random(1).shuffle(order);
  const Dataset shuffled = subset(data, order);
  const Fit a = train(data, convex()), b = train(shuffled, convex());
  EXPECT_NEAR(objective_of(a), objective_of(b), converged_tolerance * objective_of(a));
  const auto x = a.model.score(data), y = b.model.score(data);
  // The objective is flat at its minimum: scores agree to the square root of its tolerance.
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-3);
}

TEST(Train, AMirroredAttributeMirrorsItsCurve) {
  const Dataset data = random_rows({.row_count = 100}, 41);
  Dataset mirrored = data;
  for (double& value : mirrored.columns[0]) value = -value;
  const Fit a = train(data, convex()), b = train(mirrored, convex());
  EXPECT_NEAR(objective_of(a), objective_of(b), converged_tolerance * objective_of(a));
  const auto& u = a.model.parameters.increments;
  const auto& w = b.model.parameters.increments;
  for (std::size_t n = 0; n < 4; ++n) EXPECT_NEAR(u[n], -w[3 - n], 1e-3) << "flat minimum";
  for (std::size_t n = 4; n < u.size(); ++n) EXPECT_NEAR(u[n], w[n], 1e-3) << "flat minimum";

  // With its direction reversed too, everything is the same.
  TrainOptions up = quick(), down = quick();
  up.recipe().knots = down.recipe().knots = KnotPlacement::equal_width;
  up.attributes.directions = {{"n0", Direction::increasing}};
  down.attributes.directions = {{"n0", Direction::decreasing}};
  const auto x = train(data, up).model.score(data), y = train(mirrored, down).model.score(mirrored);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-6) << "the same steps, up to rounding";
}

TEST(Train, AWeightOfTwoIsTheRowTwice) {
  Dataset data = random_rows({.row_count = 60}, 42);
  Dataset repeated = data;
  data.weights.assign(data.row_count(), 1.0);
  for (std::size_t i = 0; i < data.row_count(); i += 3) {
    data.weights[i] = 2;
    for (std::size_t j = 0; j < data.columns.size(); ++j) repeated.columns[j].push_back(data.columns[j][i]);
    repeated.labels.push_back(data.labels[i]);
  }
  const Fit a = train(data, convex()), b = train(repeated, convex());
  EXPECT_NEAR(objective_of(a), objective_of(b), converged_tolerance * objective_of(a));
  EXPECT_EQ(a.model.summary.class_weights, b.model.summary.class_weights);
  const auto x = a.model.predict(data), y = b.model.predict(data);
  for (std::size_t i = 0; i < x.scores.size(); ++i) EXPECT_NEAR(x.scores[i], y.scores[i], 1e-3) << "flat minimum";
  for (std::size_t n = 0; n < a.model.distribution.mean_encoding.size(); ++n) {
    EXPECT_NEAR(a.model.distribution.mean_encoding[n], b.model.distribution.mean_encoding[n], 1e-12);
  }
}

TEST(Train, MultiplyingAllWeightsChangesNoParameter) {
  Dataset data = random_rows({.row_count = 60, .weighted = true}, 43);
  const Fit a = train(data, convex());
  for (double& weight : data.weights) weight *= 1024;  // exact
  const Fit b = train(data, convex());
  EXPECT_NEAR(objective_of(a), objective_of(b), converged_tolerance * objective_of(a));
  const auto x = a.model.score(data), y = b.model.score(data);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-3) << "flat minimum";
}

TEST(Train, RowsOfWeightZeroChangeNothing) {
  Dataset data = random_rows({.row_count = 60, .weighted = true}, 44);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    if (i % 4 == 2) {
      data.weights[i] = 0;
      data.columns[0][i] = 1e6;  // would move the knots
    } else {
      kept.push_back(i);
    }
  }
  const Dataset without = subset(data, kept);
  const Fit a = train(data, quick()), b = train(without, quick());
  expect_same_bits(a.model, b.model);
  EXPECT_EQ(a.model.summary.row_count, kept.size());
  // The reference names the rows of the data as they were given.
  for (std::size_t h = 0; h < 4; ++h) {
    const auto& with = a.model.assignment.reference.classes[h];
    ASSERT_EQ(with.size(), b.model.assignment.reference.classes[h].size());
    for (std::size_t i = 0; i < with.size(); ++i) {
      EXPECT_EQ(with[i].row, kept[b.model.assignment.reference.classes[h][i].row - 1] + 1);
      EXPECT_EQ(data.labels[with[i].row - 1], static_cast<int>(h));
    }
  }
}

TEST(Train, AConstantColumnChangesNothing) {
  const Dataset data = random_rows({.row_count = 60, .constant_count = 0}, 45);
  Dataset with = data;
  with.schema.attributes.push_back({.name = "constant"});
  with.columns.emplace_back(60, 3.25);
  const Fit a = train(data, convex()), b = train(with, convex());
  EXPECT_NEAR(objective_of(a), objective_of(b), converged_tolerance * objective_of(a));
  EXPECT_EQ(b.model.parameters.increments.back(), 0);
  const Fit c = train(with, quick());
  const auto k = static_cast<std::size_t>(c.model.parameters.factor_count);
  for (std::size_t f = 0; f < k; ++f) EXPECT_EQ(c.model.parameters.factors.rbegin()[static_cast<std::ptrdiff_t>(f)], 0);
}

TEST(Train, OnlyConstantColumnsGiveEqualScores) {
  const Dataset data = random_rows({.row_count = 30, .numeric_count = 0, .tied_count = 0, .constant_count = 2}, 46);
  for (const Optimizer method : {Optimizer::lbfgs, Optimizer::sgd}) {
    TrainOptions options = quick();
    options.recipe().method = method;
    const Fit fit = train(data, options);
    EXPECT_DOUBLE_EQ(objective_of(fit), 1);  // every pair misses by the margin
    const auto predictions = fit.model.predict(data);
    for (const double score : predictions.scores) EXPECT_EQ(score, 0);
    for (const double probability : predictions.probabilities) EXPECT_TRUE(std::isfinite(probability));
  }
}

TEST(Train, HugeAndTinyScalesTrainLikeOrdinaryOnes) {
  const Dataset data = random_rows({.row_count = 60}, 47);
  const double ordinary = objective_of(train(data, convex()));
  for (const double scale : {0x1p900, 0x1p-900}) {  // exact
    Dataset scaled = data;
    for (double& value : scaled.columns[0]) value *= scale;
    EXPECT_NEAR(objective_of(train(scaled, convex())), ordinary, converged_tolerance * ordinary);
  }
}

// --- Loss forms.

TEST(Train, ForcedSweepAndForcedHistogramGiveNearlyTheSameModel) {
  const Dataset data = generate({.row_count = 3000, .attribute_count = 4, .class_count = 4});
  TrainOptions options = convex();
  options.recipe().max_epochs = 200;
  options.optimizer.tolerance = 1e-8;
  options.loss_form = LossForm::sweep;
  const Fit exact = train(data, options);
  options.loss_form = LossForm::histogram;
  const Fit fast = train(data, options);
  EXPECT_NEAR(objective_of(exact), objective_of(fast), 1e-5 * objective_of(exact)) << "bins of margin / 1024";
  const auto x = exact.model.score(data), y = fast.model.score(data);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 5e-3) << "flat minimum";
}

TEST(Train, LargeDataBeginWithTheHistogramAndFinishExactly) {
  const Dataset data = generate({.row_count = 60000, .attribute_count = 3, .class_count = 3, .noise = 0.3});
  TrainOptions options = quick(2);
  options.recipe().max_epochs = 100;
  double last_epoch = 0;
  const auto watch = [&](const Progress& progress) {
    if (progress.epoch > 0) last_epoch = progress.epoch;  // of the training, not of what comes after it
    return true;
  };
  const Fit automatic = train(data, options, watch);
  EXPECT_EQ(automatic.model.summary.epochs, last_epoch);  // both parts are counted
  options.loss_form = LossForm::sweep;
  const Fit exact = train(data, options);
  // Both stop when ten evaluations gain less than 1e-5.
  EXPECT_NEAR(objective_of(automatic), objective_of(exact), 1e-3 * objective_of(exact));
  EXPECT_LE(automatic.model.summary.epochs, 100);
  // The objective told is the exact one of the parameters returned.
  const auto scores = automatic.model.score(data);
  const PairLoss loss(data.labels, 3, {}, options.margin);
  std::vector<double> derivative(scores.size());
  const double told = automatic.model.summary.loss;
  EXPECT_NEAR(loss(scores, derivative, LossForm::sweep), told, 1e-9 * told);

  // A limit that the first part uses up, or a stop, ends the whole.
  options.loss_form = LossForm::automatic;
  options.recipe().max_epochs = 3;
  EXPECT_EQ(train(data, options).model.summary.stop_reason, StopReason::epoch_limit);
  options.recipe().max_epochs = 100;
  const Fit stopped = train(data, options, [](const Progress& progress) { return progress.epoch < 4; });
  EXPECT_EQ(stopped.model.summary.stop_reason, StopReason::interrupted);
  EXPECT_EQ(stopped.model.summary.epochs, 4);
  // Epochs go on counting in the second part.
  const int total = automatic.model.summary.epochs;
  const Fit late = train(data, options, [&](const Progress& progress) { return progress.epoch < total - 1; });
  EXPECT_TRUE(late.interrupted());
  EXPECT_EQ(late.model.summary.epochs, total - 1);
}

// --- Small and odd data.

TEST(Train, AClassWithOneObjectWorks) {
  Dataset data = random_rows({.row_count = 40}, 55);
  std::replace(data.labels.begin() + 2, data.labels.end(), 3, 2);
  ASSERT_EQ(std::count(data.labels.begin(), data.labels.end(), 3), 1);
  const Fit fit = train(data, quick());
  EXPECT_TRUE(std::isfinite(objective_of(fit)));
  EXPECT_EQ(fit.model.assignment.reference.classes[3].size(), 1U);
}

TEST(Train, AnAbsentClassWorks) {
  const Dataset data = random_rows({.row_count = 60, .class_count = 5, .absent_class = 2}, 56);
  ASSERT_EQ(std::count(data.labels.begin(), data.labels.end(), 2), 0);
  for (const AssignmentRule rule : {AssignmentRule::support, AssignmentRule::threshold, AssignmentRule::probability}) {
    TrainOptions options = quick();
    options.assignment.rule = rule;
    const auto predictions = train(data, options).model.predict(data);
    double right = 0;
    for (std::size_t i = 0; i < 60; ++i) right += predictions.classes[i] == data.labels[i] ? 1.0 / 60 : 0;
    EXPECT_GT(right, 0.5);
    for (const double value : predictions.support) EXPECT_TRUE(value >= 0 && value <= 1);
    for (const double value : predictions.probabilities) EXPECT_TRUE(value >= 0 && value <= 1);
  }
}

TEST(Train, TwoRowsAreEnough) {
  Dataset data;
  data.schema.attributes = {{.name = "x"}};
  data.schema.class_names = {"low", "high"};
  data.columns = {{3, 1}};
  data.labels = {0, 1};
  const Model model = train(data).model;
  const auto predictions = model.predict(data);
  EXPECT_EQ(predictions.classes, data.labels);
  EXPECT_LT(predictions.scores[0], predictions.scores[1]);
}

TEST(Train, ThePaperPresetTrainsOnASmallSet) {
  const TrainOptions options = paper_preset();
  EXPECT_EQ(options.recipe().knots, KnotPlacement::equal_width);
  EXPECT_EQ(options.recipe().method, Optimizer::sgd);
  EXPECT_EQ(options.optimizer.learning_rate_decay, 0);
  EXPECT_EQ(options.assignment.rule, AssignmentRule::support);
  EXPECT_EQ(options.recipe().increment_penalty, 0);
  EXPECT_EQ(options.recipe().factor_penalty, 0);
  const Dataset data = random_rows({.row_count = 80, .class_count = 3, .noise = 0.1}, 57);
  const Model model = train(data, options).model;
  const auto predictions = model.predict(data);
  double right = 0;
  for (std::size_t i = 0; i < 80; ++i) right += predictions.classes[i] == data.labels[i] ? 1.0 / 80 : 0;
  EXPECT_GT(right, 0.85);
  for (std::size_t i = 0; i < 80; ++i) {
    EXPECT_GE(predictions.classes[i], predictions.intervals[i].lowest);
    EXPECT_LE(predictions.classes[i], predictions.intervals[i].highest);
  }
}

}  // namespace
}  // namespace xofm
