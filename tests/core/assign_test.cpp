#include "xofm/assign.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/assign/reference.hpp"
#include "core/base/random.hpp"
#include "support/slow_assign.hpp"
#include "xofm/error.hpp"

namespace xofm {
namespace {

using test_support::class_by_cuts;
using test_support::Scored;
using test_support::slow_interval;
using test_support::slow_support;

// Shares of weights: sums of at most some hundred numbers near 1.
constexpr double share_tolerance = 1e-13;

Assignment fit(const Scored& data, double margin = 1, const AssignmentOptions& options = {}) {
  return fit_assignment(data.scores, data.labels, data.weights, data.class_count, margin, options);
}

// Random sizes; ties in half of them, weights in half, sometimes absent classes; at least two classes.
Scored random_scored(std::uint64_t seed, std::size_t most_rows = 80, int most_classes = 5) {
  detail::Random random(seed);
  Scored data;
  data.class_count = static_cast<int>(2 + random.below(static_cast<std::uint64_t>(most_classes) - 1));
  const std::size_t size = 2 + random.below(most_rows);
  const bool ties = random.below(2) == 0, weighted = random.below(2) == 0;
  const auto absent = static_cast<int>(random.below(8));
  for (std::size_t i = 0; i < size; ++i) {
    int label = static_cast<int>(random.below(static_cast<std::uint64_t>(data.class_count)));
    if (label == absent) label = 0;
    if (i < 2) label = i == 0 ? 0 : data.class_count - 1;
    const double score = 0.7 * label + random.normal();
    data.scores.push_back(ties ? std::round(2 * score) / 2 : score);
    data.labels.push_back(label);
    if (weighted) data.weights.push_back(0.2 + random.uniform());
  }
  return data;
}

// Places worth asking about: at the scores, at the margin from them, between, outside.
std::vector<double> probes(const Scored& data, double margin, detail::Random& random) {
  std::vector<double> places = {-100, 100};
  for (const double score : data.scores) {
    for (const double place : {score, score - margin, score + margin}) places.push_back(place);
  }
  for (int i = 0; i < 20; ++i) places.push_back(6 * random.uniform() - 2);
  return places;
}

struct Answer {
  AssignedRow row;
  std::vector<double> support, probabilities;
};

Answer ask(const Assignment& assignment, double score) {
  const std::size_t classes = assignment.reference.classes.size();
  Answer answer{{}, std::vector<double>(classes), std::vector<double>(classes)};
  answer.row = Assigner(assignment).assign(score, answer.support, answer.probabilities);
  return answer;
}

// --- Definitions 4 and 5 by hand. Margin 0.5; classes 1 2 3 of the paper are 0 1 2 here.
//
//   score   0    1    2    3    4    5
//   class   0    0    1    1    2    2      concordant

Scored concordant_six() { return {{0, 1, 2, 3, 4, 5}, {0, 0, 1, 1, 2, 2}, {}, 3}; }

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

// --- Cuts.

TEST(Cuts, MakeTheLeastErrorOfAllPossibleCuts) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const Scored data = random_scored(seed, 9, 4);
    const auto reference = detail::make_reference(data.scores, data.labels, data.weights, data.class_count, 1000);
    for (const Aim aim : {Aim::accuracy, Aim::mae}) {
      const auto cuts = optimal_cuts(reference, aim);
      ASSERT_EQ(cuts.size(), static_cast<std::size_t>(data.class_count) - 1);
      EXPECT_TRUE(std::is_sorted(cuts.begin(), cuts.end()));
      for (const double cut : cuts) EXPECT_TRUE(std::isfinite(cut));
      EXPECT_NEAR(test_support::cuts_error(data, cuts, aim), test_support::slow_least_error(data, aim), 1e-12)
          << "seed " << seed;
    }
  }
}

TEST(Cuts, LieInTheMiddleBetweenTwoScores) {
  const auto cuts = fit(concordant_six()).mae_cuts;
  EXPECT_EQ(cuts, (std::vector<double>{1.5, 3.5}));
}

TEST(Cuts, NeighbouringNumbersAreStillSeparated) {
  const double next = std::nextafter(1.0, 2.0);
  const auto cuts = fit({{1, next}, {0, 1}, {}, 2}).mae_cuts;
  EXPECT_EQ(class_by_cuts(cuts, 1), 0);
  EXPECT_EQ(class_by_cuts(cuts, next), 1);
}

