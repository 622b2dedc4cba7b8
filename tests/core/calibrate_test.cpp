#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>

#include "core/assign/reference.hpp"
#include "core/base/random.hpp"
#include "support/assign_cases.hpp"
#include "support/slow_assign.hpp"
#include "xofm/assign.hpp"
#include "xofm/error.hpp"

namespace xofm {
namespace {

using test_support::ask;
using test_support::class_by_cuts;
using test_support::concordant_six;
using test_support::fit;
using test_support::random_scored;
using test_support::Scored;
using test_support::share_tolerance;

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

// The same rows with the classes that have some numbered anew.
Scored without_absent_classes(Scored data) {
  const std::set<int> present(data.labels.begin(), data.labels.end());
  for (int& label : data.labels) label = static_cast<int>(std::distance(present.begin(), present.find(label)));
  data.class_count = static_cast<int>(present.size());
  return data;
}

TEST(Calibration, IsTheMaximumOfTheLikelihoodWithStraysAndAPrior) {
  // The objective written out: one stray per class, at most as heavy as the mean object, spread over the classes by
  // their shares; and a prior that holds the parameters of standardised scores near the start.
  const auto loss_of = [](const Scored& data, const Calibration& calibration) {
    const auto classes = static_cast<std::size_t>(data.class_count);
    const double slope = calibration.slope;
    double total = 0, mean = 0, variance = 0;
    for (std::size_t i = 0; i < data.scores.size(); ++i) {
      total += data.weight(i);
      mean += data.weight(i) * data.scores[i];
    }
    mean /= total;
    for (std::size_t i = 0; i < data.scores.size(); ++i) {
      variance += data.weight(i) / total * (data.scores[i] - mean) * (data.scores[i] - mean);
    }
    const double stray_weight = std::min(1.0, total / static_cast<double>(data.scores.size()));
    std::vector<double> shares(classes, stray_weight);
    for (std::size_t i = 0; i < data.scores.size(); ++i) {
      shares[static_cast<std::size_t>(data.labels[i])] += data.weight(i);
    }
    const double strays = stray_weight * static_cast<double>(classes);
    for (double& share : shares) share /= total + strays;
    double loss = 0;
    for (std::size_t i = 0; i < data.scores.size(); ++i) {
      const auto at_least = [&](std::size_t h) {
        if (h == 0) return 1.0;
        if (h == classes) return 0.0;
        return 1 / (1 + std::exp(calibration.thresholds[h - 1] - slope * data.scores[i]));
      };
      const auto label = static_cast<std::size_t>(data.labels[i]);
      const double probability =
          (total * (at_least(label) - at_least(label + 1)) + strays * shares[label]) / (total + strays);
      loss -= data.weight(i) / total * std::log(probability);
    }
    // Prior: log slope, first cut, log steps; each with a deviation of 2 and the weight of one object.
    std::vector<double> away = {std::log(slope * std::sqrt(variance) / 3)};
    double below = 0, cut_before = 0, start_before = 0;
    for (std::size_t h = 0; h + 1 < classes; ++h) {
      below += shares[h];
      const double cut = (calibration.thresholds[h] / slope - mean) / std::sqrt(variance);
      const double start = std::log(below / (1 - below)) / 1.7;
      away.push_back(h == 0 ? cut - start : std::log((cut - cut_before) / (start - start_before)));
      cut_before = cut;
      start_before = start;
    }
    for (const double a : away) loss += stray_weight / total * a * a / 8;
    return loss;
  };
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Scored data = without_absent_classes(random_scored(seed, 60));  // they have a prior of their own: decide_test
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

TEST(Calibration, TakesUnseenScoresAndAtHalfTheWeightTrainingScores) {
  const Scored seen = random_scored(5);
  detail::Random random(5);
  std::vector<double> unseen;
  for (const double score : seen.scores) unseen.push_back(score + 0.5 * random.normal());
  std::vector<double> both = unseen;
  both.insert(both.end(), seen.scores.begin(), seen.scores.end());
  std::vector<int> labels = seen.labels;
  labels.insert(labels.end(), seen.labels.begin(), seen.labels.end());
  std::vector<double> weights;
  for (const double share : {1.0, 0.5}) {
    for (std::size_t i = 0; i < seen.labels.size(); ++i) {
      weights.push_back(share * (seen.weights.empty() ? 1.0 : seen.weights[i]));
    }
  }
  const auto expected = calibrate(detail::make_reference(both, labels, weights, seen.class_count, 100000));
  for (const auto source : {ReferenceScores::training, ReferenceScores::out_of_sample}) {
    const auto found = fit_assignment(seen.scores, unseen, seen.labels, seen.weights, seen.class_count, 1,
                                      {.reference_scores = source, .reference_limit = 100000})
                           .calibration;
    EXPECT_NEAR(found.slope, expected.slope, 1e-4 * expected.slope);
    for (std::size_t h = 0; h < found.thresholds.size(); ++h) {
      EXPECT_NEAR(found.thresholds[h], expected.thresholds[h], 1e-3 * (1 + std::abs(expected.thresholds[h])));
    }
  }
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
  const double rounding = 0x1p-51;
  for (const auto& scores : {std::vector<double>{2, 2, 2, 2}, {2 - rounding, 2, 2, 2 + rounding}, {0, 0, 0, 1e-18}}) {
    const auto assignment = fit({scores, {0, 0, 0, 1}, {}, 2});
    // Four rows weigh against a prior of one.
    for (const double score : scores) EXPECT_NEAR(ask(assignment, score).probabilities[0], 0.75, 0.01);
  }
}

TEST(Calibration, AFewStraysHardlyMoveTheOthers) {
  detail::Random random(4);
  Scored clean;
  clean.class_count = 4;
  for (int i = 0; i < 120; ++i) {
    clean.labels.push_back(i % 4);
    clean.scores.push_back(i % 4 + 0.25 * random.normal());
  }
  Scored strayed = clean;
  strayed.labels[0] = 3;  // three rows, each among the rows of the class farthest from its own
  strayed.labels[1] = 3;
  strayed.labels[3] = 0;
  const auto a = fit(clean), b = fit(strayed);
  for (std::size_t h = 0; h < 4; ++h) {
    const double before = ask(a, static_cast<double>(h)).probabilities[h];
    const double after = ask(b, static_cast<double>(h)).probabilities[h];
    EXPECT_GT(before, 0.9);
    EXPECT_GT(after, before - 0.02) << "plain proportional odds would fall by 0.04 to 0.17 here";
  }
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

}  // namespace
}  // namespace xofm
