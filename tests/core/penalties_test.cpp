#include "core/optimize/penalties.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/random.hpp"
#include "support/gradient_check.hpp"
#include "support/random_rows.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/generate.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

using detail::Penalties;

Encoder mixed_encoder() {
  const Dataset data = test_support::random_rows(
      {.row_count = 40, .constant_count = 1, .categorical_count = 1, .missing_share = 0.1}, 6);
  return fit_encoder(data, {.segment_count = 4});
}

TEST(Penalties, TheGradientAgreesWithDifferencesForEachAndForAll) {
  const Encoder encoder = mixed_encoder();
  constexpr int factor_count = 3;
  detail::Random random(2);
  std::vector<double> point(encoder.coordinate_count() * (1 + factor_count));
  for (double& value : point) value = random.normal();
  for (const Penalties& penalties : {Penalties{0.7}, Penalties{0, 0.3}, Penalties{0, 0, 0.5}, Penalties{0, 0, 0, 0.9},
                                     Penalties{0, 0, 0, 0, 0.6}, Penalties{0.1, 0.2, 0.3, 0.4, 0.5}}) {
    const auto objective = [&](std::span<const double> x, std::span<double> gradient) {
      std::fill(gradient.begin(), gradient.end(), 0.0);
      return detail::add_penalties(encoder, factor_count, penalties, x, gradient);
    };
    EXPECT_TRUE(test_support::gradient_agrees(objective, point));
  }
}

TEST(Penalties, AHandWorkedCase) {
  // One numeric attribute with three segments, one factor: u = 1 3 2, v = 0 2 2.
  // |u|^2 = 14, |v|^2 = 8; differences of u: 2, -1; of v: 2, 0: squares 5 + 4; norm of v: sqrt(8);
  // sizes of u: 6, of the rows of v: 4.
  Encoder encoder;
  encoder.attributes.resize(1);
  encoder.attributes[0].knots = {0, 1, 2, 3};
  number_coordinates(encoder);
  const std::vector<double> point = {1, 3, 2, 0, 2, 2};
  std::vector<double> gradient(6);
  const auto value = [&](const Penalties& penalties) {
    return detail::add_penalties(encoder, 1, penalties, point, gradient);
  };
  EXPECT_DOUBLE_EQ(value({1, 0, 0, 0}), 14);
  EXPECT_DOUBLE_EQ(value({0, 1, 0, 0}), 8);
  EXPECT_DOUBLE_EQ(value({0, 0, 1, 0}), 9);
  EXPECT_NEAR(value({0, 0, 0, 1}), std::sqrt(8), 1e-6);   // the blur adds 1e-6 under the root
  EXPECT_NEAR(value({0, 0, 0, 0, 1}), 6 + 3 * 4, 0.032);  // and here, where v is 0, 3 times 0.01
}

TEST(Penalties, LevelsAndMissingValuesHaveNoNeighbours) {
  // A straight line across the segments costs nothing, whatever the levels and the missing value are.
  const Encoder encoder = mixed_encoder();
  std::vector<double> point;
  for (const auto& attribute : encoder.attributes) {
    for (int c = 0; c < attribute.coordinate_count(); ++c) point.push_back(attribute.is_segment(c) ? 0.5 : 7.0 * c);
  }
  std::vector<double> gradient(point.size());
  EXPECT_EQ(detail::add_penalties(encoder, 0, {0, 0, 1, 0}, point, gradient), 0);
}

TEST(Penalties, SmoothnessTurnsAManySegmentCurveIntoAStraightLine) {
  const Dataset data = generate({.row_count = 400,
                                 .attribute_count = 1,
                                 .class_count = 4,
                                 .curves = {Curve::linear},
                                 .products = std::vector<Product>{},
                                 .noise = 0.5});
  const auto roughness = [&](double penalty) {
    TrainOptions options;
    options.recipe().segment_count = 30;
    options.recipe().factor_count = 0;
    options.recipe().increment_penalty = 0;
    options.smoothness_penalty = penalty;
    const Model model = train(data, options).model;
    double squares = 0;
    for (std::size_t n = 0; n + 1 < model.parameters.increments.size(); ++n) {
      const double difference = model.parameters.increments[n + 1] - model.parameters.increments[n];
      squares += difference * difference;
    }
    return std::sqrt(squares) / raw_curve(model, 0).range();
  };
  EXPECT_LT(roughness(10), 0.05 * roughness(0));
}

