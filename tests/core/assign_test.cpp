#include "xofm/assign.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/assign/reference.hpp"
#include "core/base/random.hpp"
#include "support/assign_cases.hpp"
#include "support/slow_assign.hpp"
#include "xofm/error.hpp"

namespace xofm {
namespace {

using test_support::ask;
using test_support::class_by_cuts;
using test_support::concordant_six;
using test_support::fit;
using test_support::probes;
using test_support::random_scored;
using test_support::Scored;
using test_support::share_tolerance;
using test_support::slow_interval;
using test_support::slow_support;

// --- Definitions 4 and 5 by hand. Margin 0.5; classes 1 2 3 of the paper are 0 1 2 here.
//
//   score   0    1    2    3    4    5
//   class   0    0    1    1    2    2      concordant

TEST(Assign, InsideAClassTheIntervalIsThatClass) {
  const auto assignment = fit(concordant_six(), 0.5, {.rule = AssignmentRule::support});
  // Score 2.5: L = 1 (class 1 at 2), R = 1 (class 1 at 3).
  const auto answer = ask(assignment, 2.5);
  EXPECT_EQ(answer.row.interval.lowest, 1);
  EXPECT_EQ(answer.row.interval.highest, 1);
  EXPECT_EQ(answer.row.label, 1);
}

TEST(Assign, BetweenTwoClassesTheIntervalIsBothAndSupportDecides) {
  const auto assignment = fit(concordant_six(), 0.5, {.rule = AssignmentRule::support});
  // Score 1.7: L = 0, R = 1. Support of class 0 (others: 2 3 4 5 above by more than 0.5? 2 no; 3 4 5 yes) = 3/4;
  // of class 1 (below: 0 and 1, both by more than 0.5; above: 4, 5) = 4/4; of class 2 (0, 1 yes; 2, 3 no) = 2/4.
  const auto answer = ask(assignment, 1.7);
  EXPECT_EQ(answer.row.interval.lowest, 0);
  EXPECT_EQ(answer.row.interval.highest, 1);
  EXPECT_EQ(answer.support, (std::vector<double>{0.75, 1, 0.5}));
  EXPECT_EQ(answer.row.label, 1);
}

TEST(Assign, AtAScoreExactlyOneMarginAwayTheObjectDoesNotCount) {
  const auto assignment = fit(concordant_six(), 0.5, {.rule = AssignmentRule::support});
  // Score 1.5: 1 and 2 are exactly 0.5 away. Class 0: 3 4 5 -> 3/4. Class 1: 0, 4, 5 -> 3/4. A tie: the lower class.
  const auto answer = ask(assignment, 1.5);
  EXPECT_EQ(answer.support, (std::vector<double>{0.75, 0.75, 0.25}));
  EXPECT_EQ(answer.row.label, 0);
}

TEST(Assign, BeyondAllObjectsTheIntervalReachesTheEndClass) {
  const auto assignment = fit(concordant_six(), 0.5);
  for (const double score : {-3.0, 7.0}) {
    const auto interval = Assigner(assignment).interval(score);
    EXPECT_EQ(interval.lowest, score < 0 ? 0 : 2);
    EXPECT_EQ(interval.highest, score < 0 ? 0 : 2);
  }
  // Without objects of the end classes the interval still reaches them.
  const auto middle = fit({{0, 1}, {1, 2}, {}, 4}, 0.5);
  EXPECT_EQ(Assigner(middle).interval(-1).lowest, 0);
  EXPECT_EQ(Assigner(middle).interval(-1).highest, 1);
  EXPECT_EQ(Assigner(middle).interval(2).lowest, 2);
  EXPECT_EQ(Assigner(middle).interval(2).highest, 3);
}

TEST(Assign, ADiscordantCaseTurnsTheIntervalRound) {
  //   score   0    1    2    3
  //   class   0    2    0    2      the second and the third contradict
  // Score 1.5: L = 2 (class 2 at 1), R = 0 (class 0 at 2): L > R, the interval is [0, 2].
  const Scored data = {{0, 1, 2, 3}, {0, 2, 0, 2}, {}, 3};
  const auto twin = slow_interval(data, 1.5);
  ASSERT_GT(twin.left, twin.right);
  const auto answer = ask(fit(data, 0.25, {.rule = AssignmentRule::support}), 1.5);
  EXPECT_EQ(answer.row.interval.lowest, 0);
  EXPECT_EQ(answer.row.interval.highest, 2);
  // Support: class 0: of 1 and 3 the second is above -> 1/2; class 1: 0 below, 3 above, of 4 -> 2/4; class 2: 1/2.
  EXPECT_EQ(answer.support, (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(answer.row.label, 0);
}

TEST(Assign, AnEqualScoreCountsOnBothSidesOfTheInterval) {
  // Score 1 has objects of classes 0 and 1: L = 1, R = 0.
  const auto interval = Assigner(fit({{1, 1, 2}, {0, 1, 2}, {}, 3})).interval(1);
  EXPECT_EQ(interval.lowest, 0);
  EXPECT_EQ(interval.highest, 1);
}

// --- Against the twins.

TEST(Assign, IntervalAndSupportEqualTheLoopsOverAllObjects) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    detail::Random random(seed, 5);
    const Scored data = random_scored(seed);
    const double margin = random.below(2) == 0 ? 0.5 : 0.1 + random.uniform();
    const auto assignment = fit(data, margin, {.rule = AssignmentRule::support});
    for (const double score : probes(data, margin, random)) {
      const auto answer = ask(assignment, score);
      const auto [left, right] = slow_interval(data, score);
      EXPECT_EQ(answer.row.interval.lowest, std::min(left, right)) << seed;
      EXPECT_EQ(answer.row.interval.highest, std::max(left, right)) << seed;
      const auto support = slow_support(data, score, margin);
      int best = std::min(left, right);
      for (int h = 0; h < data.class_count; ++h) {
        const auto c = static_cast<std::size_t>(h);
        EXPECT_NEAR(answer.support[c], support[c], share_tolerance) << seed;
        EXPECT_GE(answer.support[c], 0);
        EXPECT_LE(answer.support[c], 1);
        const bool inside = h >= answer.row.interval.lowest && h <= answer.row.interval.highest;
        if (inside && support[c] > support[static_cast<std::size_t>(best)] + share_tolerance) best = h;
      }
      EXPECT_GE(answer.row.label, answer.row.interval.lowest);
      EXPECT_LE(answer.row.label, answer.row.interval.highest);
      EXPECT_NEAR(support[static_cast<std::size_t>(answer.row.label)], support[static_cast<std::size_t>(best)],
                  share_tolerance);
      if (data.weights.empty()) {
        EXPECT_EQ(answer.row.label, best) << seed;  // ties: the lower class
      }
    }
  }
}

TEST(Assign, AWeightOfTwoIsTheObjectTwice) {
  const Scored once = {{0.1, 0.7, 0.4, 2}, {0, 1, 0, 2}, {1, 2, 1, 1}, 3};
  const Scored twice = {{0.1, 0.7, 0.7, 0.4, 2}, {0, 1, 1, 0, 2}, {}, 3};
  const auto a = fit(once, 0.3), b = fit(twice, 0.3);
  for (double score = -1; score < 3; score += 0.17) {
    const auto x = ask(a, score), y = ask(b, score);
    for (std::size_t h = 0; h < 3; ++h) {
      EXPECT_NEAR(x.support[h], y.support[h], share_tolerance);
      // Both calibrations stop when ten steps gain less than 1e-9 of the likelihood.
      EXPECT_NEAR(x.probabilities[h], y.probabilities[h], 1e-4);
    }
  }
  EXPECT_EQ(a.accuracy_cuts, b.accuracy_cuts);
  EXPECT_EQ(a.mae_cuts, b.mae_cuts);
}

TEST(Assign, ObjectsOfWeightZeroDoNotCount) {
  const Scored with = {{0, 1, 2, 9}, {0, 1, 2, 0}, {1, 1, 1, 0}, 3};
  const Scored without = {{0, 1, 2}, {0, 1, 2}, {1, 1, 1}, 3};
  const auto a = fit(with), b = fit(without);
  EXPECT_EQ(a.reference.classes[0].size(), 1U);
  EXPECT_EQ(a.mae_cuts, b.mae_cuts);
  EXPECT_EQ(a.calibration.thresholds, b.calibration.thresholds);
}

// --- Propositions 1 and 2 on concordant data (Definition 3: better classes lead by at least the margin).

Scored concordant(std::uint64_t seed, double margin) {
  detail::Random random(seed);
  Scored data;
  data.class_count = static_cast<int>(2 + random.below(4));
  double start = random.normal();
  for (int h = 0; h < data.class_count; ++h) {
    const auto size = 1 + random.below(6);
    double most = start;
    for (std::uint64_t i = 0; i < size; ++i) {
      data.scores.push_back(start + random.uniform());
      data.labels.push_back(h);
      most = std::max(most, data.scores.back());
    }
    start = most + margin + 0.5 * random.uniform();
  }
  return data;
}

TEST(Assign, Proposition1TheIntervalOfConcordantDataIsNeverEmpty) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const double margin = 0.3;
    const Scored data = concordant(seed, margin);
    const auto assignment = fit(data, margin);
    detail::Random random(seed, 6);
    for (const double score : probes(data, margin, random)) {
      const auto [left, right] = slow_interval(data, score);
      ASSERT_LE(left, right);
      EXPECT_EQ(Assigner(assignment).interval(score).lowest, left);
      EXPECT_EQ(Assigner(assignment).interval(score).highest, right);
    }
  }
}

