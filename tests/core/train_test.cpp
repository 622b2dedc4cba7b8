#include "xofm/train.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/base/random.hpp"
#include "support/dense_model.hpp"
#include "support/random_rows.hpp"
#include "support/slow_pair_loss.hpp"
#include "xofm/error.hpp"
#include "xofm/generate.hpp"
#include "xofm/threads.hpp"

namespace xofm {
namespace {

using test_support::random_rows;

// Where the stopping rule is tight, values agree far better than this; it is what the rule itself leaves open.
constexpr double converged_tolerance = 1e-6;

// The convex problem, minimised as far as rounding allows.
TrainOptions convex(double penalty = 0.02) {
  TrainOptions options;
  options.encoder = {.knots = KnotPlacement::equal_width, .segment_count = 4};
  options.factor_count = 0;
  options.increment_penalty = penalty;
  options.optimizer = {.max_epochs = 1000, .tolerance = 1e-13};
  return options;
}

TrainOptions quick(int factor_count = 3) {
  TrainOptions options;
  options.encoder.segment_count = 4;
  options.factor_count = factor_count;
  options.optimizer.max_epochs = 60;
  return options;
}

double objective_of(const Fit& fit) { return fit.model.summary.objective; }

// --- The two optimizers.

TEST(Train, SgdAndLbfgsReachTheSameMinimumOfTheConvexCase) {
  for (const bool weighted : {false, true}) {
    const Dataset data = random_rows({.row_count = 60,
                                      .class_count = 3,
                                      .constant_count = 1,
                                      .categorical_count = 1,
                                      .missing_share = 0.1,
                                      .weighted = weighted},
                                     31);
    TrainOptions options = convex();
    const double exact = objective_of(train(data, options));
    options.optimizer = {
        .method = Optimizer::sgd, .max_epochs = 200, .tolerance = 0, .learning_rate = 0.02, .learning_rate_decay = 1};
    const double stochastic = objective_of(train(data, options));
    EXPECT_GE(stochastic, exact * (1 - converged_tolerance));
    // Steps that decay to 1e-4 leave noise of that order in the objective.
    EXPECT_LE(stochastic, exact * (1 + 1e-4));
  }
}

TEST(Train, TheConvexMinimumDoesNotDependOnTheStart) {
  const Dataset data = random_rows({.row_count = 80}, 32);
  const TrainOptions options = convex();
  const Fit fit = train(data, options);
  Model far = fit.model;
  detail::Random random(1);
  for (double& u : far.parameters.increments) u = 10 * random.normal();
  const Fit again = train(data, options, {}, &far);
  EXPECT_NEAR(objective_of(again), objective_of(fit), converged_tolerance * objective_of(fit));
}

TEST(Train, SeveralRestartsKeepTheLowestObjective) {
  const Dataset data = random_rows({.row_count = 80}, 33);
  TrainOptions options = quick(2);
  options.optimizer.restart_count = 5;
  options.optimizer.init_stddev = 1;
  for (const Optimizer method : {Optimizer::lbfgs, Optimizer::sgd}) {
    options.optimizer.method = method;
    options.optimizer.max_epochs = method == Optimizer::sgd ? 5 : 60;
    std::map<int, double> last;
    const auto watch = [&](const Progress& progress) {
      EXPECT_EQ(progress.restart_count, 5);
      EXPECT_EQ(progress.max_epochs, options.optimizer.max_epochs);
      last[progress.restart] = progress.objective;
      return true;
    };
    const Fit fit = train(data, options, watch);
    ASSERT_EQ(last.size(), 5U);
    if (method == Optimizer::lbfgs) {  // which reports after every evaluation, the last one included
      const auto least =
          std::min_element(last.begin(), last.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      EXPECT_EQ(objective_of(fit), least->second);
      EXPECT_EQ(fit.model.summary.best_restart, least->first);
    }
    for (const auto& [restart, objective] : last) EXPECT_LE(objective_of(fit), objective);
    // One start alone is the first of the five.
    TrainOptions one = options;
    one.optimizer.restart_count = 1;
    EXPECT_LE(objective_of(fit), objective_of(train(data, one)));
  }
}

// --- Warm start.

TEST(Train, AWarmStartBeginsAtTheOldObjective) {
  const Dataset data = random_rows({.row_count = 80, .categorical_count = 1, .missing_share = 0.1}, 34);
  for (const bool monotone : {false, true}) {
    for (const Optimizer method : {Optimizer::lbfgs, Optimizer::sgd}) {
      TrainOptions options = quick();
      if (monotone) options.encoder.directions = {{"n0", Direction::increasing}};
      options.optimizer.method = method;
      options.optimizer.max_epochs = 5;
      const Fit before = train(data, options);
      std::vector<double> seen;
      const auto watch = [&](const Progress& progress) {
        seen.push_back(progress.objective);
        return true;
      };
      options.optimizer.max_epochs = 1;
      const Fit one = train(data, options, watch, &before.model);
      ASSERT_FALSE(seen.empty());
      EXPECT_EQ(seen.front(), objective_of(before));
      EXPECT_LE(objective_of(one), objective_of(before));
      options.optimizer.max_epochs = 20;
      EXPECT_LE(objective_of(train(data, options, {}, &before.model)), objective_of(before));
    }
  }
}

TEST(Train, AWarmStartKeepsTheKnots) {
  const Dataset data = random_rows({.row_count = 80}, 35);
  const Fit before = train(data, quick());
  TrainOptions options = quick();
  options.encoder.segment_count = 2;
  const Dataset other = random_rows({.row_count = 50}, 36);
  const Fit after = train(other, options, {}, &before.model);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_EQ(after.model.encoder.attributes[j].knots, before.model.encoder.attributes[j].knots);
  }
  EXPECT_EQ(after.model.options.encoder.segment_count, 4);  // how its knots were really made
}

TEST(Train, AWarmStartMayChangeTheNumberOfFactors) {
  const Dataset data = random_rows({.row_count = 80}, 37);
  const Fit before = train(data, quick(2));
  for (const int factor_count : {0, 1, 4}) {
    TrainOptions options = quick(factor_count);
    options.optimizer.init_stddev = 0;  // further factors begin at zero: the same scores
    options.optimizer.max_epochs = 1;
    const Fit after = train(data, options, {}, &before.model);
    EXPECT_EQ(after.model.parameters.factor_count, factor_count);
    if (factor_count > 2) {
      EXPECT_NEAR(objective_of(after), objective_of(before), 1e-12);
    }
  }
}

TEST(Train, AWarmStartCannotChangeADirection) {
  const Dataset data = generate({.row_count = 100, .attribute_count = 3, .class_count = 3});
  const Model model = train(data).model;
  TrainOptions options;
  options.encoder.directions = {{"x1", Direction::increasing}};
  EXPECT_THROW(train(data, options, {}, &model), Error);
  options.encoder.directions = {{"x1", Direction::none}};
  EXPECT_NO_THROW(train(data, options, {}, &model));
}

TEST(Train, AWarmStartWithOtherAttributesIsRefused) {
  const Dataset data = random_rows({.row_count = 40, .categorical_count = 1}, 38);
  const Fit before = train(data, quick());
  const auto refuse = [&](auto change) {
    Dataset other = data;
    change(other);
    EXPECT_THROW(train(other, quick(), {}, &before.model), Error);
  };
  refuse([](Dataset& d) {
    d.columns.pop_back();
    d.schema.attributes.pop_back();
  });
  refuse([](Dataset& d) { d.schema.attributes[0].name = "other"; });
  refuse([](Dataset& d) { d.schema.attributes[3] = {.name = "k0"}; });          // codes read as numbers
  refuse([](Dataset& d) { d.schema.attributes[3].levels = {"c", "b", "a"}; });  // codes mean other levels
  EXPECT_NO_THROW(train(data, quick(), {}, &before.model));
}

// --- The same bits.

void expect_same_bits(const Model& a, const Model& b) {
  EXPECT_EQ(a.parameters.increments, b.parameters.increments);
  EXPECT_EQ(a.parameters.factors, b.parameters.factors);
  EXPECT_EQ(a.summary.objective, b.summary.objective);
  EXPECT_EQ(a.assignment.mae_cuts, b.assignment.mae_cuts);
  EXPECT_EQ(a.assignment.accuracy_cuts, b.assignment.accuracy_cuts);
  EXPECT_EQ(a.assignment.calibration.slope, b.assignment.calibration.slope);
  EXPECT_EQ(a.assignment.calibration.thresholds, b.assignment.calibration.thresholds);
  EXPECT_EQ(a.summary.data_fingerprint, b.summary.data_fingerprint);
}

TEST(Train, ThreadsDoNotChangeABit) {
  const Dataset data =
      generate({.row_count = 8000, .attribute_count = 5, .categorical_count = 1, .missing_share = 0.02});
  for (const LossForm form : {LossForm::sweep, LossForm::histogram}) {
    TrainOptions options = quick();
    options.loss_form = form;
    options.optimizer.max_epochs = 15;
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
    options.optimizer.method = method;
    options.optimizer.max_epochs = 5;
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
  up.encoder = {.knots = KnotPlacement::equal_width, .segment_count = 4, .directions = {{"n0", Direction::increasing}}};
  down.encoder = up.encoder;
  down.encoder.directions = {{"n0", Direction::decreasing}};
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
    options.optimizer.method = method;
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
  options.optimizer = {.max_epochs = 200, .tolerance = 1e-8};
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
  options.optimizer.max_epochs = 100;
  double last_epoch = 0;
  const auto watch = [&](const Progress& progress) {
    last_epoch = progress.epoch;
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
  options.optimizer.max_epochs = 3;
  EXPECT_EQ(train(data, options).model.summary.stop_reason, StopReason::epoch_limit);
  options.optimizer.max_epochs = 100;
  const Fit stopped = train(data, options, [](const Progress& progress) { return progress.epoch < 4; });
  EXPECT_EQ(stopped.model.summary.stop_reason, StopReason::interrupted);
  EXPECT_EQ(stopped.model.summary.epochs, 4);
  // Epochs go on counting in the second part.
  const int total = automatic.model.summary.epochs;
  const Fit late = train(data, options, [&](const Progress& progress) { return progress.epoch < total - 1; });
  EXPECT_TRUE(late.interrupted());
  EXPECT_EQ(late.model.summary.epochs, total - 1);
}

// --- Stops.

TEST(Train, AnInterruptionReturnsTheBestModelSoFar) {
  const Dataset data = random_rows({.row_count = 80}, 48);
  for (const Optimizer method : {Optimizer::lbfgs, Optimizer::sgd}) {
    TrainOptions options = quick();
    options.optimizer.method = method;
    options.optimizer.restart_count = 3;
    options.optimizer.max_epochs = 10;
    options.optimizer.tolerance = 0;
    double best = HUGE_VAL;
    const auto stop = [&](const Progress& progress) {
      best = std::min(best, progress.objective);
      return progress.restart < 2 || progress.epoch < 2;
    };
    const Fit fit = train(data, options, stop);
    EXPECT_TRUE(fit.interrupted());
    EXPECT_EQ(fit.model.summary.stop_reason, StopReason::interrupted);
    EXPECT_LE(objective_of(fit), best);
    EXPECT_EQ(fit.model.summary.best_restart, 1);  // ten epochs against two
    EXPECT_EQ(fit.model.predict(data).row_count(), data.row_count());

    const Fit at_once = train(data, options, [](const Progress&) { return false; });
    EXPECT_TRUE(at_once.interrupted());
    EXPECT_EQ(at_once.model.summary.best_restart, 1);
  }
}

TEST(Train, ADivergingRateIsTold) {
  const Dataset data = random_rows({.row_count = 40}, 49);
  TrainOptions options = quick();
  options.optimizer.method = Optimizer::sgd;
  options.optimizer.learning_rate = 100;
  const Fit fit = train(data, options);
  EXPECT_EQ(fit.model.summary.stop_reason, StopReason::diverged);
  EXPECT_TRUE(std::isfinite(objective_of(fit)));
  for (const double u : fit.model.parameters.increments) EXPECT_TRUE(std::isfinite(u));
}

TEST(Train, SeparableDataWithoutPenaltiesReachALossOfZero) {
  Dataset data;
  data.schema.attributes = {{.name = "x"}};
  data.schema.class_names = {"1", "2", "3"};
  for (int i = 0; i < 30; ++i) {
    data.columns.resize(1);
    data.columns[0].push_back(i);
    data.labels.push_back(i / 10);
  }
  for (const Optimizer method : {Optimizer::lbfgs, Optimizer::sgd}) {
    TrainOptions options;
    options.encoder.given_knots = {{"x", {0, 9, 10, 19, 20, 29}}};
    options.increment_penalty = options.factor_penalty = 0;
    options.optimizer.method = method;
    options.optimizer.learning_rate = 0.1;
    const Fit fit = train(data, options);
    EXPECT_LT(fit.model.summary.loss, 1e-6);
    EXPECT_EQ(fit.model.predict(data).classes, data.labels);
  }
}

// --- What the model tells of the training.

TEST(Train, TheSummaryDescribesTheTraining) {
  const Dataset data = random_rows({.row_count = 70, .missing_share = 0.1, .weighted = true, .absent_class = 1}, 50);
  TrainOptions options = quick();
  const Model model = train(data, options).model;
  EXPECT_EQ(model.summary.row_count, 70U);
  std::vector<double> class_weights(4);
  for (std::size_t i = 0; i < 70; ++i) class_weights[static_cast<std::size_t>(data.labels[i])] += data.weights[i];
  EXPECT_EQ(model.summary.class_weights, class_weights);
  EXPECT_LE(model.summary.epochs, options.optimizer.max_epochs);
  const auto scores = model.score(data);
  const auto slow = testing::slow_pair_loss(scores, data.labels, data.weights, options.margin);
  EXPECT_NEAR(model.summary.loss, slow.value, 1e-12);
  double penalties = 0;
  for (const double u : model.parameters.increments) penalties += options.increment_penalty * u * u;
  for (const double v : model.parameters.factors) penalties += options.factor_penalty * v * v;
  EXPECT_NEAR(model.summary.objective, slow.value + penalties, 1e-12);
}

TEST(Train, TheDistributionIsTheMeanOfTheDenseVectorsAndTheClassesPerCoordinate) {
  for (const bool weighted : {false, true}) {
    const Dataset data = random_rows(
        {.row_count = 70, .constant_count = 1, .categorical_count = 1, .missing_share = 0.1, .weighted = weighted}, 51);
    TrainOptions options = quick();
    options.encoder.directions = {{"n1", Direction::decreasing}};
    const Model model = train(data, options).model;
    const std::size_t count = model.encoder.coordinate_count();
    std::vector<double> mean(count);
    double total = 0;
    for (std::size_t i = 0; i < 70; ++i) {
      const double weight = weighted ? data.weights[i] : 1;
      const auto phi = test_support::dense_phi(model.encoder, data, i);
      for (std::size_t n = 0; n < count; ++n) mean[n] += weight * phi[n];
      total += weight;
    }
    for (std::size_t n = 0; n < count; ++n) EXPECT_NEAR(model.distribution.mean_encoding[n], mean[n] / total, 1e-12);
    // Every row is at one coordinate of each attribute.
    for (std::size_t j = 0; j < model.encoder.attributes.size(); ++j) {
      std::vector<double> per_class(4);
      for (std::size_t n = model.encoder.offsets[j]; n < model.encoder.offsets[j + 1]; ++n) {
        for (std::size_t h = 0; h < 4; ++h) per_class[h] += model.distribution.class_histogram[n][h];
      }
      for (std::size_t h = 0; h < 4; ++h) EXPECT_NEAR(per_class[h], model.summary.class_weights[h], 1e-12);
    }
  }
}

TEST(Train, TheFingerprintKnowsTheRows) {
  const Dataset data = random_rows({.row_count = 40, .missing_share = 0.1}, 52);
  TrainOptions options = quick(0);
  options.optimizer.max_epochs = 1;
  const auto fingerprint = [&](const Dataset& rows) { return train(rows, options).model.summary.data_fingerprint; };
  const auto same = fingerprint(data);
  EXPECT_EQ(fingerprint(data), same);
  Dataset other = data;
  other.columns[0][0] += 1;
  EXPECT_NE(fingerprint(other), same);
  other = data;
  std::swap(other.labels[0], other.labels[1]);
  EXPECT_NE(fingerprint(other), same);
}

// --- Refusals.

ErrorCode code_of_refusal(const Dataset& data, const TrainOptions& options) {
  int calls = 0;
  try {
    train(data, options, [&](const Progress&) { return ++calls < 5; });
  } catch (const Error& error) {
    EXPECT_EQ(calls, 0) << "refused only after training";
    return error.code();
  }
  ADD_FAILURE() << "accepted";
  return ErrorCode::io;
}

TEST(Train, BadOptionsAreRefusedBeforeAnyWork) {
  const Dataset data = random_rows({.row_count = 30}, 53);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto with = [](auto change) {
    TrainOptions options;
    change(options);
    return options;
  };
  const std::vector<TrainOptions> bad = {
      with([](auto& o) { o.factor_count = -1; }),
      with([](auto& o) { o.factor_count = 1001; }),
      with([](auto& o) { o.margin = 0; }),
      with([](auto& o) { o.margin = -1; }),
      with([](auto& o) { o.margin = nan; }),
      with([](auto& o) { o.margin = HUGE_VAL; }),
      with([](auto& o) { o.increment_penalty = -0.1; }),
      with([](auto& o) { o.increment_penalty = nan; }),
      with([](auto& o) { o.factor_penalty = -0.1; }),
      with([](auto& o) { o.factor_penalty = HUGE_VAL; }),
      with([](auto& o) { o.optimizer.max_epochs = 0; }),
      with([](auto& o) { o.optimizer.tolerance = -1; }),
      with([](auto& o) { o.optimizer.tolerance = nan; }),
      with([](auto& o) { o.optimizer.restart_count = 0; }),
      with([](auto& o) { o.optimizer.init_stddev = -1; }),
      with([](auto& o) { o.optimizer.init_stddev = nan; }),
      with([](auto& o) { o.optimizer.learning_rate = 0; }),
      with([](auto& o) { o.optimizer.learning_rate = nan; }),
      with([](auto& o) { o.optimizer.learning_rate_decay = -1; }),
      with([](auto& o) { o.encoder.segment_count = 0; }),
      with([](auto& o) {
        o.encoder.directions = {{"nobody", Direction::increasing}};
      }),
      with([](auto& o) { o.assignment.reference_limit = 1; }),
  };
  for (std::size_t i = 0; i < bad.size(); ++i) {
    EXPECT_EQ(code_of_refusal(data, bad[i]), ErrorCode::invalid_option) << i;
  }
}

TEST(Train, RowsThatCannotBeLearntFromAreRefused) {
  const Dataset good = random_rows({.row_count = 30}, 54);
  const auto refuse = [&](auto change, const char* name) {
    Dataset data = good;
    change(data);
    EXPECT_EQ(code_of_refusal(data, {}), ErrorCode::invalid_data) << name;
  };
  refuse([](Dataset& d) { std::fill(d.labels.begin(), d.labels.end(), 2); }, "one class only");
  refuse([](Dataset& d) { d.labels.clear(); }, "no labels");
  refuse([](Dataset& d) { d.labels[3] = 4; }, "a label too high");
  refuse([](Dataset& d) { d.labels.pop_back(); }, "a label too few");
  refuse([](Dataset& d) { d.columns[1][5] = HUGE_VAL; }, "an infinity");
  refuse([](Dataset& d) { d.columns[1].assign(30, std::nan("")); }, "a column without values");
  refuse([](Dataset& d) { d.weights.assign(30, 0.0); }, "weights all zero");
  refuse([](Dataset& d) { d.weights.assign(30, -1.0); }, "negative weights");
  refuse(
      [](Dataset& d) {
        d.weights.assign(30, 1.0);
        for (std::size_t i = 0; i < 30; ++i) d.weights[i] = d.labels[i] == 0 ? 1 : 0;
      },
      "one class with weight");
  refuse(
      [](Dataset& d) {
        d.columns.clear();
        d.schema.attributes.clear();
      },
      "no attributes");
  refuse([](Dataset& d) { d = subset(d, {}); }, "no rows");
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
  EXPECT_EQ(options.encoder.knots, KnotPlacement::equal_width);
  EXPECT_EQ(options.optimizer.method, Optimizer::sgd);
  EXPECT_EQ(options.optimizer.learning_rate_decay, 0);
  EXPECT_EQ(options.assignment.rule, AssignmentRule::support);
  EXPECT_EQ(options.increment_penalty, 0);
  EXPECT_EQ(options.factor_penalty, 0);
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