TEST(Penalties, SparsityLevelsAttributesThatDoNotMatterAndKeepsAStep) {
  // The class follows a step of x1; x2 to x4 are noise.
  Dataset data = generate({.row_count = 400,
                           .attribute_count = 4,
                           .class_count = 2,
                           .curves = {Curve::linear, Curve::flat, Curve::flat, Curve::flat},
                           .products = std::vector<Product>{},
                           .noise = 0});
  detail::Random random(4);
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    data.labels[i] = (data.columns[0][i] > 0.6) != (random.uniform() < 0.1) ? 1 : 0;
  }
  const auto trained = [&](double sparsity) {
    TrainOptions options;
    options.recipe().segment_count = 20;
    options.recipe().factor_count = 2;
    options.recipe().increment_penalty = options.recipe().factor_penalty = 1e-5;
    options.recipe().sparsity_penalty = sparsity;
    return train(data, options).model;
  };
  const Model plain = trained(0);
  const Model sparse = trained(0.1);
  for (std::size_t j = 1; j < 4; ++j) {
    EXPECT_LT(raw_curve(sparse, j).range(), 0.1 * raw_curve(sparse, 0).range()) << j;
    EXPECT_GT(raw_curve(plain, j).range(), 0.2 * raw_curve(plain, 0).range()) << j;
  }
  const auto steep = [](const Model& model) {
    return std::count_if(model.parameters.increments.begin(), model.parameters.increments.end(),
                         [](double u) { return std::abs(u) > 0.05; });
  };
  EXPECT_LE(steep(sparse), 3);
  EXPECT_GE(steep(plain), 20);
}

TEST(Penalties, ThePairPenaltyKeepsTheTrueInteractionAndRemovesTheOthers) {
  // x1 * x2 is true; x3, x4 and x5 take part in nothing.
  const Dataset data = generate({.row_count = 1500,
                                 .attribute_count = 5,
                                 .class_count = 4,
                                 .curves = {Curve::linear, Curve::linear, Curve::flat, Curve::flat, Curve::flat},
                                 .products = std::vector<Product>{{0, 1, 1.5}},
                                 .noise = 0.1});
  const auto norms = [&](double penalty) {
    TrainOptions options;
    options.recipe().factor_count = 2;
    options.recipe().factor_penalty = 0;
    options.pair_penalty = penalty;
    const Model model = train(data, options).model;
    std::vector<double> found;
    for (std::size_t j = 0; j < 5; ++j) {
      double squares = 0;
      for (std::size_t i = model.encoder.offsets[j] * 2U; i < model.encoder.offsets[j + 1] * 2U; ++i) {
        squares += model.parameters.factors[i] * model.parameters.factors[i];
      }
      found.push_back(std::sqrt(squares));
    }
    return found;
  };
  const std::vector<double> some = norms(0.05);
  const std::vector<double> none = norms(0);
  for (const std::size_t j : {2U, 3U, 4U}) {
    EXPECT_LT(some[j], 0.05 * std::min(some[0], some[1])) << j;
    EXPECT_GT(none[j], 0.05 * std::min(none[0], none[1])) << j;  // 0.08 to 0.2, by the start
  }
  EXPECT_EQ(some[4], 0);  // gone altogether
  EXPECT_EQ(norms(1), std::vector<double>(5, 0.0));
}

TEST(Penalties, SgdKnowsOnlyThePapers) {
  const Dataset data = generate({.row_count = 30, .attribute_count = 2, .class_count = 2});
  TrainOptions options = paper_preset();
  for (double* const penalty :
       {&options.smoothness_penalty, &options.pair_penalty, &options.recipe().sparsity_penalty}) {
    for (const double refused : {0.1, -1.0}) {
      *penalty = refused;
      EXPECT_THROW(train(data, options), Error);
    }
    *penalty = 0;
  }
}

}  // namespace
}  // namespace xofm
