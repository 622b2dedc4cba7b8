#include "core/optimize/objective.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.hpp"
#include "support/dense_model.hpp"
#include "support/gradient_check.hpp"
#include "support/random_rows.hpp"
#include "support/slow_pair_loss.hpp"
#include "xofm/generate.hpp"

namespace xofm {
namespace {

using detail::Bound;
using detail::Constraints;
using detail::TrainingObjective;
using test_support::random_rows;

// Misses this far from zero keep their sign while a coordinate moves by 6e-6.
constexpr double least_distance_to_kink = 2e-4;

struct Case {
  Dataset data;
  Encoder encoder;
  EncodedRows rows;
  Constraints constraints;
  int factor_count;
  std::vector<double> point;
  static constexpr double margin = 0.8;
};

Case make_case(bool weighted, bool monotone, int factor_count, std::uint64_t seed) {
  Case c;
  c.factor_count = factor_count;
  c.data = random_rows({.row_count = 25,
                        .class_count = 4,
                        .constant_count = 1,
                        .categorical_count = 1,
                        .missing_share = 0.1,
                        .weighted = weighted,
                        .absent_class = 2},
                       seed);
  EncoderOptions options = {.segment_count = 3};
  if (monotone) options.attributes.directions = {{"n0", Direction::increasing}, {"t0", Direction::decreasing}};
  c.encoder = fit_encoder(c.data, options);
  c.rows = encode(c.encoder, c.data);
  c.constraints = detail::find_constraints(c.encoder, factor_count);
  detail::Random random(seed, 4);
  Parameters start{{}, factor_count, {}};
  for (std::size_t n = 0; n < c.constraints.increments.size(); ++n) start.increments.push_back(random.normal());
  for (std::size_t n = 0; n < c.constraints.factors.size(); ++n) start.factors.push_back(0.5 * random.normal());
  c.constraints.project(start);
  c.point = start.increments;
  c.point.insert(c.point.end(), start.factors.begin(), start.factors.end());
  return c;
}

double distance_to_kink(const Case& c, std::span<const double> scores) {
  double least = HUGE_VAL;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (c.data.labels[i] > c.data.labels[j]) {
        least = std::min(least, std::abs(scores[j] - scores[i] + Case::margin));
      }
    }
  }
  return least;
}

TEST(TrainingObjective, TheGradientPassesTheCheckByCentralDifferences) {
  int checked = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const bool weighted = seed % 2 == 1, monotone = seed % 4 >= 2, penalised = seed % 3 != 0;
    const Case c = make_case(weighted, monotone, static_cast<int>(seed % 4), seed);
    const PairLoss loss(c.data.labels, 4, c.data.weights, Case::margin);
    TrainingObjective objective(c.encoder, c.rows, loss, c.constraints, c.factor_count,
                                penalised ? detail::Penalties{0.05, 0.08} : detail::Penalties{});
    objective.set_form(LossForm::sweep);
    std::vector<double> gradient(c.point.size());
    objective(c.point, gradient);
    if (distance_to_kink(c, objective.scores()) < least_distance_to_kink) continue;
    ++checked;

    // Entries fixed at zero get no gradient; the others are checked.
    std::vector<std::size_t> free;
    for (std::size_t n = 0; n < c.point.size(); ++n) {
      const std::size_t count = c.constraints.increments.size();
      const Bound bound = n < count ? c.constraints.increments[n] : c.constraints.factors[n - count];
      if (bound != Bound::zero) {
        free.push_back(n);
        continue;
      }
      EXPECT_EQ(c.point[n], 0);
      EXPECT_EQ(gradient[n], 0);
    }
    const auto restricted = [&](std::span<const double> x, std::span<double> slopes) {
      std::vector<double> point = c.point, all(c.point.size());
      for (std::size_t i = 0; i < free.size(); ++i) point[free[i]] = x[i];
      const double value = objective(point, all);
      for (std::size_t i = 0; i < free.size(); ++i) slopes[i] = all[free[i]];
      return value;
    };
    std::vector<double> x;
    for (const std::size_t n : free) x.push_back(c.point[n]);
    EXPECT_TRUE(test_support::gradient_agrees(restricted, x)) << seed;
  }
  EXPECT_GE(checked, 15);
}

TEST(TrainingObjective, TheValueIsTheSlowLossOfTheDenseScoresAndThePenalties) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Case c = make_case(seed % 2 == 1, seed % 4 >= 2, static_cast<int>(seed % 4), seed);
    const PairLoss loss(c.data.labels, 4, c.data.weights, Case::margin);
    TrainingObjective objective(c.encoder, c.rows, loss, c.constraints, c.factor_count, {0.05, 0.08});
    std::vector<double> gradient(c.point.size());
    const double value = objective(c.point, gradient);
    EXPECT_FALSE(objective.was_approximate());  // few rows: automatic means the sweep

    const auto split = c.point.begin() + static_cast<std::ptrdiff_t>(c.encoder.coordinate_count());
    const Parameters parameters{{c.point.begin(), split}, c.factor_count, {split, c.point.end()}};
    std::vector<double> scores;
    for (std::size_t i = 0; i < c.rows.row_count; ++i) {
      scores.push_back(test_support::dense_score(parameters, test_support::dense_phi(c.encoder, c.data, i)));
      EXPECT_NEAR(objective.scores()[i], scores.back(), 1e-12) << "rounding of some hundred terms near 1";
    }
    double expected = testing::slow_pair_loss(scores, c.data.labels, c.data.weights, Case::margin).value;
    for (const double u : parameters.increments) expected += 0.05 * u * u;
    for (const double v : parameters.factors) expected += 0.08 * v * v;
    EXPECT_NEAR(value, expected, 1e-12 * expected) << seed;
  }
}

TEST(TrainingObjective, TheHistogramGivesNearlyTheGradientOfTheSweep) {
  const Dataset data = generate({.row_count = 60000, .attribute_count = 4, .class_count = 4, .seed = 3});
  const Encoder encoder = fit_encoder(data);
  const EncodedRows rows = encode(encoder, data);
  const Constraints constraints = detail::find_constraints(encoder, 3);
  const PairLoss loss(data.labels, 4, {}, 1.0);
  TrainingObjective objective(encoder, rows, loss, constraints, 3, {0.01, 0.01});
  detail::Random random(5);
  std::vector<double> point;
  for (std::size_t n = 0; n < 4 * encoder.coordinate_count(); ++n) point.push_back(0.2 * random.normal());
  std::vector<double> exact(point.size()), fast(point.size());
  objective.set_form(LossForm::sweep);
  const double value = objective(point, exact);
  EXPECT_FALSE(objective.was_approximate());
  objective.set_form(LossForm::automatic);  // many rows: the histogram
  EXPECT_NEAR(objective(point, fast), value, 1e-6 * value);
  EXPECT_TRUE(objective.was_approximate());
  double difference = 0, size = 0;
  for (std::size_t n = 0; n < point.size(); ++n) {
    difference += (exact[n] - fast[n]) * (exact[n] - fast[n]);
    size += exact[n] * exact[n];
  }
  EXPECT_LT(std::sqrt(difference / size), 1e-6) << "the accuracy promised for generated data";
}

}  // namespace
}  // namespace xofm
