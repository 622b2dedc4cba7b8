#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/random.hpp"
#include "support/slow_pair_loss.hpp"
#include "xofm/error.hpp"
#include "xofm/loss.hpp"
#include "xofm/threads.hpp"

namespace xofm {
namespace {

using testing::slow_pair_loss;

struct Problem {
  std::vector<double> scores;
  std::vector<int> labels;
  std::vector<double> weights;
  int class_count;
  double margin;
};

// Random sizes, ties, equal scores, absent classes, sometimes weights (zeros among them).
Problem random_problem(std::uint64_t seed) {
  detail::Random random(seed);
  Problem problem;
  const std::size_t size = 2 + random.below(120);
  problem.class_count = static_cast<int>(2 + random.below(5));
  problem.margin = 0.05 + random.uniform();
  const double offset = random.below(2) == 0 ? 0 : 1000 * random.normal();
  const bool ties = random.below(2) == 0;
  const bool weighted = random.below(2) == 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double score = random.normal();
    problem.scores.push_back(offset + (ties ? std::round(4 * score) / 4 : score));
    problem.labels.push_back(static_cast<int>(random.below(static_cast<std::uint64_t>(problem.class_count))));
    if (weighted) problem.weights.push_back(random.below(4) == 0 ? 0.0 : 3 * random.uniform());
  }
  problem.labels[0] = 0;
  problem.labels[1] = problem.class_count - 1;
  if (weighted) problem.weights[0] = problem.weights[1] = 1;
  return problem;
}

double relative_distance(std::span<const double> a, std::span<const double> b) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(difference / std::max(size, 1e-300));
}

// Rounding of about a hundred positive terms.
constexpr double sweep_tolerance = 1e-12;

TEST(PairLoss, TheSweepEqualsTheLoopOverPairs) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Problem p = random_problem(seed);
    const auto slow = slow_pair_loss(p.scores, p.labels, p.weights, p.margin);
    const PairLoss loss(p.labels, p.class_count, p.weights, p.margin);
    std::vector<double> derivative(p.scores.size());
    const double value = loss(p.scores, derivative, LossForm::sweep);
    // Scores near 1000 carry rounding of 1e-13 themselves.
    EXPECT_NEAR(value, slow.value, 1e-11 * std::max(1.0, slow.value)) << seed;
    EXPECT_LT(relative_distance(derivative, slow.derivative), 1e-10) << seed;
  }
}

TEST(PairLoss, AnOffsetOfTheScoresCostsNoPrecision) {
  // DESIGN.md, 2.2: plain sums of squares lose six digits here. The scores are multiples of 2^-20, so that adding
  // 1024 is exact and the two losses must agree to rounding of the sums alone.
  detail::Random random(5);
  std::vector<double> scores, shifted;
  std::vector<int> labels;
  for (int i = 0; i < 2000; ++i) {
    scores.push_back(std::round(0.01 * random.normal() * 0x1p20) * 0x1p-20);
    shifted.push_back(scores.back() + 1024);
    labels.push_back(static_cast<int>(random.below(4)));
  }
  const PairLoss loss(labels, 4, {}, 0x1p-7);
  std::vector<double> a(scores.size()), b(scores.size());
  const double value = loss(scores, a, LossForm::sweep);
  EXPECT_NEAR(loss(shifted, b, LossForm::sweep), value, sweep_tolerance * value);
  EXPECT_LT(relative_distance(b, a), sweep_tolerance);
}

TEST(PairLoss, TheHistogramIsWithinTheBinWidthOfTheLoop) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Problem p = random_problem(seed);
    const auto slow = slow_pair_loss(p.scores, p.labels, p.weights, p.margin);
    const PairLoss loss(p.labels, p.class_count, p.weights, p.margin);
    std::vector<double> derivative(p.scores.size());
    const double value = loss(p.scores, derivative, LossForm::histogram);
    const double width = p.margin / 1024;
    EXPECT_NEAR(value, slow.value, width * width + 1e-11 * slow.value) << seed;
    for (std::size_t i = 0; i < derivative.size(); ++i) {
      EXPECT_NEAR(derivative[i], slow.derivative[i], 2 * width) << seed;
    }
  }
}

TEST(PairLoss, TheHistogramGradientOfManyScoresIsWithinOneInAMillion) {
  detail::Random random(3);
  std::vector<double> scores;
  std::vector<int> labels;
  for (int i = 0; i < 100000; ++i) {
    labels.push_back(static_cast<int>(random.below(5)));
    scores.push_back(0.7 * labels.back() + random.normal());
  }
  const PairLoss loss(labels, 5, {}, 1.0);
  std::vector<double> exact(scores.size()), fast(scores.size());
  const double exact_value = loss(scores, exact, LossForm::sweep);
  EXPECT_NEAR(loss(scores, fast, LossForm::histogram), exact_value, 1e-6 * exact_value);
  EXPECT_LT(relative_distance(fast, exact), 1e-6);
}