TEST(Cuts, AClassLeftOutAtAnEndIsNeverAssigned) {
  // Classes 0 and 3 have no objects: no score, however extreme, is put there.
  Reference reference;
  reference.classes = {{}, {{0, 1, 1}}, {{1, 1, 2}}, {}};
  for (const Aim aim : {Aim::accuracy, Aim::mae}) {
    const std::vector<double> cuts = optimal_cuts(reference, aim);
    const auto class_of = [&](double score) {
      return std::upper_bound(cuts.begin(), cuts.end(), score) - cuts.begin();
    };
    EXPECT_EQ(class_of(-1e300), 1);
    EXPECT_EQ(class_of(0), 1);
    EXPECT_EQ(class_of(1), 2);
    EXPECT_EQ(class_of(1e300), 2);
  }
}

TEST(Cuts, TheRuleTakesThoseOfItsAim) {
  // Scores 0 .. 4 with classes 0 2 0 0 2 ...: the two aims differ somewhere.
  int different = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Scored data = random_scored(seed, 60);
    for (const Aim aim : {Aim::accuracy, Aim::mae}) {
      const auto assignment = fit(data, 1, {.rule = AssignmentRule::threshold, .aim = aim});
      const auto& cuts = aim == Aim::mae ? assignment.mae_cuts : assignment.accuracy_cuts;
      for (const double score : data.scores) EXPECT_EQ(ask(assignment, score).row.label, class_by_cuts(cuts, score));
      different += assignment.mae_cuts != assignment.accuracy_cuts ? 1 : 0;
    }
  }
  EXPECT_GT(different, 0);
}

// --- Probabilities.

TEST(Calibration, RecoversAProportionalOddsModel) {
  detail::Random random(9);
  const double slope = 2.5;
  const std::vector<double> thresholds = {-1, 0.5, 3};
  Scored data;
  data.class_count = 4;
  for (int i = 0; i < 40000; ++i) {
    const double score = 10 + 1.2 * random.normal();
    const double u = random.uniform();
    const double latent = slope * (score - 10) + std::log(u / (1 - u));
    data.scores.push_back(score);
    data.labels.push_back(class_by_cuts(thresholds, latent));
  }
  const auto calibration = calibrate(detail::make_reference(data.scores, data.labels, {}, 4, 100000));
  // Standard errors: about 1.5 % of the slope and 0.03 of a threshold; four of them are allowed.
  EXPECT_NEAR(calibration.slope, slope, 0.12);
  for (std::size_t h = 0; h < 3; ++h) {
    EXPECT_NEAR(calibration.thresholds[h] - 10 * calibration.slope, thresholds[h], 0.12);
  }
}

TEST(Calibration, IsTheMaximumOfTheSmoothedLikelihood) {
  // The objective written out: one pseudo-observation per class, at most as heavy as the mean
  // object; each label keeps total / (total + pseudo) of itself, the rest goes by the smoothed shares.
  const auto loss_of = [](const Scored& data, const Calibration& calibration) {
    const auto classes = static_cast<std::size_t>(data.class_count);
    double total = 0;
    for (std::size_t i = 0; i < data.scores.size(); ++i) total += data.weight(i);
    const double pseudo_weight = std::min(1.0, total / static_cast<double>(data.scores.size()));
    std::vector<double> shares(classes, pseudo_weight);
    for (std::size_t i = 0; i < data.scores.size(); ++i) {
      shares[static_cast<std::size_t>(data.labels[i])] += data.weight(i);
    }
    const double pseudo = pseudo_weight * static_cast<double>(classes);
    const double smoothing = pseudo / (total + pseudo);
    for (double& share : shares) share /= total + pseudo;
    double loss = 0;
    for (std::size_t i = 0; i < data.scores.size(); ++i) {
      const auto at_least = [&](std::size_t h) {
        if (h == 0) return 1.0;
        if (h == classes) return 0.0;
        return 1 / (1 + std::exp(calibration.thresholds[h - 1] - calibration.slope * data.scores[i]));
      };
      for (std::size_t h = 0; h < classes; ++h) {
        const double target = (static_cast<int>(h) == data.labels[i] ? 1 - smoothing : 0) + smoothing * shares[h];
        loss -= data.weight(i) / total * target * std::log(at_least(h) - at_least(h + 1));
      }
    }
    return loss;
  };
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Scored data = random_scored(seed, 60);
    const auto found =
        calibrate(detail::make_reference(data.scores, data.labels, data.weights, data.class_count, 100000));
    const double least = loss_of(data, found);
    ASSERT_TRUE(std::isfinite(least)) << seed;
    for (const double move : {-0.02, 0.02}) {
      // Stopping tolerance: ten steps that gain less than 1e-9 of it.
      auto other = found;
      other.slope *= 1 + move;
      EXPECT_GT(loss_of(data, other), least - 1e-7) << seed;
      for (std::size_t h = 0; h < found.thresholds.size(); ++h) {
        other = found;
        other.thresholds[h] +=
            move * (h + 1 < found.thresholds.size() && h > 0 ? std::min(found.thresholds[h + 1] - found.thresholds[h],
                                                                        found.thresholds[h] - found.thresholds[h - 1])
                                                             : 0.1);
        if (std::is_sorted(other.thresholds.begin(), other.thresholds.end())) {
          EXPECT_GT(loss_of(data, other), least - 1e-7) << seed << " threshold " << h;
        }
      }
    }
  }
}

