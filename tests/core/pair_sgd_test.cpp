#include "core/optimize/pair_sgd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "core/base/random.hpp"
#include "core/optimize/random_order.hpp"
#include "support/random_rows.hpp"
#include "support/slow_sgd.hpp"

namespace xofm {
namespace {

using detail::Bound;
using detail::Constraints;
using detail::OrderedPairs;
using test_support::dense_phi;
using test_support::random_rows;
using test_support::slow_sgd_step;
using test_support::SlowSgdOptions;

// A few hundred steps, each rounded; the steps contract, so errors do not grow.
constexpr double step_tolerance = 1e-12;

TEST(OrderedPairs, EveryOrderedPairHasOneNumber) {
  detail::Random random(1);
  for (int round = 0; round < 100; ++round) {
    const int class_count = static_cast<int>(2 + random.below(5));
    std::vector<int> labels;
    const auto size = random.below(30);
    const auto used = 1 + random.below(static_cast<std::uint64_t>(class_count));  // the classes above are absent
    for (std::uint64_t i = 0; i < size; ++i) labels.push_back(static_cast<int>(random.below(used)));
    const OrderedPairs pairs(labels, class_count);
    std::set<std::pair<std::size_t, std::size_t>> expected, seen;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      for (std::size_t j = 0; j < labels.size(); ++j) {
        if (labels[i] > labels[j]) expected.emplace(i, j);
      }
    }
    ASSERT_EQ(pairs.count(), expected.size());
    for (std::uint64_t p = 0; p < pairs.count(); ++p) seen.emplace(pairs[p].higher, pairs[p].lower);
    EXPECT_EQ(seen, expected);
  }
}

struct Case {
  Dataset data;
  Encoder encoder;
  EncodedRows rows;
  Constraints constraints;
  Parameters start;
};

Case make_case(Dataset data, const EncoderOptions& options, int factor_count, std::uint64_t seed) {
  Case c{std::move(data), {}, {}, {}, {}};
  c.encoder = fit_encoder(c.data, options);
  c.rows = encode(c.encoder, c.data);
  c.constraints = detail::find_constraints(c.encoder, factor_count);
  detail::Random random(seed, 3);
  c.start.factor_count = factor_count;
  c.start.increments.assign(c.encoder.coordinate_count(), 0.0);
  for (double& u : c.start.increments) u = 0.3 * random.normal();
  for (std::size_t i = 0; i < c.constraints.factors.size(); ++i) c.start.factors.push_back(0.3 * random.normal());
  c.constraints.project(c.start);
  return c;
}

// The problem with the loss it points to.
struct Posed {
  Posed(const Case& c, const SlowSgdOptions& options, PairWeighting weighting = PairWeighting::uniform)
      : loss(c.data.labels, c.data.schema.class_count(), c.data.weights, options.margin, weighting),
        problem{c.encoder,      c.rows, c.data.labels,
                c.data.weights, loss,   {options.increment_penalty, options.factor_penalty},
                c.constraints} {}
  PairLoss loss;
  detail::SgdProblem problem;
};

std::vector<double> point_of(const Parameters& parameters) {
  std::vector<double> point = parameters.increments;
  point.insert(point.end(), parameters.factors.begin(), parameters.factors.end());
  return point;
}

// Calls itself better each time, so that the last parameters are returned.
Objective always_better() {
  return [calls = 0](std::span<const double>, std::span<double>) mutable { return 1000.0 - ++calls; };
}

// The parameters after `epochs` epochs, by the twin, in the order that the seed gives.
Parameters slow_epochs(const Case& c, const SlowSgdOptions& sgd, const OptimizerOptions& options, int epochs,
                       const std::function<double(int high, int low)>& class_weight = {}) {
  Parameters parameters = c.start;
  std::vector<double> roots(parameters.increments.size());
  test_support::GradientHistory history(parameters.increments.size() + parameters.factors.size());
  for (std::size_t n = 0; n < roots.size(); ++n) {
    if (c.constraints.increments[n] != Bound::not_negative) continue;
    roots[n] = std::max(std::sqrt(parameters.increments[n]), 0.1);  // zero would be stationary
    parameters.increments[n] = roots[n] * roots[n];
  }
  const OrderedPairs pairs(c.data.labels, c.data.schema.class_count());
  const auto weight = [&](const OrderedPairs::Pair& pair) {
    const double own = c.data.weights.empty() ? 1.0 : c.data.weights[pair.higher] * c.data.weights[pair.lower];
    return class_weight ? own * class_weight(c.data.labels[pair.higher], c.data.labels[pair.lower]) : own;
  };
  double mean_weight = 0;
  for (std::uint64_t p = 0; p < pairs.count(); ++p)
    mean_weight += weight(pairs[p]) / static_cast<double>(pairs.count());
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const detail::RandomOrder order(pairs.count(), detail::mix(options.seed) + static_cast<std::uint64_t>(epoch));
    for (std::uint64_t p = 0; p < pairs.count(); ++p) {
      const auto pair = pairs[order[p]];
      const double time = epoch + static_cast<double>(p) / static_cast<double>(pairs.count());
      SlowSgdOptions now = sgd;
      now.step = options.step;
      now.learning_rate = options.learning_rate / (1 + options.learning_rate_decay * time);
      slow_sgd_step(parameters, roots, history, dense_phi(c.encoder, c.data, pair.higher),
                    dense_phi(c.encoder, c.data, pair.lower), weight(pair) / mean_weight, now, c.constraints);
    }
  }
  return parameters;
}