TEST(PairLoss, AHandWorkedCase) {
  // Labels 0 0 1 2, scores 0 1 0.5 2, margin 1. Ordered pairs (higher, lower): misses
  //   (2,0): 0 - 0.5 + 1 = 0.5   (2,1): 1 - 0.5 + 1 = 1.5   (3,0): 0 - 2 + 1 < 0   (3,1): 1 - 2 + 1 = 0
  //   (3,2): 0.5 - 2 + 1 < 0.    Loss = (0.25 + 2.25) / 5 = 0.5.
  const std::vector<double> scores = {0, 1, 0.5, 2};
  const std::vector<int> labels = {0, 0, 1, 2};
  const PairLoss loss(labels, 3, {}, 1.0);
  std::vector<double> derivative(4);
  EXPECT_DOUBLE_EQ(loss(scores, derivative, LossForm::sweep), 0.5);
  EXPECT_DOUBLE_EQ(derivative[0], 2 * 0.5 / 5);
  EXPECT_DOUBLE_EQ(derivative[1], 2 * 1.5 / 5);
  EXPECT_DOUBLE_EQ(derivative[2], -2 * 2.0 / 5);
  EXPECT_DOUBLE_EQ(derivative[3], 0);
}

TEST(PairLoss, AWeightOfTwoIsTheRowTwice) {
  const std::vector<double> scores = {0.1, 0.4, 0.3, 0.9};
  const std::vector<int> labels = {0, 1, 0, 2};
  const std::vector<double> weights = {1, 2, 1, 1};
  const std::vector<double> repeated = {0.1, 0.4, 0.4, 0.3, 0.9};
  const std::vector<int> repeated_labels = {0, 1, 1, 0, 2};
  std::vector<double> a(4), b(5);
  EXPECT_NEAR(PairLoss(labels, 3, weights, 1.0)(scores, a, LossForm::sweep),
              PairLoss(repeated_labels, 3, {}, 1.0)(repeated, b, LossForm::sweep), 1e-15);
  EXPECT_NEAR(a[1], b[1] + b[2], 1e-15);
}

TEST(PairLoss, RowOrderDoesNotMatter) {
  const Problem p = random_problem(11);
  std::vector<std::size_t> order(p.scores.size());
  std::iota(order.begin(), order.end(), 0);
  detail::Random(1).shuffle(order);
  std::vector<double> scores;
  std::vector<int> labels;
  std::vector<double> weights;
  for (const std::size_t i : order) {
    scores.push_back(p.scores[i]);
    labels.push_back(p.labels[i]);
    if (!p.weights.empty()) weights.push_back(p.weights[i]);
  }
  std::vector<double> a(scores.size()), b(scores.size());
  const double value = PairLoss(p.labels, p.class_count, p.weights, p.margin)(p.scores, a, LossForm::sweep);
  EXPECT_NEAR(PairLoss(labels, p.class_count, weights, p.margin)(scores, b, LossForm::sweep), value, 1e-10 * value);
}

TEST(PairLoss, TheSameBitsForAnyNumberOfThreads) {
  detail::Random random(9);
  std::vector<double> scores;
  std::vector<int> labels;
  for (int i = 0; i < 200000; ++i) {
    labels.push_back(static_cast<int>(random.below(3)));
    scores.push_back(labels.back() + random.normal());
  }
  const PairLoss loss(labels, 3, {}, 0.7);
  for (const LossForm form : {LossForm::sweep, LossForm::histogram}) {
    std::vector<double> one(scores.size()), many(scores.size());
    double value = 0;
    {
      const ThreadLimit limit(1);
      value = loss(scores, one, form);
    }
    const ThreadLimit limit(4);
    EXPECT_EQ(loss(scores, many, form), value);
    EXPECT_EQ(one, many);
  }
}

TEST(PairLoss, OneClassOnlyIsRefused) {
  const std::vector<int> labels = {1, 1, 1};
  EXPECT_THROW(PairLoss(labels, 3, {}, 1.0), Error);
  const std::vector<int> two = {0, 1};
  const std::vector<double> weights = {0, 1};
  EXPECT_THROW(PairLoss(two, 2, weights, 1.0), Error);
}

TEST(PairLoss, AMarginThatIsNotPositiveIsRefused) {
  const std::vector<int> labels = {0, 1};
  for (const double margin : {0.0, -1.0, std::nan(""), HUGE_VAL}) EXPECT_THROW(PairLoss(labels, 2, {}, margin), Error);
}

TEST(PairLoss, LabelsAndWeightsThatDoNotFitAreRefused) {
  const std::vector<int> labels = {0, 1, 2};
  EXPECT_THROW(PairLoss(labels, 1, {}, 1.0), Error);    // one class possible
  EXPECT_THROW(PairLoss(labels, 256, {}, 1.0), Error);  // labels are kept in a byte
  EXPECT_THROW(PairLoss(labels, 2, {}, 1.0), Error);    // label 2 of 0 .. 1
  const std::vector<int> negative = {0, -1};
  EXPECT_THROW(PairLoss(negative, 2, {}, 1.0), Error);
  const std::vector<double> weights = {1, 1};
  EXPECT_THROW(PairLoss(labels, 3, weights, 1.0), Error);  // a weight too few
}

}  // namespace
}  // namespace xofm
