#include "xofm/metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>

#include "support/random_data.hpp"
#include "support/slow_metrics.hpp"
#include "xofm/error.hpp"

namespace xofm {
namespace {

// A few roundings of numbers near 1.
constexpr double rounding = 1e-14;

// Six rows, four classes, class 2 absent from the labels.
const std::vector<int> labels = {0, 0, 1, 1, 3, 3};
const std::vector<int> predicted = {0, 1, 1, 1, 3, 0};
const std::vector<double> scores = {1, 2, 2, 3, 4, 0};

Metrics evaluate_classes(int class_count, const std::vector<int>& truth, const std::vector<int>& guess) {
  return evaluate(class_count, truth, guess, {}, {});
}

void expect_invalid_data(const std::function<void()>& call, const std::string& fragment) {
  try {
    call();
    ADD_FAILURE() << "no error; expected one about: " << fragment;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_data);
    EXPECT_NE(std::string(error.what()).find(fragment), std::string::npos) << error.what();
  }
}

// Distances are 0 1 0 0 0 3.
TEST(Metrics, ClassMetricsOfSixRowsByHand) {
  const Metrics metrics = evaluate_classes(4, labels, predicted);
  EXPECT_EQ(metrics.row_count, 6U);
  EXPECT_DOUBLE_EQ(metrics.accuracy, 4.0 / 6);
  EXPECT_DOUBLE_EQ(metrics.within_one, 5.0 / 6);
  EXPECT_DOUBLE_EQ(metrics.mae, 4.0 / 6);
  // Class 0: 1/2; class 1: 0; class 3: 3/2; class 2 has no rows and no say.
  EXPECT_DOUBLE_EQ(metrics.macro_mae, (0.5 + 0 + 1.5) / 3);
  EXPECT_DOUBLE_EQ(metrics.worst_class_mae, 1.5);
  const Confusion expected = {{1, 1, 0, 0}, {0, 2, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 1}};
  EXPECT_EQ(metrics.confusion, expected);
}

// Observed: 1 + 9 = 10. Labels 0 0 1 1 3 3 and predictions 0 0 1 1 1 3 (sorted), 36 combinations:
// label 0 (twice): 0 + 0 + 1 + 1 + 1 + 9 = 12; label 1: 1 + 1 + 0 + 0 + 0 + 4 = 6; label 3: 9 + 9 + 4 + 4 + 4 + 0 = 30.
// Expected: 2 * (12 + 6 + 30) / 6 = 16.
TEST(Metrics, QuadraticWeightedKappaOfSixRowsByHand) {
  EXPECT_NEAR(evaluate_classes(4, labels, predicted).qwk, 1 - 10.0 / 16, rounding);
}

TEST(Metrics, KappaIsOneWhenPerfectMinusOneWhenReversedAndZeroForAConstantGuess) {
  EXPECT_EQ(evaluate_classes(3, {0, 1, 2}, {0, 1, 2}).qwk, 1);
  // Reversed: observed 4 + 0 + 4 = 8, expected (5 + 2 + 5) / 3 = 4.
  EXPECT_NEAR(evaluate_classes(3, {0, 1, 2}, {2, 1, 0}).qwk, -1, rounding);
  EXPECT_NEAR(evaluate_classes(3, {0, 1, 2}, {1, 1, 1}).qwk, 0, rounding);
}

// By rows a..f = (label, score): a(0,1) b(0,2) c(1,2) d(1,3) e(3,4) f(3,0); 15 pairs.
// Equal labels: ab, cd, ef (scores differ in all). Equal scores: bc. Concordant: ac ad ae, bd be, ce, de = 7.
// Discordant: af bf cf df = 4. Sum 3 + 1 + 7 + 4 = 15.
TEST(Metrics, PairsOfSixRowsByHand) {
  const PairCounts pairs = count_pairs(4, labels, scores);
  EXPECT_EQ(pairs.concordant, 7U);
  EXPECT_EQ(pairs.discordant, 4U);
  EXPECT_EQ(pairs.score_tied, 1U);
  EXPECT_EQ(pairs.label_tied, 3U);
  EXPECT_EQ(pairs.both_tied, 0U);
  const Metrics metrics = evaluate(4, labels, predicted, scores, {});
  EXPECT_NEAR(metrics.kendall_tau_b, 3 / std::sqrt(14.0 * 12.0), rounding);
  EXPECT_NEAR(metrics.c_index, 7.5 / 12, rounding);
}

TEST(Metrics, APerfectOrderHasTauAndCIndexOfExactlyOneAndItsReverseMinusOneAndZero) {
  const std::vector<int> truth = {0, 1, 2, 3, 4, 5, 6};
  const std::vector<double> rising = {-3, 0.1, 0.2, 0.3, 7, 8, 1e300};
  const std::vector<double> falling(rising.rbegin(), rising.rend());
  EXPECT_EQ(kendall_tau_b(count_pairs(7, truth, rising)), 1);
  EXPECT_EQ(c_index(count_pairs(7, truth, rising)), 1);
  EXPECT_EQ(kendall_tau_b(count_pairs(7, truth, falling)), -1);
  EXPECT_EQ(c_index(count_pairs(7, truth, falling)), 0);
}

// Row 1, true class 0: cumulative 0.5, 0.8 against 1, 1: 0.25 + 0.04. Row 2, true class 2: 0.1, 0.4 against 0, 0:
// 0.01 + 0.16. Mean (0.29 + 0.17) / 2 = 0.23, divided by 2 thresholds.
TEST(Metrics, ProbabilityMetricsOfTwoRowsByHand) {
  const std::vector<int> truth = {0, 2};
  const std::vector<double> probabilities = {0.5, 0.3, 0.2, 0.1, 0.3, 0.6};
  const Metrics metrics = evaluate(3, truth, truth, {}, probabilities);
  EXPECT_NEAR(metrics.rps, 0.115, rounding);
  EXPECT_NEAR(metrics.log_loss, -(std::log(0.5) + std::log(0.6)) / 2, rounding);
}

TEST(Metrics, CertaintyOfTheWrongEndHasRankedScoreOneAndAFiniteLogLoss) {
  const std::vector<int> truth = {3};
  EXPECT_EQ(ranked_probability_score(4, truth, std::vector<double>{1, 0, 0, 0}), 1);
  EXPECT_EQ(ranked_probability_score(4, truth, std::vector<double>{0, 0, 0, 1}), 0);
  EXPECT_NEAR(log_loss(4, truth, std::vector<double>{1, 0, 0, 0}), 15 * std::log(10.0), 1e-12);
  EXPECT_EQ(log_loss(4, truth, std::vector<double>{0, 0, 0, 1}), 0);
}

TEST(Metrics, FastAndSlowTwinsAgreeOnRandomRowsWithTiesAndAbsentClasses) {
  detail::Random random(11);
  for (int round = 0; round < 300; ++round) {
    const auto problem = test_support::random_problem({.row_count = random.below(60),
                                                       .class_count = 1 + static_cast<int>(random.below(8)),
                                                       .score_level_count = static_cast<int>(random.below(12)),
                                                       .absent_share = 0.5 * random.uniform(),
                                                       .signal = random.uniform(),
                                                       .score_offset = -0.5},
                                                      random);
    const PairCounts fast = count_pairs(problem.class_count, problem.labels, problem.scores);
    const PairCounts slow = test_support::slow_count_pairs(problem.labels, problem.scores);
    ASSERT_EQ(fast.concordant, slow.concordant) << "round " << round;
    ASSERT_EQ(fast.discordant, slow.discordant) << "round " << round;
    ASSERT_EQ(fast.score_tied, slow.score_tied) << "round " << round;
    ASSERT_EQ(fast.label_tied, slow.label_tied) << "round " << round;
    ASSERT_EQ(fast.both_tied, slow.both_tied) << "round " << round;

    std::vector<int> guesses = problem.labels;
    random.shuffle(guesses);
    const double kappa = evaluate_classes(problem.class_count, problem.labels, guesses).qwk;
    const double slow_kappa = test_support::slow_quadratic_weighted_kappa(problem.labels, guesses);
    ASSERT_EQ(std::isnan(kappa), std::isnan(slow_kappa)) << "round " << round;
    // 60 * 60 terms of up to 49 added in another order.
    if (!std::isnan(kappa)) {
      ASSERT_NEAR(kappa, slow_kappa, 1e-12) << "round " << round;
    }
  }
}

TEST(Metrics, RowOrderDoesNotMatter) {
  detail::Random random(5);
  const auto problem = test_support::random_problem({.row_count = 500, .score_level_count = 40}, random);
  std::vector<std::size_t> order(problem.labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(order);
  std::vector<int> truth, guess;
  std::vector<double> values;
  for (const std::size_t i : order) {
    truth.push_back(problem.labels[i]);
    guess.push_back(static_cast<int>(problem.scores[i] * 5));
    values.push_back(problem.scores[i]);
  }
  std::vector<int> guess_in_order;
  for (const double score : problem.scores) guess_in_order.push_back(static_cast<int>(score * 5));
  const Metrics a = evaluate(5, problem.labels, guess_in_order, problem.scores, {});
  const Metrics b = evaluate(5, truth, guess, values, {});
  EXPECT_EQ(a.mae, b.mae);
  EXPECT_EQ(a.macro_mae, b.macro_mae);
  EXPECT_EQ(a.qwk, b.qwk);
  EXPECT_EQ(a.kendall_tau_b, b.kendall_tau_b);
  EXPECT_EQ(a.c_index, b.c_index);
  EXPECT_EQ(a.confusion, b.confusion);
}

TEST(Metrics, ReversingTheScoresNegatesTauAndComplementsTheCIndex) {
  detail::Random random(6);
  const auto problem = test_support::random_problem({.row_count = 200, .score_level_count = 30}, random);
  std::vector<double> reversed;
  for (const double score : problem.scores) reversed.push_back(-score);
  const PairCounts forward = count_pairs(5, problem.labels, problem.scores);
  const PairCounts backward = count_pairs(5, problem.labels, reversed);
  EXPECT_EQ(kendall_tau_b(forward), -kendall_tau_b(backward));
  EXPECT_NEAR(c_index(forward), 1 - c_index(backward), rounding);
}

TEST(Metrics, WithoutRowsAllIsUndefined) {
  const Metrics metrics = evaluate(3, {}, {}, {}, {});
  EXPECT_EQ(metrics.row_count, 0U);
  for (const double value :
       {metrics.accuracy, metrics.mae, metrics.macro_mae, metrics.worst_class_mae, metrics.qwk, metrics.kendall_tau_b,
        metrics.c_index, metrics.rps, metrics.log_loss, metrics.within_one, kendall_tau_b(count_pairs(3, {}, {})),
        ranked_probability_score(3, {}, {}), log_loss(3, {}, {})}) {
    EXPECT_TRUE(std::isnan(value));
  }
}

TEST(Metrics, WithOneClassOnlyTheRankMetricsAreUndefined) {
  const std::vector<int> ones = {1, 1, 1};
  const Metrics metrics = evaluate(3, ones, ones, std::vector<double>{1, 2, 3}, {});
  EXPECT_EQ(metrics.accuracy, 1);
  EXPECT_EQ(metrics.macro_mae, 0);
  EXPECT_TRUE(std::isnan(metrics.qwk));
  EXPECT_TRUE(std::isnan(metrics.kendall_tau_b));
  EXPECT_TRUE(std::isnan(metrics.c_index));
  const std::vector<int> zero = {0};
  EXPECT_TRUE(std::isnan(ranked_probability_score(1, zero, std::vector<double>{1})));
  EXPECT_EQ(log_loss(1, zero, std::vector<double>{1}), 0);
}

TEST(Metrics, EqualScoresHaveNoTauAndACIndexOfOneHalf) {
  const Metrics metrics = evaluate(4, labels, predicted, std::vector<double>(6, 2.5), {});
  EXPECT_TRUE(std::isnan(metrics.kendall_tau_b));
  EXPECT_EQ(metrics.c_index, 0.5);
}

TEST(Metrics, MinusZeroTiesWithZeroAndInfinitiesAreOrdered) {
  const double infinity = std::numeric_limits<double>::infinity();
  const PairCounts pairs =
      count_pairs(2, std::vector<int>{0, 1, 0, 1}, std::vector<double>{-0.0, 0.0, -infinity, infinity});
  EXPECT_EQ(pairs.score_tied, 1U);
  EXPECT_EQ(pairs.concordant, 3U);
}

TEST(Metrics, MalformedInputIsRefusedByName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<int> two = {0, 1};
  expect_invalid_data([&] { evaluate(0, {}, {}, {}, {}); }, "class_count is 0");
  expect_invalid_data([&] { evaluate(256, {}, {}, {}, {}); }, "class_count is 256; it must be in 1..255");
  expect_invalid_data([&] { evaluate(2, two, std::vector<int>{0}, {}, {}); }, "2 labels but 1 predicted");
  expect_invalid_data([&] { evaluate(2, std::vector<int>{0, 2}, two, {}, {}); }, "label of row 1 is 2");
  expect_invalid_data([&] { evaluate(2, two, std::vector<int>{-1, 0}, {}, {}); }, "predicted class of row 0 is -1");
  expect_invalid_data([&] { evaluate(2, two, two, std::vector<double>{1}, {}); }, "2 labels but 1 scores");
  expect_invalid_data([&] { evaluate(2, two, two, std::vector<double>{1, nan}, {}); }, "score of row 1 is NaN");
  expect_invalid_data([&] { evaluate(2, two, two, {}, std::vector<double>{1, 0, 1}); }, "3 probabilities for 2 rows");
  expect_invalid_data([&] { evaluate(2, two, two, {}, std::vector<double>{1, 0, nan, 1}); }, "class 0 in row 1 is nan");
  expect_invalid_data([&] { evaluate(2, two, two, {}, std::vector<double>{1.5, -0.5, 0, 1}); }, "row 0 is 1.5");
  expect_invalid_data([&] { evaluate(2, two, two, {}, std::vector<double>{0.5, 0.2, 0, 1}); }, "row 0 sum to 0.7");
  expect_invalid_data([&] { quadratic_weighted_kappa({{1, 2}, {3}}); }, "row 1 of the confusion matrix has 1");
}

}  // namespace
}  // namespace xofm
