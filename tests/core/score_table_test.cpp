#include "core/score/score_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/base/random.hpp"
#include "support/dense_model.hpp"
#include "support/gradient_check.hpp"
#include "support/random_rows.hpp"
#include "xofm/threads.hpp"

namespace xofm {
namespace {

using detail::ScoreTable;
using test_support::dense_gradient;
using test_support::dense_phi;
using test_support::dense_score;
using test_support::random_rows;

// Rounding of some hundred terms, relative to the sum of their sizes.
constexpr double sum_tolerance = 1e-14;

constexpr int factor_counts[] = {0, 1, 2, 3, 4, 5, 8, 13, 16, 17, 40};

struct Case {
  Dataset data;
  Encoder encoder;
  EncodedRows rows;
  Parameters parameters;
};

// Every kind of column; the encoder is made from half of the rows, so that some values lie outside and some are new.
Case random_case(int factor_count, std::uint64_t seed, std::size_t row_count = 40) {
  detail::Random random(seed, 1);
  Case c;
  c.data = random_rows({.row_count = row_count,
                        .numeric_count = 3,
                        .tied_count = 1,
                        .constant_count = 1,
                        .categorical_count = 2,
                        .missing_share = 0.15},
                       seed);
  std::vector<std::size_t> half(row_count / 2);
  std::iota(half.begin(), half.end(), 0);
  Dataset training = subset(c.data, half);
  for (auto& column : training.columns) column[1] = std::nan("");  // every attribute expects gaps, the constant too
  c.encoder = fit_encoder(
      training, {.segment_count = static_cast<int>(1 + random.below(7)),
                 .attributes = {.directions = {{"n0", Direction::decreasing}, {"n1", Direction::increasing}}}});
  c.data.columns[5][row_count - 1] = unseen_level;
  c.rows = encode(c.encoder, c.data);
  c.parameters.factor_count = factor_count;
  const std::size_t count = c.encoder.coordinate_count();
  for (std::size_t n = 0; n < count; ++n) c.parameters.increments.push_back(random.normal());
  for (std::size_t n = 0; n < count * static_cast<std::size_t>(factor_count); ++n) {
    c.parameters.factors.push_back(random.normal());
  }
  return c;
}

TEST(ScoreTable, ScoresEqualTheDoubleSumOverTheDenseVector) {
  for (const int factor_count : factor_counts) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const Case c = random_case(factor_count, seed);
      const auto scores = detail::score_rows(c.encoder, c.parameters, c.rows);
      for (std::size_t i = 0; i < scores.size(); ++i) {
        const auto phi = dense_phi(c.encoder, c.data, i);
        ASSERT_EQ(phi.size(), c.encoder.coordinate_count());
        EXPECT_NEAR(scores[i], dense_score(c.parameters, phi),
                    sum_tolerance * test_support::score_scale(c.parameters, phi))
            << "factors " << factor_count << " seed " << seed << " row " << i;
      }
    }
  }
}

TEST(ScoreTable, ARangeScoresItsRowsOnly) {
  const Case c = random_case(3, 1);
  ScoreTable table(c.encoder, 3);
  table.load(c.parameters.increments, c.parameters.factors);
  std::vector<double> scores(c.rows.row_count, -1.0);
  table.score(c.rows, {5, 9}, scores);
  const auto all = detail::score_rows(c.encoder, c.parameters, c.rows);
  for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_EQ(scores[i], i >= 5 && i < 9 ? all[i] : -1.0);
}

TEST(ScoreTable, AHandWorkedScore) {
  // One attribute with knots 0 1 2, one with knots 0 4; x = (1.5, 3): Phi = (1, 0.5, 0.75).
  // u = (1, 2, 4); v = (1, 2, -1), one factor:
  // u.Phi = 1 + 1 + 3 = 5; products: 1*2*0.5 + 1*(-1)*0.75 + 2*(-1)*0.5*0.75 = 1 - 0.75 - 0.75 = -0.5.
  Encoder encoder;
  encoder.attributes.resize(2);
  encoder.attributes[0].knots = {0, 1, 2};
  encoder.attributes[1].knots = {0, 4};
  number_coordinates(encoder);
  Dataset data;
  data.schema.attributes = {{.name = "a"}, {.name = "b"}};
  data.columns = {{1.5}, {3}};
  const auto scores = detail::score_rows(encoder, {{1, 2, 4}, 1, {1, 2, -1}}, encode(encoder, data));
  EXPECT_DOUBLE_EQ(scores.at(0), 4.5);
}