void expect_near(std::span<const double> a, std::span<const double> b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "entry " << i;
}

TEST(PairSgd, OneStepWorkedByHand) {
  // One attribute, one segment, one factor row: Phi(higher) = 1, Phi(lower) = 0.25, u = 0.2, v = 3 (no partner, so
  // the score is u Phi). margin 1: l = 0.05 - 0.2 + 1 = 0.85. Gradient for u: 2 l (0.25 - 1) = -1.275; penalty 0.5:
  // 2 * 0.5 * 0.2 = 0.2. Rate 0.1: u = 0.2 + 0.1 * 1.075 = 0.3075.
  // For v: dU/dv = Phi (v Phi) - v Phi^2 = 0; penalty 0.25: 2 * 0.25 * 3 = 1.5: v = 3 - 0.15 = 2.85.
  Dataset data;
  data.schema.attributes = {{.name = "x"}};
  data.schema.class_names = {"1", "2"};
  data.columns = {{1, 4}};
  data.labels = {0, 1};
  Case c = make_case(data, {.attributes = {.given_knots = {{"x", {0, 4}}}}}, 1, 1);
  c.start.increments = {0.2};
  c.start.factors = {3};
  const auto minimum = minimize_sgd(Posed(c, {.margin = 1, .increment_penalty = 0.5, .factor_penalty = 0.25}).problem,
                                    c.start, {.tolerance = 0, .learning_rate = 0.1}, 1, always_better());
  EXPECT_EQ(minimum.epochs, 1);
  EXPECT_EQ(minimum.reason, StopReason::epoch_limit);
  EXPECT_DOUBLE_EQ(minimum.point.at(0), 0.3075);
  EXPECT_DOUBLE_EQ(minimum.point.at(1), 2.85);
}

TEST(PairSgd, EpochsEqualAlgorithm1OnDenseVectors) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const bool weighted = seed % 2 == 1;
    const int factor_count = static_cast<int>(seed % 4);
    const Case c = make_case(random_rows({.row_count = 18,
                                          .class_count = 3,
                                          .constant_count = 1,
                                          .categorical_count = 1,
                                          .missing_share = 0.1,
                                          .weighted = weighted},
                                         seed),
                             {.segment_count = 3}, factor_count, seed);
    const SlowSgdOptions sgd = {
        .margin = 0.7, .increment_penalty = seed % 3 == 0 ? 0 : 0.02, .factor_penalty = seed % 3 == 0 ? 0 : 0.03};
    const OptimizerOptions options = {.tolerance = 0, .seed = seed, .learning_rate = 0.02, .learning_rate_decay = 0.5};
    const auto fast = minimize_sgd(Posed(c, sgd).problem, c.start, options, 2, always_better());
    expect_near(fast.point, point_of(slow_epochs(c, sgd, options, 2)), step_tolerance);
    EXPECT_EQ(fast.epochs, 2);
    const auto by_distance =
        minimize_sgd(Posed(c, sgd, PairWeighting::distance).problem, c.start, options, 2, always_better());
    const auto slow = slow_epochs(c, sgd, options, 2, [](int high, int low) -> double { return high - low; });
    expect_near(by_distance.point, point_of(slow), step_tolerance);
  }
}