TEST(Assign, Proposition2CutsLieInThePapersThresholdIntervals) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const double margin = 0.3;
    const Scored data = concordant(seed, margin);
    const auto assignment = fit(data, margin, {.rule = AssignmentRule::support});
    const auto& classes = assignment.reference.classes;
    for (const auto* cuts : {&assignment.accuracy_cuts, &assignment.mae_cuts}) {
      ASSERT_EQ(cuts->size(), classes.size() - 1);
      for (std::size_t h = 0; h + 1 < classes.size(); ++h) {
        EXPECT_GT((*cuts)[h], classes[h].back().score);
        EXPECT_LE((*cuts)[h], classes[h + 1].front().score);
      }
      // Case (1): from the least score of a class to below its greatest, both procedures take that class; case (2):
      // between two classes the class by cuts is one of the interval.
      for (std::size_t h = 0; h < classes.size(); ++h) {
        const double least = classes[h].front().score, greatest = classes[h].back().score;
        for (const double share : {0.0, 0.3, 0.99}) {
          const double score = least + share * (greatest - least);
          if (score >= greatest) continue;
          EXPECT_EQ(class_by_cuts(*cuts, score), static_cast<int>(h));
          EXPECT_EQ(ask(assignment, score).row.label, static_cast<int>(h));
        }
        if (h + 1 == classes.size()) continue;
        for (const double share : {0.01, 0.49, 0.51, 0.99}) {
          const double score = std::lerp(greatest, classes[h + 1].front().score, share);
          const auto interval = Assigner(assignment).interval(score);
          EXPECT_EQ(interval.lowest, static_cast<int>(h));
          EXPECT_EQ(interval.highest, static_cast<int>(h) + 1);
          EXPECT_GE(class_by_cuts(*cuts, score), interval.lowest);
          EXPECT_LE(class_by_cuts(*cuts, score), interval.highest);
        }
      }
    }
  }
}

