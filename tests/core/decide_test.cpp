// The user's knowledge settles the class: costs, a preferred end of the interval, abstention.
#include "core/assign/decide.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/evaluate/decided.hpp"
#include "support/assign_cases.hpp"
#include "support/train_cases.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/generate.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

using test_support::ask;
using test_support::fit;
using test_support::probes;
using test_support::random_scored;

std::vector<std::vector<double>> random_costs(std::size_t classes, detail::Random& random) {
  std::vector<std::vector<double>> costs(classes, std::vector<double>(classes));
  for (auto& row : costs) {
    for (double& cost : row) cost = std::round(8 * random.uniform() - 2);
  }
  return costs;
}

// All kinds of decisions; by number.
Decision decision_of(int kind, std::size_t classes, detail::Random& random) {
  switch (kind) {
    case 0:
      return {.costs = random_costs(classes, random)};
    case 1:
      return {.preference = Preference::lower};
    case 2:
      return {.preference = Preference::higher};
    case 3:
      return {.least_probability = 0.3 + 0.6 * random.uniform()};
    default:
      return {.costs = random_costs(classes, random), .least_probability = 0.4 + 0.3 * random.uniform()};
  }
}

TEST(Decide, TheClassIsTheOneOfLeastExpectedCost) {
  detail::Random random(1, 0);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto data = random_scored(seed);
    Assignment assignment = fit(data);
    assignment.decision.costs = random_costs(assignment.reference.classes.size(), random);
    for (const double score : probes(data, 1, random)) {
      const auto answer = ask(assignment, score);
      const auto expected = [&](std::size_t decided) {
        double sum = 0;
        for (std::size_t h = 0; h < answer.probabilities.size(); ++h) {
          sum += answer.probabilities[h] * assignment.decision.costs[h][decided];
        }
        return sum;
      };
      for (std::size_t other = 0; other < answer.probabilities.size(); ++other) {
        EXPECT_LE(expected(static_cast<std::size_t>(answer.row.label)), expected(other) + 1e-12);
      }
    }
  }
}

TEST(Decide, CostsOfTheDistanceGiveTheMedianAndCostsOfErrorsTheMode) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto data = random_scored(seed);
    Assignment by_costs = fit(data);
    Assignment by_rule = by_costs;
    by_rule.options.rule = AssignmentRule::probability;
    const std::size_t classes = by_costs.reference.classes.size();
    detail::Random random(seed, 5);
    for (const Aim aim : {Aim::mae, Aim::accuracy}) {
      by_rule.options.aim = aim;
      by_costs.decision.costs.assign(classes, std::vector<double>(classes));
      for (std::size_t a = 0; a < classes; ++a) {
        for (std::size_t b = 0; b < classes; ++b) {
          const double distance = std::abs(static_cast<double>(a) - static_cast<double>(b));
          by_costs.decision.costs[a][b] = aim == Aim::mae ? distance : std::min(distance, 1.0);
        }
      }
      for (int i = 0; i < 40; ++i) {
        const double score = 6 * random.uniform() - 2;
        EXPECT_EQ(ask(by_costs, score).row.label, ask(by_rule, score).row.label);
      }
    }
  }
}

TEST(Decide, APreferenceTakesTheEndOfTheInterval) {
  const auto data = random_scored(4);
  Assignment assignment = fit(data);
  detail::Random random(2, 2);
  for (const double score : probes(data, 1, random)) {
    assignment.decision.preference = Preference::lower;
    EXPECT_EQ(ask(assignment, score).row.label, ask(assignment, score).row.interval.lowest);
    assignment.decision.preference = Preference::higher;
    EXPECT_EQ(ask(assignment, score).row.label, ask(assignment, score).row.interval.highest);
  }
}

