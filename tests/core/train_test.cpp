#include "xofm/train.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/base/random.hpp"
#include "support/dense_model.hpp"
#include "support/random_rows.hpp"
#include "support/slow_pair_loss.hpp"
#include "support/train_cases.hpp"
#include "xofm/error.hpp"
#include "xofm/generate.hpp"

namespace xofm {
namespace {

using test_support::converged_tolerance;
using test_support::convex;
using test_support::objective_of;
using test_support::quick;
using test_support::random_rows;

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
    options.recipe().method = Optimizer::sgd;
    options.recipe().max_epochs = 200;
    options.optimizer = {.tolerance = 0, .learning_rate = 0.02, .learning_rate_decay = 1};
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

// Which start a training is at: its epochs begin anew.
class RestartCount {
 public:
  int at(const Progress& progress) {
    if (progress.epoch < last_epoch_) ++restart_;
    last_epoch_ = progress.epoch;
    return restart_;
  }

 private:
  int restart_ = 1;
  double last_epoch_ = 0;
};

TEST(Train, SeveralRestartsKeepTheLowestObjective) {
  const Dataset data = random_rows({.row_count = 80}, 33);
  TrainOptions options = quick(2);
  options.assignment.reference_scores = ReferenceScores::training;  // no refits that report their own progress
  options.optimizer.restart_count = 5;
  options.recipe().init_stddev = 1;
  for (const Optimizer method : {Optimizer::lbfgs, Optimizer::sgd}) {
    options.recipe().method = method;
    options.recipe().max_epochs = method == Optimizer::sgd ? 5 : 60;
    std::map<int, double> last;
    RestartCount restarts;
    const auto watch = [&](const Progress& progress) {
      if (progress.share == 1 && progress.epoch == 0) return true;  // all is done
      const int restart = restarts.at(progress);
      EXPECT_NEAR(progress.share, (restart - 1 + progress.epoch / options.recipe().max_epochs) / 5, 1e-12);
      last[restart] = progress.objective;
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
      if (monotone) options.attributes.directions = {{"n0", Direction::increasing}};
      options.recipe().method = method;
      options.recipe().max_epochs = 5;
      const Fit before = train(data, options);
      std::vector<double> seen;
      const auto watch = [&](const Progress& progress) {
        seen.push_back(progress.objective);
        return true;
      };
      options.recipe().max_epochs = 1;
      const Fit one = train(data, options, watch, &before.model);
      ASSERT_FALSE(seen.empty());
      EXPECT_EQ(seen.front(), objective_of(before));
      EXPECT_LE(objective_of(one), objective_of(before));
      options.recipe().max_epochs = 20;
      EXPECT_LE(objective_of(train(data, options, {}, &before.model)), objective_of(before));
    }
  }
}

TEST(Train, AWarmStartKeepsTheKnots) {
  const Dataset data = random_rows({.row_count = 80}, 35);
  const Fit before = train(data, quick());
  TrainOptions options = quick();
  options.recipe().segment_count = 2;
  const Dataset other = random_rows({.row_count = 50}, 36);
  const Fit after = train(other, options, {}, &before.model);
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_EQ(after.model.encoder.attributes[j].knots, before.model.encoder.attributes[j].knots);
  }
  EXPECT_EQ(after.model.options.recipe().segment_count, 4);  // how its knots were really made
}

TEST(Train, AWarmStartMayChangeTheNumberOfFactors) {
  const Dataset data = random_rows({.row_count = 80}, 37);
  const Fit before = train(data, quick(2));
  for (const int factor_count : {0, 1, 4}) {
    TrainOptions options = quick(factor_count);
    options.recipe().init_stddev = 0;  // further factors begin at zero: the same scores
    options.recipe().max_epochs = 1;
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
  options.attributes.directions = {{"x1", Direction::increasing}};
  EXPECT_THROW(train(data, options, {}, &model), Error);
  options.attributes.directions = {{"x1", Direction::none}};
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

// --- Stops.

TEST(Train, AnInterruptionReturnsTheBestModelSoFar) {
  const Dataset data = random_rows({.row_count = 80}, 48);
  for (const Optimizer method : {Optimizer::lbfgs, Optimizer::sgd}) {
    TrainOptions options = quick();
    options.recipe().method = method;
    options.optimizer.restart_count = 3;
    options.recipe().max_epochs = 10;
    options.optimizer.tolerance = 0;
    double best = HUGE_VAL;
    RestartCount restarts;
    const auto stop = [&](const Progress& progress) {
      best = std::min(best, progress.objective);
      return restarts.at(progress) < 2 || progress.epoch < 2;
    };
    const Fit fit = train(data, options, stop);
    EXPECT_TRUE(fit.interrupted());
    EXPECT_EQ(fit.model.summary.stop_reason, StopReason::interrupted);
    EXPECT_TRUE(fit.model.record.interrupted);
    EXPECT_LE(objective_of(fit), best);
    EXPECT_EQ(fit.model.summary.best_restart, 1);  // ten epochs against two
    EXPECT_EQ(fit.model.predict(data).row_count(), data.row_count());

    const Fit at_once = train(data, options, [](const Progress&) { return false; });
    EXPECT_TRUE(at_once.interrupted());
    EXPECT_EQ(at_once.model.summary.best_restart, 1);
  }
}

TrainOptions by_sgd(double learning_rate) {
  TrainOptions options = quick();
  options.recipe().method = Optimizer::sgd;
  options.optimizer.learning_rate = learning_rate;
  return options;
}

TEST(Train, ADivergingRunKeepsItsBestEpochAndSaysSo) {
  // The lowest of these rates at which the run leaves the numbers does so after some good epochs.
  const Dataset data = random_rows({.row_count = 40}, 49);
  bool is_seen = false;
  for (double rate = 0.05; rate < 10 && !is_seen; rate *= 1.05) {
    TrainOptions options = by_sgd(rate);
    options.recipe().max_epochs = 60;
    options.optimizer.tolerance = 0;
    try {
      const Fit fit = train(data, options);
      if (fit.model.summary.stop_reason != StopReason::diverged) continue;
      is_seen = true;
      EXPECT_TRUE(std::isfinite(objective_of(fit)));
      for (const double u : fit.model.parameters.increments) EXPECT_TRUE(std::isfinite(u));
      EXPECT_NE(fit.model.parameters.increments, std::vector<double>(fit.model.parameters.increments.size()));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::diverged);
    }
  }
  EXPECT_TRUE(is_seen);
}

TEST(Train, AnUntrainedStartIsNoModel) {
  const Dataset data = random_rows({.row_count = 40}, 49);
  const auto failure = [&](double rate) -> std::string {
    try {
      static_cast<void>(train(data, by_sgd(rate)));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::diverged);
      return error.what();
    }
    return "no error";
  };
  EXPECT_TRUE(failure(100).starts_with("training has diverged at learning_rate 100: no epoch was better"));
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
    options.attributes.given_knots = {{"x", {0, 9, 10, 19, 20, 29}}};
    options.recipe().increment_penalty = options.recipe().factor_penalty = 0;
    options.recipe().method = method;
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
  EXPECT_LE(model.summary.epochs, options.recipe().max_epochs);
  const auto scores = model.score(data);
  const auto slow = testing::slow_pair_loss(scores, data.labels, data.weights, options.margin);
  EXPECT_NEAR(model.summary.loss, slow.value, 1e-12);
  double penalties = 0;
  for (const double u : model.parameters.increments) penalties += options.recipe().increment_penalty * u * u;
  for (const double v : model.parameters.factors) penalties += options.recipe().factor_penalty * v * v;
  EXPECT_NEAR(model.summary.objective, slow.value + penalties, 1e-12);
}

TEST(Train, TheLossIsTheModelsOwnWhateverItIsMadeOf) {
  const Dataset data = random_rows({.row_count = 70, .weighted = true}, 52);
  const auto expect_own = [&](const TrainOptions& options, double tolerance) {
    const Model model = train(data, options).model;
    const auto slow = testing::slow_pair_loss(model.score(data), data.labels, data.weights, options.margin);
    EXPECT_NEAR(model.summary.loss, slow.value, tolerance);
    EXPECT_EQ(model.summary.objective, model.summary.loss);
  };
  constexpr double rounding = 1e-10;  // of averages on united knots
  TrainOptions bag = quick();
  bag.bag_count = 5;
  expect_own(bag, rounding);
  TrainOptions mixed = quick();
  mixed.parts.push_back(mixed.recipe());
  mixed.parts.front().pair_weighting = PairWeighting::balanced;  // their average weighs all pairs alike
  expect_own(mixed, rounding);
  TrainOptions trees = quick();
  trees.recipe().method = Optimizer::boost;
  trees.recipe().increment_penalty = 0.1;
  expect_own(trees, rounding);
  TrainOptions curves = quick();
  curves.terms.pairs = PairChoice::automatic;
  expect_own(curves, rounding);
}

TEST(Train, TheOrderOfThePartsDoesNotMatterAndNoShareIsLost) {
  const Dataset data = random_rows({.row_count = 120}, 53);
  const Dataset others = random_rows({.row_count = 40}, 54);
  TrainOptions options = quick();
  options.bag_count = 1;
  Recipe& straight = options.recipe();
  straight.factor_count = 0;  // no random start
  straight.segment_count = 1;
  straight.weight = 3;
  options.parts.push_back({.segment_count = 4, .factor_count = 0, .max_epochs = 20, .weight = 1});
  const Model mixed = train(data, options).model;
  TrainOptions turned = options;
  std::swap(turned.parts[0], turned.parts[1]);
  const Model other = train(data, turned).model;
  ASSERT_EQ(mixed.assignment.reference.classes.size(), other.assignment.reference.classes.size());
  constexpr double rounding = 1e-9;
  for (std::size_t h = 0; h < mixed.assignment.reference.classes.size(); ++h) {
    const auto& points = mixed.assignment.reference.classes[h];
    const auto& turned_points = other.assignment.reference.classes[h];
    ASSERT_EQ(points.size(), turned_points.size());
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_NEAR(points[i].score, turned_points[i].score, rounding);
  }
  // Three quarters of one and a quarter of the other, up to an offset.
  std::vector<std::vector<double>> alone;
  for (const Recipe& part : options.parts) {
    TrainOptions single = options;
    single.parts = {part};
    alone.push_back(train(data, single).model.score(others));
  }
  const std::vector<double> scores = mixed.score(others);
  const std::vector<double> turned_scores = other.score(others);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_NEAR(scores[i] - scores[0], turned_scores[i] - turned_scores[0], rounding);
    const double wanted = 0.75 * (alone[0][i] - alone[0][0]) + 0.25 * (alone[1][i] - alone[1][0]);
    EXPECT_NEAR(scores[i] - scores[0], wanted, rounding);
  }
}

