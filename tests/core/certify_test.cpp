#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/random.hpp"
#include "core/optimize/constraints.hpp"
#include "core/score/score_table.hpp"
#include "support/dense_model.hpp"
#include "support/random_rows.hpp"
#include "xofm/generate.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

using detail::Bound;
using test_support::dense_score;
using test_support::random_rows;
using test_support::RandomRowsOptions;

Encoder small_encoder(std::uint64_t seed, std::vector<Direction> directions) {
  const Dataset data = random_rows({.row_count = 20,
                                    .numeric_count = 2,
                                    .tied_count = 1,
                                    .categorical_count = 1,
                                    .missing_share = seed % 2 == 0 ? 0.2 : 0.0},
                                   seed);
  return fit_encoder(
      data, {.segment_count = 2 + static_cast<int>(seed % 2),
             .attributes = {.directions = {{"n0", directions[0]}, {"n1", directions[1]}, {"t0", directions[2]}}}});
}

Parameters random_parameters(const Encoder& encoder, int factor_count, std::uint64_t seed) {
  detail::Random random(seed, 8);
  Parameters parameters{{}, factor_count, {}};
  for (std::size_t n = 0; n < encoder.coordinate_count(); ++n) parameters.increments.push_back(random.normal());
  for (std::size_t n = 0; n < encoder.coordinate_count() * static_cast<std::size_t>(factor_count); ++n) {
    parameters.factors.push_back(random.normal());
  }
  return parameters;
}

// All runs of Phi of an attribute at its knots or levels, missing, and nothing filled (a level not seen).
std::vector<std::vector<double>> corner_runs(const AttributeEncoder& attribute) {
  const auto size = static_cast<std::size_t>(attribute.coordinate_count());
  std::vector<std::vector<double>> runs = {std::vector<double>(size)};
  std::vector<double> run(size);
  for (std::size_t c = 0; c < size; ++c) {
    if (!attribute.is_segment(static_cast<int>(c))) std::fill(run.begin(), run.end(), 0.0);
    run[c] = 1;
    runs.push_back(run);
  }
  return runs;
}

// The least rise of the score over any segment of attribute j, over all combinations of the others' corners.
double slow_least_slope(const Encoder& encoder, const Parameters& parameters, std::size_t j) {
  const std::size_t m = encoder.attributes.size();
  std::vector<std::vector<std::vector<double>>> corners;
  for (const auto& attribute : encoder.attributes) corners.push_back(corner_runs(attribute));
  double least = HUGE_VAL;
  std::vector<std::size_t> chosen(m, 0);
  const auto score = [&] {
    std::vector<double> phi;
    for (std::size_t a = 0; a < m; ++a)
      phi.insert(phi.end(), corners[a][chosen[a]].begin(), corners[a][chosen[a]].end());
    return dense_score(parameters, phi);
  };
  for (;;) {
    for (int c = 0; c < encoder.attributes[j].segment_count(); ++c) {
      chosen[j] = static_cast<std::size_t>(c);  // segments before c are full
      const double before = score();
      chosen[j] = static_cast<std::size_t>(c) + 1;
      least = std::min(least, score() - before);
    }
    std::size_t digit = 0;
    for (; digit < m; ++digit) {
      if (digit == j) continue;
      if (++chosen[digit] < corners[digit].size()) break;
      chosen[digit] = 0;
    }
    if (digit == m) return least;
  }
}

TEST(Certify, TheLeastSlopeIsTheMinimumOverAllCombinationsOfKnots) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Encoder encoder = small_encoder(seed, {Direction::increasing, Direction::decreasing, Direction::increasing});
    const Parameters parameters = random_parameters(encoder, static_cast<int>(seed % 4), seed);
    const Certificate certificate = certify(encoder, parameters);
    ASSERT_EQ(certificate.attributes.size(), 4U);
    for (std::size_t j = 0; j < 3; ++j) {
      const double slow = slow_least_slope(encoder, parameters, j);
      EXPECT_NEAR(certificate.attributes[j].least_slope, slow, 1e-11) << "differences of scores near 100: " << seed;
      EXPECT_EQ(certificate.attributes[j].holds, slow >= 0);
    }
    EXPECT_EQ(certificate.attributes[3].direction, Direction::none);
  }
}