TEST(Decide, NoClassWhereNoneIsProbableEnoughOrTheCoveringIntervalIsTooWide) {
  const auto data = random_scored(9, 80, 4);
  Assignment assignment =
      fit_assignment(data.scores, data.scores, data.labels, data.weights, data.class_count, 1, AssignmentOptions{});
  const Assignment plain = assignment;
  detail::Random random(3, 3);
  int abstained = 0;
  for (const double score : probes(data, 1, random)) {
    const auto answer = ask(plain, score);
    const double greatest = *std::max_element(answer.probabilities.begin(), answer.probabilities.end());
    assignment.decision = {.least_probability = 0.6};
    EXPECT_EQ(ask(assignment, score).row.label, greatest < 0.6 ? no_class : answer.row.label);
    assignment.decision = {.most_classes = 1, .coverage = 0.8};
    const auto [lowest, highest] = covering_interval(plain, answer.probabilities, 0.8);
    EXPECT_EQ(ask(assignment, score).row.label, highest > lowest ? no_class : answer.row.label);
    abstained += highest > lowest ? 1 : 0;
  }
  EXPECT_GT(abstained, 0);
}

TEST(Decide, WhatMakesNoSenseIsRefused) {
  const auto data = random_scored(4, 80, 3);
  const Assignment plain = fit(data);
  const std::size_t classes = plain.reference.classes.size();
  const auto code_of = [&](const Decision& decision) {
    Assignment assignment = plain;
    assignment.decision = decision;
    try {
      check_decision(assignment);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::io;  // none
  };
  const std::vector<std::vector<double>> good(classes, std::vector<double>(classes, 1.0));
  EXPECT_EQ(code_of({.costs = good}), ErrorCode::io);
  EXPECT_EQ(code_of({.costs = good, .preference = Preference::lower}), ErrorCode::invalid_option);
  EXPECT_EQ(code_of({.costs = {{1.0}}}), ErrorCode::invalid_option);
  auto bad = good;
  bad[1][0] = std::nan("");
  EXPECT_EQ(code_of({.costs = bad}), ErrorCode::invalid_option);
  bad = good;
  bad[0].pop_back();
  EXPECT_EQ(code_of({.costs = bad}), ErrorCode::invalid_option);
  EXPECT_EQ(code_of({.least_probability = 1.5}), ErrorCode::invalid_option);
  EXPECT_EQ(code_of({.most_classes = -1}), ErrorCode::invalid_option);
  EXPECT_EQ(code_of({.most_classes = 2}), ErrorCode::invalid_model) << "no scores of unseen rows";
}

TEST(Decide, PiecesAreTheClassAsAFunctionOfTheScore) {
  detail::Random random(7, 7);
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    const auto data = random_scored(seed);
    Assignment assignment = fit(data);
    assignment.options.rule = seed % 2 == 0 ? AssignmentRule::support : AssignmentRule::probability;
    assignment.decision = decision_of(static_cast<int>(seed % 5), assignment.reference.classes.size(), random);
    const std::vector<ScorePiece> pieces = score_pieces(assignment);
    EXPECT_EQ(pieces.front().lowest, -std::numeric_limits<double>::max());
    EXPECT_EQ(pieces.back().highest, std::numeric_limits<double>::max());
    for (const ScorePiece& piece : pieces) {
      EXPECT_EQ(ask(assignment, piece.lowest).row.label, piece.label);
      EXPECT_EQ(ask(assignment, piece.highest).row.label, piece.label);
    }
    for (std::size_t p = 1; p < pieces.size(); ++p) EXPECT_NE(pieces[p].label, pieces[p - 1].label);
    for (const double score : probes(data, 1, random)) {
      const auto at = std::partition_point(pieces.begin(), pieces.end(),
                                           [&](const ScorePiece& piece) { return piece.highest < score; });
      EXPECT_EQ(ask(assignment, score).row.label, at->label) << score;
    }
  }
}