TEST(PairSgd, AdagradAndAdamAreTheirDefinitions) {
  for (const StepRule step : {StepRule::adagrad, StepRule::adam}) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      EncoderOptions encoder = {.segment_count = 3};
      if (seed % 2 == 1) encoder.attributes.directions = {{"n0", Direction::increasing}};
      const Case c = make_case(
          random_rows({.row_count = 18, .class_count = 3, .categorical_count = 1, .missing_share = 0.1}, seed), encoder,
          static_cast<int>(seed % 3), seed);
      const SlowSgdOptions sgd = {
          .margin = 0.7, .increment_penalty = seed % 3 == 0 ? 0 : 0.02, .factor_penalty = seed % 3 == 0 ? 0 : 0.03};
      const OptimizerOptions options = {
          .tolerance = 0, .seed = seed, .step = step, .learning_rate = 0.02, .learning_rate_decay = 0.5};
      const auto fast = minimize_sgd(Posed(c, sgd).problem, c.start, options, 2, always_better());
      expect_near(fast.point, point_of(slow_epochs(c, sgd, options, 2)), step_tolerance);
    }
  }
}

// The first step of either is of the size of the rate, whatever the gradient: worked by hand on the case of OneStep.
TEST(PairSgd, TheFirstScaledStepIsTheRate) {
  Dataset data;
  data.schema.attributes = {{.name = "x"}};
  data.schema.class_names = {"1", "2"};
  data.columns = {{1, 4}};
  data.labels = {0, 1};
  Case c = make_case(data, {.attributes = {.given_knots = {{"x", {0, 4}}}}}, 1, 1);
  c.start.increments = {0.2};
  c.start.factors = {3};
  for (const StepRule step : {StepRule::adagrad, StepRule::adam}) {
    const auto minimum = minimize_sgd(Posed(c, {.margin = 1}).problem, c.start,
                                      {.tolerance = 0, .step = step, .learning_rate = 0.1}, 1, always_better());
    EXPECT_NEAR(minimum.point.at(0), 0.3, 1e-8);  // up: the higher row should score more; 1e-8 keeps steps finite
    EXPECT_EQ(minimum.point.at(1), 3);            // no gradient, no step
  }
}

TEST(PairSgd, MonotoneAttributesTakeSquaresAndProjection) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const bool all = seed % 2 == 0;
    EncoderOptions encoder = {
        .segment_count = 3,
        .attributes = {.directions = {{"n0", Direction::increasing}, {"n1", Direction::decreasing}}}};
    if (all) encoder.attributes.directions["t0"] = Direction::increasing;
    const Case c =
        make_case(random_rows({.row_count = 18, .class_count = 3, .missing_share = 0.1, .weighted = true}, seed),
                  encoder, 3, seed);
    const SlowSgdOptions sgd = {.margin = 0.7, .increment_penalty = 0.02, .factor_penalty = 0.03};
    const OptimizerOptions options = {.tolerance = 0, .seed = seed, .learning_rate = 0.02};
    const auto fast = minimize_sgd(Posed(c, sgd).problem, c.start, options, 2, always_better());
    expect_near(fast.point, point_of(slow_epochs(c, sgd, options, 2)), step_tolerance);
    for (std::size_t n = 0; n < c.constraints.increments.size(); ++n) {
      if (c.constraints.increments[n] == Bound::not_negative) {
        EXPECT_GE(fast.point[n], 0);
      }
    }
    for (std::size_t i = 0; i < c.constraints.factors.size(); ++i) {
      const double v = fast.point[c.constraints.increments.size() + i];
      if (c.constraints.factors[i] == Bound::not_negative) {
        EXPECT_GE(v, 0);
      }
      if (c.constraints.factors[i] == Bound::zero) {
        EXPECT_EQ(v, 0);
      }
    }
  }
}

// --- Stops.

Case small_case() { return make_case(random_rows({.row_count = 30}, 4), {.segment_count = 3}, 2, 4); }

TEST(PairSgd, TheEpochLimitIsTheNumberOfEpochs) {
  const Case c = small_case();
  for (const int limit : {1, 2, 7}) {
    int calls = 0;
    const auto count = [&](std::span<const double>, std::span<double>) { return 100.0 - ++calls; };
    const auto minimum = minimize_sgd(Posed(c, {}).problem, c.start, {.tolerance = 0}, limit, count);
    EXPECT_EQ(minimum.reason, StopReason::epoch_limit);
    EXPECT_EQ(minimum.epochs, limit);
    EXPECT_EQ(calls, limit + 1);  // the start, then after each epoch
  }
}