TEST(Certify, AModelThatFallsSomewhereIsRefuted) {
  // Positive increments, but one product with the other attribute outweighs one of them:
  // u = (1, 1), v = (2, -1): the slope of the first is 1 - 2 at the other's top.
  Encoder encoder;
  encoder.attributes.resize(2);
  for (auto& attribute : encoder.attributes) {
    attribute.knots = {0, 1};
    attribute.direction = Direction::increasing;
  }
  number_coordinates(encoder);
  const Certificate certificate = certify(encoder, {{1, 1}, 1, {2, -1}});
  EXPECT_DOUBLE_EQ(certificate.attributes[0].least_slope, -1);
  EXPECT_FALSE(certificate.attributes[0].holds);
  EXPECT_FALSE(certificate.holds);
  // Without the product it holds; without a direction nothing is asked.
  EXPECT_TRUE(certify(encoder, {{1, 1}, 1, {2, 0}}).holds);
  for (auto& attribute : encoder.attributes) attribute.direction = Direction::none;
  EXPECT_TRUE(certify(encoder, {{1, 1}, 1, {2, -1}}).holds);
}

TEST(Certify, ProductsInsideTheAttributeCountToo) {
  // Segments with u = (1, 1) and v = (1, -2): the second segment rises by 1 - 2.
  Encoder encoder;
  encoder.attributes.resize(1);
  encoder.attributes[0].knots = {0, 1, 2};
  encoder.attributes[0].direction = Direction::decreasing;
  number_coordinates(encoder);
  EXPECT_DOUBLE_EQ(certify(encoder, {{1, 1}, 1, {1, -2}}).attributes[0].least_slope, -1);
  EXPECT_FALSE(certify(encoder, {{1, 1}, 1, {1, -2}}).holds);
}

// --- Constraints.

TEST(Constraints, WithoutDirectionsNothingIsBounded) {
  const Encoder encoder = small_encoder(2, {Direction::none, Direction::none, Direction::none});
  const auto constraints = detail::find_constraints(encoder, 3);
  EXPECT_FALSE(constraints.any_bounded);
  EXPECT_TRUE(constraints.lower_bounds().empty());
  for (const Bound bound : constraints.increments) EXPECT_EQ(bound, Bound::free);
  for (const Bound bound : constraints.factors) EXPECT_EQ(bound, Bound::free);
}

TEST(Constraints, FactorsAreSplitBetweenMonotoneAndFreeAttributes) {
  // Attribute 1 increasing with two segments and missing values, attribute 2 free with one segment; three factors:
  // the first two shared and not negative, the third free and zero for the monotone segments.
  Encoder encoder;
  encoder.attributes.resize(2);
  encoder.attributes[0].knots = {0, 1, 2};
  encoder.attributes[0].direction = Direction::increasing;
  encoder.attributes[0].has_missing = true;
  encoder.attributes[1].knots = {0, 1};
  number_coordinates(encoder);
  const auto constraints = detail::find_constraints(encoder, 3);
  constexpr auto plus = Bound::not_negative, zero = Bound::zero, free = Bound::free;
  EXPECT_EQ(constraints.increments, (std::vector<Bound>{plus, plus, free, free}));
  EXPECT_EQ(constraints.factors,
            (std::vector<Bound>{plus, plus, zero, plus, plus, zero, plus, plus, free, plus, plus, free}));
  const auto lower = constraints.lower_bounds();
  ASSERT_EQ(lower.size(), 16U);
  EXPECT_EQ(lower[0], 0);
  EXPECT_EQ(lower[2], -HUGE_VAL);
  EXPECT_EQ(lower[4], 0);
  EXPECT_EQ(lower[15], -HUGE_VAL);

  Parameters parameters{{-1, 2, -3, -4}, 3, {-1, 1, 5, 1, -1, 5, -1, 1, -5, 1, -1, -5}};
  constraints.project(parameters);
  EXPECT_EQ(parameters.increments, (std::vector<double>{0, 2, -3, -4}));
  EXPECT_EQ(parameters.factors, (std::vector<double>{0, 1, 0, 1, 0, 0, 0, 1, -5, 1, 0, -5}));
}