std::vector<double> table_gradient(const Case& c, std::span<const double> row_weights) {
  ScoreTable table(c.encoder, c.parameters.factor_count);
  table.load(c.parameters.increments, c.parameters.factors);
  std::vector<double> gradient(c.parameters.increments.size() + c.parameters.factors.size(), 1e300);
  const std::span<double> all = gradient;
  const std::size_t count = c.parameters.increments.size();
  table.gradient(c.rows, row_weights, all.first(count), all.subspan(count));
  return gradient;
}

std::vector<double> random_weights(std::size_t count, std::uint64_t seed) {
  detail::Random random(seed, 2);
  std::vector<double> weights;
  for (std::size_t i = 0; i < count; ++i) weights.push_back(random.below(5) == 0 ? 0.0 : random.normal());
  return weights;
}

TEST(ScoreTable, TheGradientEqualsTheDenseFormulas) {
  for (const int factor_count : factor_counts) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const Case c = random_case(factor_count, seed);
      const auto weights = random_weights(c.rows.row_count, seed);
      const auto gradient = table_gradient(c, weights);
      std::vector<double> slow(gradient.size()), scale(gradient.size(), 1.0);
      for (std::size_t i = 0; i < c.rows.row_count; ++i) {
        const auto row = dense_gradient(c.parameters, dense_phi(c.encoder, c.data, i));
        for (std::size_t n = 0; n < row.size(); ++n) {
          slow[n] += weights[i] * row[n];
          scale[n] += std::abs(weights[i] * row[n]);
        }
      }
      for (std::size_t n = 0; n < slow.size(); ++n) {
        // Sums over forty rows of factor sums over forty coordinates.
        EXPECT_NEAR(gradient[n], slow[n], 100 * sum_tolerance * scale[n])
            << "factors " << factor_count << " seed " << seed << " entry " << n;
      }
    }
  }
}

TEST(ScoreTable, TheGradientPassesTheCheckByCentralDifferences) {
  for (const int factor_count : {0, 1, 4, 17}) {
    Case c = random_case(factor_count, 77);
    const auto weights = random_weights(c.rows.row_count, 3);
    const std::size_t count = c.encoder.coordinate_count();
    const auto objective = [&](std::span<const double> x, std::span<double> gradient) {
      ScoreTable table(c.encoder, factor_count);
      table.load(x.first(count), x.subspan(count));
      std::vector<double> scores(c.rows.row_count);
      table.score(c.rows, {0, scores.size()}, scores);
      table.gradient(c.rows, weights, gradient.first(count), gradient.subspan(count));
      return std::inner_product(scores.begin(), scores.end(), weights.begin(), 0.0);
    };
    std::vector<double> point = c.parameters.increments;
    point.insert(point.end(), c.parameters.factors.begin(), c.parameters.factors.end());
    EXPECT_TRUE(test_support::gradient_agrees(objective, point)) << factor_count;
  }
}

TEST(ScoreTable, NoRowsGiveNoScoresAndNoGradient) {
  Case c = random_case(2, 5);
  c.rows = {0, c.rows.attribute_count, {}, {}};
  EXPECT_TRUE(detail::score_rows(c.encoder, c.parameters, c.rows).empty());
  for (const double entry : table_gradient(c, {})) EXPECT_EQ(entry, 0);
}

TEST(ScoreTable, ThreadsDoNotChangeABit) {
  for (const int factor_count : {0, 3, 20}) {
    const Case c = random_case(factor_count, 9, 30000);
    const auto weights = random_weights(c.rows.row_count, 9);
    std::vector<double> scores, gradient;
    {
      const ThreadLimit limit(1);
      scores = detail::score_rows(c.encoder, c.parameters, c.rows);
      gradient = table_gradient(c, weights);
    }
    const ThreadLimit limit(4);
    EXPECT_EQ(detail::score_rows(c.encoder, c.parameters, c.rows), scores);
    EXPECT_EQ(table_gradient(c, weights), gradient);
  }
}

}  // namespace
}  // namespace xofm