// --- The thinned reference.

TEST(Reference, AThinnedClassKeepsItsEndsAndItsWeight) {
  detail::Random random(7);
  for (const std::size_t size : {std::size_t{3}, std::size_t{10}, std::size_t{1000}, std::size_t{2500}}) {
    for (const int limit : {2, 3, 4, 100, 999}) {
      std::vector<double> scores, weights;
      std::vector<int> labels;
      for (std::size_t i = 0; i < size; ++i) {
        scores.push_back(random.normal());
        labels.push_back(static_cast<int>(i % 2));
        weights.push_back(0.5 + random.uniform());
      }
      const auto full = detail::make_reference(scores, labels, weights, 2, 1'000'000);
      const auto thin = detail::make_reference(scores, labels, weights, 2, limit);
      for (std::size_t h = 0; h < 2; ++h) {
        const auto& all = full.classes[h];
        const auto& kept = thin.classes[h];
        EXPECT_EQ(kept.size(), std::min(all.size(), static_cast<std::size_t>(limit)));
        EXPECT_EQ(kept.front().score, all.front().score);
        EXPECT_EQ(kept.front().row, all.front().row);
        EXPECT_EQ(kept.back().score, all.back().score);
        EXPECT_EQ(kept.back().row, all.back().row);
        const auto add = [](double sum, const ReferencePoint& point) { return sum + point.weight; };
        EXPECT_NEAR(std::accumulate(kept.begin(), kept.end(), 0.0, add),
                    std::accumulate(all.begin(), all.end(), 0.0, add), 1e-9);
        for (std::size_t i = 0; i < kept.size(); ++i) {
          EXPECT_EQ(kept[i].score, scores[kept[i].row - 1]);  // every point is an object, with its data row from 1
          if (i > 0) {
            EXPECT_GE(kept[i].score, kept[i - 1].score);
          }
        }
      }
    }
  }
}