TEST(Constraints, WhenAllAttributesAreMonotoneAllFactorsAreShared) {
  Encoder encoder;
  encoder.attributes.resize(2);
  for (auto& attribute : encoder.attributes) {
    attribute.knots = {0, 1};
    attribute.direction = Direction::decreasing;
  }
  number_coordinates(encoder);
  for (const Bound bound : detail::find_constraints(encoder, 3).factors) EXPECT_EQ(bound, Bound::not_negative);
}

TEST(Constraints, ASegmentThatNothingFillsIsFixedAtZero) {
  Encoder encoder;
  encoder.attributes.resize(1);
  encoder.attributes[0].knots = {5};
  number_coordinates(encoder);
  const auto constraints = detail::find_constraints(encoder, 2);
  EXPECT_EQ(constraints.increments, (std::vector<Bound>{Bound::zero}));
  EXPECT_EQ(constraints.factors, (std::vector<Bound>{Bound::zero, Bound::zero}));
}

// --- Monotone means monotone.

struct MonotoneCase {
  const char* name;
  std::map<std::string, Direction> directions;
  RandomRowsOptions rows;
};

std::vector<MonotoneCase> monotone_cases() {
  const auto up = Direction::increasing, down = Direction::decreasing;
  return {
      // The truth rises in every attribute: asking for "down" is against the data, and must hold all the same.
      {"all increasing", {{"n0", up}, {"n1", up}, {"t0", up}}, {.row_count = 60}},
      {"all, one against the data", {{"n0", up}, {"n1", down}, {"t0", up}}, {.row_count = 60}},
      {"mixed with free", {{"n0", up}, {"t0", down}}, {.row_count = 60}},
      {"mixed with levels and missing",
       {{"n0", up}, {"n1", down}},
       {.row_count = 60, .constant_count = 1, .categorical_count = 1, .missing_share = 0.15, .weighted = true}},
  };
}

void expect_monotone(const Model& model, const Dataset& data, const std::string& name) {
  EXPECT_TRUE(model.certificate.holds) << name;
  detail::Random random(17);
  for (std::size_t j = 0; j < data.columns.size(); ++j) {
    const Direction direction = model.encoder.attributes[j].direction;
    EXPECT_EQ(model.certificate.attributes[j].direction, direction);
    if (direction == Direction::none) continue;
    EXPECT_TRUE(model.certificate.attributes[j].holds) << name;
    const auto& knots = model.encoder.attributes[j].knots;
    // Pairs of rows that differ in attribute j alone, within the range and beyond it.
    Dataset low, high;
    low.schema = high.schema = data.schema;
    low.columns.resize(data.columns.size());
    high.columns.resize(data.columns.size());
    for (int i = 0; i < 2000; ++i) {
      for (std::size_t a = 0; a < data.columns.size(); ++a) {
        const double value = data.columns[a][random.below(data.row_count())];
        low.columns[a].push_back(value);
        high.columns[a].push_back(value);
      }
      const double width = knots.back() - knots.front();
      const double x = knots.front() + width * (1.2 * random.uniform() - 0.1);
      const double y = random.below(2) == 0 ? x + width * random.uniform() : x + 1e-3 * width * random.uniform();
      low.columns[j].back() = x;
      high.columns[j].back() = y;
    }
    const auto a = model.score(low), b = model.score(high);
    double scale = 0;
    for (std::size_t i = 0; i < a.size(); ++i) scale = std::max({scale, std::abs(a[i]), std::abs(b[i])});
    const double sign = direction == Direction::increasing ? 1 : -1;
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_GE(sign * (b[i] - a[i]), -1e-12 * scale) << name << " attribute " << j;
    }
  }
}