TEST(Calibration, ProbabilitiesSumToOneAndRiseWithTheScore) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Scored data = random_scored(seed);
    const auto assignment = fit(data);
    EXPECT_GT(assignment.calibration.slope, 0);
    EXPECT_TRUE(std::is_sorted(assignment.calibration.thresholds.begin(), assignment.calibration.thresholds.end()));
    std::vector<double> before(static_cast<std::size_t>(data.class_count), 0.0);
    for (double score = -1e3; score <= 1e3; score += std::abs(score) > 10 ? 50 : 0.1) {
      const auto probabilities = ask(assignment, score).probabilities;
      EXPECT_NEAR(std::accumulate(probabilities.begin(), probabilities.end(), 0.0), 1, share_tolerance);
      double at_least = 0;
      for (std::size_t h = probabilities.size(); h-- > 1;) {
        EXPECT_GE(probabilities[h], 0);
        at_least += probabilities[h];
        EXPECT_GE(at_least, before[h] - share_tolerance) << "P(class >= " << h << ") at " << score;
        before[h] = at_least;
      }
    }
    for (const double score : {-1e308, 1e308, -HUGE_VAL, HUGE_VAL}) {
      const auto probabilities = ask(assignment, score).probabilities;
      EXPECT_NEAR(std::accumulate(probabilities.begin(), probabilities.end(), 0.0), 1, share_tolerance) << score;
    }
  }
}

TEST(Calibration, WeightsThatSumToOneCalibrateLikeWeightsOfOne) {
  Scored data = random_scored(3);
  data.weights.assign(data.scores.size(), 1.0);
  const auto plain = fit(data);
  data.weights.assign(data.scores.size(), 0x1p-10);
  const auto light = fit(data);
  EXPECT_NEAR(light.calibration.slope, plain.calibration.slope, 1e-3 * plain.calibration.slope) << "stopping tolerance";
}

TEST(Calibration, SeparableScoresKeepAFiniteSlope) {
  for (const double scale : {1e-6, 1.0, 1e6}) {
    Scored data = concordant_six();
    for (double& score : data.scores) score *= scale;
    const auto assignment = fit(data);
    EXPECT_TRUE(std::isfinite(assignment.calibration.slope));
    EXPECT_GT(assignment.calibration.slope * scale, 0.1);
    EXPECT_LT(assignment.calibration.slope * scale, 100);
    for (const double threshold : assignment.calibration.thresholds) EXPECT_TRUE(std::isfinite(threshold));
  }
}

TEST(Calibration, ScoresThatAreAllEqualGiveTheShares) {
  const auto assignment = fit({{2, 2, 2, 2}, {0, 0, 0, 1}, {}, 2});
  const auto probabilities = ask(assignment, 2).probabilities;
  // Shares with one pseudo-observation per class: 4/6 of class 0 in the smoothing, 3/4 in the labels:
  // (4 * 3/4 + 2 * 4/6) / 6 = 13/18.
  EXPECT_NEAR(probabilities[0], 13.0 / 18, 1e-4);
}

TEST(Calibration, AnAbsentClassHasASmallProbabilityNotNone) {
  Scored data;
  data.class_count = 3;
  for (int i = 0; i < 200; ++i) {
    data.labels.push_back(i % 2 * 2);
    data.scores.push_back(i % 2 + 0.01 * i);
  }
  const auto answer = ask(fit(data), 1.5);
  EXPECT_GT(answer.probabilities[1], 0);
  EXPECT_LT(answer.probabilities[1], 0.1);
}

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
        for (const double threshold : assignment.calibration.thresholds) {
          double near = threshold / assignment.calibration.slope;
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