TEST(Train, TheDistributionIsTheMeanOfTheDenseVectorsAndTheClassesPerCoordinate) {
  for (const bool weighted : {false, true}) {
    const Dataset data = random_rows(
        {.row_count = 70, .constant_count = 1, .categorical_count = 1, .missing_share = 0.1, .weighted = weighted}, 51);
    TrainOptions options = quick();
    options.attributes.directions = {{"n1", Direction::decreasing}};
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
  options.recipe().max_epochs = 1;
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
      with([](auto& o) { o.recipe().factor_count = -1; }),
      with([](auto& o) { o.recipe().factor_count = 1001; }),
      with([](auto& o) { o.margin = 0; }),
      with([](auto& o) { o.margin = -1; }),
      with([](auto& o) { o.margin = nan; }),
      with([](auto& o) { o.margin = HUGE_VAL; }),
      with([](auto& o) { o.recipe().increment_penalty = -0.1; }),
      with([](auto& o) { o.recipe().increment_penalty = nan; }),
      with([](auto& o) { o.recipe().factor_penalty = -0.1; }),
      with([](auto& o) { o.recipe().factor_penalty = HUGE_VAL; }),
      with([](auto& o) { o.recipe().max_epochs = 0; }),
      with([](auto& o) { o.optimizer.tolerance = -1; }),
      with([](auto& o) { o.optimizer.tolerance = nan; }),
      with([](auto& o) { o.optimizer.restart_count = 0; }),
      with([](auto& o) { o.recipe().init_stddev = -1; }),
      with([](auto& o) { o.recipe().init_stddev = nan; }),
      with([](auto& o) { o.optimizer.learning_rate = 0; }),
      with([](auto& o) { o.optimizer.learning_rate = nan; }),
      with([](auto& o) { o.optimizer.learning_rate_decay = -1; }),
      with([](auto& o) { o.recipe().segment_count = 0; }),
      with([](auto& o) { o.parts.clear(); }),
      with([](auto& o) { o.recipe().weight = 0; }),
      with([](auto& o) { o.recipe().weight = nan; }),
      with([](auto& o) { o.parts.push_back({.weight = -0.5}); }),
      with([](auto& o) { o.parts.push_back({.factor_count = -1}); }),
      with([](auto& o) {
        o.attributes.directions = {{"nobody", Direction::increasing}};
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

}  // namespace
}  // namespace xofm