TEST(Reference, SupportByAThinnedReferenceIsNearTheExactOne) {
  detail::Random random(8);
  Scored data;
  data.class_count = 3;
  for (int i = 0; i < 6000; ++i) {
    data.labels.push_back(static_cast<int>(random.below(3)));
    data.scores.push_back(data.labels.back() + random.normal());
  }
  const auto exact = fit(data, 1, {.reference_limit = 10000});
  const auto thin = fit(data, 1, {.reference_limit = 500});
  for (double score = -3; score < 5; score += 0.1) {
    const auto a = ask(exact, score), b = ask(thin, score);
    EXPECT_EQ(a.row.interval.lowest, b.row.interval.lowest);
    EXPECT_EQ(a.row.interval.highest, b.row.interval.highest);
    for (std::size_t h = 0; h < 3; ++h) {
      EXPECT_NEAR(a.support[h], b.support[h], 2.0 / 500) << "one group of each class, on either side";
      EXPECT_NEAR(a.probabilities[h], b.probabilities[h], 0.01);
    }
  }
}

TEST(Reference, ALimitBelowTwoIsRefused) {
  for (const int limit : {1, 0, -5}) EXPECT_THROW(fit(concordant_six(), 1, {.reference_limit = limit}), Error);
}

// --- Rules.

TEST(Assign, TheProbabilityRulesTakeTheMedianAndTheMode) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Scored data = random_scored(seed);
    const auto median = fit(data, 1, {.rule = AssignmentRule::probability, .aim = Aim::mae});
    const auto mode = fit(data, 1, {.rule = AssignmentRule::probability, .aim = Aim::accuracy});
    for (double score = -3; score < 5; score += 0.05) {
      const auto answer = ask(median, score);
      double below = 0;
      for (int h = 0; h < answer.row.label; ++h) below += answer.probabilities[static_cast<std::size_t>(h)];
      EXPECT_LT(below, 0.5 + share_tolerance);
      EXPECT_GE(below + answer.probabilities[static_cast<std::size_t>(answer.row.label)], 0.5 - share_tolerance);
      const auto likely = ask(mode, score);
      for (const double p : likely.probabilities) {
        EXPECT_LE(p, likely.probabilities[static_cast<std::size_t>(likely.row.label)]);
      }
    }
  }
}

TEST(Assign, ClassesByCutsAndByMedianNeverFallAsTheScoreRises) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Scored data = random_scored(seed);
    for (const AssignmentRule rule : {AssignmentRule::threshold, AssignmentRule::probability}) {
      for (const Aim aim : {Aim::mae, Aim::accuracy}) {
        if (rule == AssignmentRule::probability && aim == Aim::accuracy) continue;
        const auto assignment = fit(data, 1, {.rule = rule, .aim = aim});
        std::vector<double> scores;
        for (double score = -4; score < 6; score += 0.03) scores.push_back(score);
        // The neighbouring numbers of every switch, where rounding would show.
        for (int h = 0; h + 1 < data.class_count; ++h) {
          double near = -1e3, above = 1e3;  // around the score from which on the class is above h: found by halving
          while (near < (near + above) / 2 && (near + above) / 2 < above) {
            (ask(assignment, (near + above) / 2).row.label > h ? above : near) = (near + above) / 2;
          }
          for (int i = 0; i < 40; ++i) near = std::nextafter(near, -HUGE_VAL);
          for (int i = 0; i < 80; ++i) scores.push_back(near = std::nextafter(near, HUGE_VAL));
        }
        for (const double cut : assignment.mae_cuts) scores.insert(scores.end(), {cut, std::nextafter(cut, -HUGE_VAL)});
        std::sort(scores.begin(), scores.end());
        int before = 0;
        for (const double score : scores) {
          const int label = ask(assignment, score).row.label;
          EXPECT_GE(label, before) << "seed " << seed << " score " << score;
          before = label;
        }
      }
    }
  }
}

}  // namespace
}  // namespace xofm