TEST(Decide, CounterfactualsFollowTheDecision) {
  const Dataset data = generate({.row_count = 150, .attribute_count = 3, .class_count = 3, .seed = 2});
  Model model = train(data, test_support::quick()).model;
  // Class 3 in error is dear: it takes more to get there.
  const auto to_best = [&](std::size_t row) { return smallest_changes(model, data, row, {2, 2}).two; };
  int compared = 0;
  for (std::size_t row = 0; row < 30; ++row) {
    model.assignment.decision = {};
    const auto plain = to_best(row);
    model.assignment.decision.costs = {{0, 1, 9}, {1, 0, 5}, {2, 1, 0}};
    const auto dear = to_best(row);
    const int own = model.predict(subset(data, std::vector<std::size_t>{row})).classes.front();
    if (dear) {
      EXPECT_EQ(dear->label, 2);
    }
    if (!plain || !dear || own == 2) continue;
    EXPECT_GE(dear->cost, plain->cost);
    ++compared;
  }
  EXPECT_GT(compared, 3);
  // Where none is decided, changes lead to a class that is.
  model.assignment.decision = {.least_probability = 0.8};
  for (std::size_t row = 0; row < 30; ++row) {
    const NextClasses next = next_classes(model, data, row);
    for (const auto* const found : {&next.to_better.two, &next.to_worse.two}) {
      EXPECT_TRUE(!*found || (*found)->label != no_class);
    }
    EXPECT_GE(next.worse.value_or(0), 0);
  }
}

TEST(Decide, MetricsTellWhatDecisionsCostAndHowManyAreLeftOpen) {
  const Decision decision{.costs = {{0, 2, 4}, {1, 0, 3}, {7, 5, 0}}};
  // Costs 0, 3, 7 and one that is not decided.
  const std::vector<int> labels = {0, 1, 2, 1};
  const std::vector<int> classes = {0, 2, 0, no_class};
  const DecisionMetrics metrics = judge_decisions(decision, labels, classes);
  EXPECT_EQ(metrics.row_count, 4U);
  EXPECT_EQ(metrics.decided_count, 3U);
  EXPECT_DOUBLE_EQ(metrics.mean_cost, 10.0 / 3);
  EXPECT_TRUE(std::isnan(judge_decisions({}, labels, classes).mean_cost));
  const std::vector<double> scores = {1, 2, 3, 4};
  const std::vector<double> even(12, 1.0 / 3);
  const Metrics decided = detail::evaluate_decided(3, labels, classes, scores, even);
  EXPECT_EQ(decided.row_count, 3U);
  EXPECT_DOUBLE_EQ(decided.accuracy, 1.0 / 3);
  EXPECT_DOUBLE_EQ(decided.log_loss, log_loss(3, labels, even));
}

// --- Classes without rows.

TEST(Calibrate, AClassWithoutRowsGetsItsPriorWhateverTheScore) {
  for (const int absent : {0, 1, 2, 3}) {
    test_support::Scored data;
    data.class_count = 4;
    detail::Random random(static_cast<std::uint64_t>(absent), 9);
    for (int i = 0; i < 39; ++i) {
      const int label = (absent + 1 + i % 3) % 4;
      data.labels.push_back(label);
      data.scores.push_back(label + 0.5 * random.normal());
    }
    const Assignment assignment = fit(data);
    for (const double score : {-50.0, -1.0, 0.3, 1.2, 2.5, 60.0}) {
      const auto answer = ask(assignment, score);
      EXPECT_DOUBLE_EQ(answer.probabilities[static_cast<std::size_t>(absent)], 0.5 / 39.5) << score;
      double sum = 0;
      for (const double probability : answer.probabilities) sum += probability;
      EXPECT_NEAR(sum, 1, 1e-12);
      if (assignment.options.rule == AssignmentRule::probability) {
        EXPECT_NE(answer.row.label, absent);
      }
    }
    EXPECT_TRUE(std::is_sorted(assignment.calibration.thresholds.begin(), assignment.calibration.thresholds.end()));
  }
}

}  // namespace
}  // namespace xofm