void expect_constraints_hold(const Model& model) {
  const auto constraints = detail::find_constraints(model.encoder, model.parameters.factor_count);
  const auto expect = [](const std::vector<Bound>& bounds, const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (bounds[i] == Bound::zero) {
        EXPECT_EQ(values[i], 0);
      }
      if (bounds[i] == Bound::not_negative) {
        EXPECT_GE(values[i], 0);
      }
    }
  };
  expect(constraints.increments, model.parameters.increments);
  expect(constraints.factors, model.parameters.factors);
}

TEST(Monotone, ModelsAreMonotoneOnRandomPairsAndCertified) {
  for (const Optimizer method : {Optimizer::lbfgs, Optimizer::sgd}) {
    for (const auto& c : monotone_cases()) {
      for (const int factor_count : {0, 3}) {
        const Dataset data = random_rows(c.rows, 21);
        const TrainOptions options{.parts = {{.method = method,
                                              .segment_count = 4,
                                              .factor_count = factor_count,
                                              .max_epochs = method == Optimizer::sgd ? 15 : 100}},
                                   .attributes = {.directions = c.directions}};
        const Fit fit = train(data, options);
        const std::string name = std::string(c.name) + (method == Optimizer::sgd ? ", sgd" : ", lbfgs");
        expect_constraints_hold(fit.model);
        expect_monotone(fit.model, data, name);
        // It has learnt something: the attributes that may follow the data do.
        EXPECT_LT(fit.model.summary.objective, 0.9) << name << " (1 is the loss of equal scores)";
      }
    }
  }
}

TEST(Monotone, AFreeModelOfAHumpIsRefuted) {
  const Dataset data =
      generate({.row_count = 500, .attribute_count = 2, .class_count = 3, .curves = {Curve::hump, Curve::linear}});
  Fit fit = train(data, {.parts = {{.segment_count = 4}}});
  EXPECT_TRUE(fit.model.certificate.holds);  // nothing was asked
  for (auto& attribute : fit.model.encoder.attributes) attribute.direction = Direction::increasing;
  const auto certificate = certify(fit.model.encoder, fit.model.parameters);
  EXPECT_FALSE(certificate.holds);
  EXPECT_FALSE(certificate.attributes[0].holds);
  EXPECT_LT(certificate.attributes[0].least_slope, 0);
}

TEST(Monotone, SgdAndLbfgsComeToTheSameMonotoneMinimumOfTheConvexCase) {
  const Dataset data = random_rows({.row_count = 50}, 23);
  TrainOptions options{.parts = {{.segment_count = 3, .factor_count = 0, .increment_penalty = 0.05, .max_epochs = 500}},
                       .attributes = {.directions = {{"n0", Direction::increasing}, {"n1", Direction::decreasing}}},
                       .optimizer = {.tolerance = 1e-10}};
  const double exact = train(data, options).model.summary.objective;
  options.recipe().method = Optimizer::sgd;
  options.recipe().max_epochs = 300;
  options.optimizer = {.tolerance = 0, .learning_rate = 0.02, .learning_rate_decay = 1};
  const double stochastic = train(data, options).model.summary.objective;
  // Squares of free numbers come near a bound of zero only slowly: a thousandth is left.
  EXPECT_NEAR(stochastic, exact, 1e-3 * exact);
  EXPECT_GE(stochastic, exact - 1e-6 * exact);
}

}  // namespace
}  // namespace xofm