TEST(PairSgd, ConvergesWhenTenEpochsDoNotLowerTheObjective) {
  const Case c = small_case();
  const auto flat = [](std::span<const double>, std::span<double>) { return 5.0; };
  const auto minimum = minimize_sgd(Posed(c, {}).problem, c.start, {.tolerance = 1e-5}, 100, flat);
  EXPECT_EQ(minimum.reason, StopReason::converged);
  EXPECT_EQ(minimum.epochs, 10);
  EXPECT_EQ(minimum.point, point_of(c.start));
  // Tolerance 0: never.
  EXPECT_EQ(minimize_sgd(Posed(c, {}).problem, c.start, {.tolerance = 0}, 20, flat).epochs, 20);
}

TEST(PairSgd, AnObjectiveOfZeroIsTheMinimum) {
  // Without penalties, separated classes leave nothing to learn: further epochs change nothing.
  const Case c = small_case();
  const auto zero = [](std::span<const double>, std::span<double>) { return 0.0; };
  const auto minimum = minimize_sgd(Posed(c, {}).problem, c.start, {.tolerance = 1e-5}, 100, zero);
  EXPECT_EQ(minimum.reason, StopReason::converged);
  EXPECT_LE(minimum.epochs, 10);
}

TEST(PairSgd, DivergingKeepsTheBestFiniteParameters) {
  const Case c = small_case();
  const PairLoss loss(c.data.labels, c.data.schema.class_count(), {}, 1.0);
  detail::TrainingObjective objective(c.encoder, c.rows, loss, c.constraints, 2, {});
  const auto minimum = minimize_sgd(Posed(c, {}).problem, c.start, {.learning_rate = 50}, 50, std::ref(objective));
  EXPECT_EQ(minimum.reason, StopReason::diverged);
  EXPECT_TRUE(minimum.is_start);
  EXPECT_TRUE(std::isfinite(minimum.objective));
  for (const double value : minimum.point) EXPECT_TRUE(std::isfinite(value));
  std::vector<double> gradient(minimum.point.size());
  EXPECT_EQ(objective(minimum.point, gradient), minimum.objective);
}

TEST(PairSgd, AnInterruptionKeepsTheBest) {
  const Case c = small_case();
  const PairLoss loss(c.data.labels, c.data.schema.class_count(), {}, 1.0);
  detail::TrainingObjective objective(c.encoder, c.rows, loss, c.constraints, 2, {});
  std::vector<double> epochs, objectives;
  const auto progress = [&](double epoch, double value) {
    epochs.push_back(epoch);
    objectives.push_back(value);
    return epoch < 3;
  };
  const auto minimum =
      minimize_sgd(Posed(c, {}).problem, c.start, {.learning_rate = 0.01}, 50, std::ref(objective), progress);
  EXPECT_EQ(minimum.reason, StopReason::interrupted);
  EXPECT_EQ(minimum.epochs, 3);
  EXPECT_EQ(epochs, (std::vector<double>{0, 1, 2, 3}));
  EXPECT_TRUE(std::is_sorted(objectives.rbegin(), objectives.rend()));
  EXPECT_EQ(minimum.objective, objectives.back());
  std::vector<double> gradient(minimum.point.size());
  EXPECT_EQ(objective(minimum.point, gradient), minimum.objective);
}

TEST(PairSgd, AStartThatIsBetterThanEveryEpochIsReturned) {
  // Also with monotone attributes, whose increments are lifted off zero before the first step.
  const Case c = make_case(random_rows({.row_count = 30}, 4),
                           {.segment_count = 3, .attributes = {.directions = {{"n0", Direction::increasing}}}}, 2, 4);
  Case zero = c;
  zero.start.increments.assign(zero.start.increments.size(), 0.0);
  const std::vector<double> start = point_of(zero.start);
  const auto distance = [&](std::span<const double> point, std::span<double>) {
    double sum = 1;
    for (std::size_t i = 0; i < point.size(); ++i) sum += std::abs(point[i] - start[i]);
    return sum;
  };
  const auto minimum = minimize_sgd(Posed(zero, {}).problem, zero.start, {}, 3, distance);
  EXPECT_EQ(minimum.point, start);
  EXPECT_EQ(minimum.objective, 1);
  EXPECT_TRUE(minimum.is_start);
}

}  // namespace
}  // namespace xofm
