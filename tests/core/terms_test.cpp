#include "xofm/terms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/data/mix_rows.hpp"
#include "core/student/design.hpp"
#include "core/terms/purify.hpp"
#include "core/terms/tidy.hpp"
#include "support/explained_model.hpp"
#include "support/gradient_check.hpp"
#include "support/random_rows.hpp"
#include "xofm/bands.hpp"
#include "xofm/compare.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/generate.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

using test_support::ExplainedModel;
using test_support::terms_model;

// Slow twins: from the value itself, without positions and tables.

struct Mix {  // of stops or nodes
  std::vector<double> shares;
};

Mix mix_of(const AttributeEncoder& attribute, const std::vector<double>& knots, double value) {
  const std::size_t plain =
      attribute.kind == AttributeKind::categorical ? std::size_t(attribute.level_count) : knots.size();
  const bool is_level = attribute.kind == AttributeKind::categorical;
  const auto special = std::find(attribute.special.begin(), attribute.special.end(), value);
  const std::size_t missing = plain + attribute.special.size();
  Mix mix{std::vector<double>(missing + (attribute.has_missing ? 1 : 0) + (is_level ? 1 : 0))};
  if (std::isnan(value)) {
    EXPECT_TRUE(attribute.has_missing);
    mix.shares[missing] = 1;
  } else if (special != attribute.special.end()) {
    mix.shares[plain + static_cast<std::size_t>(special - attribute.special.begin())] = 1;
  } else if (is_level) {
    const bool is_known = value >= 0 && value < attribute.level_count;
    mix.shares[is_known ? static_cast<std::size_t>(value) : mix.shares.size() - 1] = 1;
  } else if (value <= knots.front()) {
    mix.shares[0] = 1;
  } else if (value >= knots.back()) {
    mix.shares[plain - 1] = 1;
  } else {
    std::size_t k = 0;
    while (value > knots[k + 1]) ++k;
    mix.shares[k + 1] = (value - knots[k]) / (knots[k + 1] - knots[k]);
    mix.shares[k] = 1 - mix.shares[k + 1];
  }
  return mix;
}

std::vector<double> knots_at(const AttributeEncoder& attribute, const std::vector<std::size_t>& numbers) {
  std::vector<double> knots;
  for (const std::size_t k : numbers) knots.push_back(attribute.knots[k]);
  return knots;
}

double slow_surface(const Model& model, const Surface& surface, const Dataset& rows, std::size_t row) {
  const AttributeEncoder& first = model.encoder.attributes[surface.first];
  const AttributeEncoder& second = model.encoder.attributes[surface.second];
  const Mix a = mix_of(first, knots_at(first, surface.first_knots), rows.columns[surface.first][row]);
  const Mix b = mix_of(second, knots_at(second, surface.second_knots), rows.columns[surface.second][row]);
  double sum = 0;
  for (std::size_t x = 0; x < a.shares.size(); ++x) {
    for (std::size_t y = 0; y < b.shares.size(); ++y) {
      sum += a.shares[x] * b.shares[y] * surface.values[x * b.shares.size() + y];
    }
  }
  return sum;
}

double slow_curve(const Model& model, const Dataset& rows, std::size_t row, std::size_t j) {
  const AttributeEncoder& attribute = model.encoder.attributes[j];
  const Mix mix = mix_of(attribute, attribute.knots, rows.columns[j][row]);
  double sum = 0;
  for (std::size_t s = 0; s < mix.shares.size(); ++s) sum += mix.shares[s] * model.terms->curves[j][s];
  return sum;
}

double slow_score(const Model& model, const Dataset& rows, std::size_t row) {
  double score = model.terms->base;
  for (std::size_t j = 0; j < rows.columns.size(); ++j) score += slow_curve(model, rows, row, j);
  for (const Surface& surface : model.terms->surfaces) score += slow_surface(model, surface, rows, row);
  return score;
}

TEST(Terms, ScoresAreCurvesAndSurfacesAddedUp) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const ExplainedModel made = terms_model(seed);
    const std::vector<double> scores = made.model.score(made.data);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      EXPECT_NEAR(scores[i], slow_score(made.model, made.data, i), 1e-12) << "seed " << seed << ", row " << i;
    }
  }
}

TEST(Terms, ExplanationsAddUpAndEachPartIsItsTerm) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const ExplainedModel made = terms_model(seed);
    for (std::size_t i = 0; i < 8; ++i) {
      const LocalExplanation local = explain(made.model, made.data, i);
      double sum = local.base;
      for (std::size_t j = 0; j < local.attributes.size(); ++j) {
        EXPECT_NEAR(local.attributes[j], slow_curve(made.model, made.data, i, j), 1e-12);
        sum += local.attributes[j];
      }
      ASSERT_EQ(local.pairs.size(), made.model.terms->surfaces.size());
      for (std::size_t s = 0; s < local.pairs.size(); ++s) {
        EXPECT_NEAR(local.pairs[s].value, slow_surface(made.model, made.model.terms->surfaces[s], made.data, i), 1e-12);
        sum += local.pairs[s].value;
      }
      EXPECT_NEAR(sum, local.score, 1e-12);
    }
  }
}

TEST(Terms, CurvesHaveMeanZeroAndSurfacesSayNothingOfOneAttributeAlone) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const ExplainedModel made = terms_model(seed);
    const Model& model = made.model;
    const auto weight = [&](std::size_t i) { return made.data.weights[i]; };
    for (std::size_t j = 0; j < made.data.columns.size(); ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < made.data.row_count(); ++i) sum += weight(i) * slow_curve(model, made.data, i, j);
      EXPECT_NEAR(sum, 0, 1e-9);
    }
    for (const Surface& surface : model.terms->surfaces) {
      for (const bool is_first : {true, false}) {
        const std::size_t j = is_first ? surface.first : surface.second;
        const AttributeEncoder& attribute = model.encoder.attributes[j];
        const auto knots = knots_at(attribute, is_first ? surface.first_knots : surface.second_knots);
        std::vector<double> sums(node_count(attribute, is_first ? surface.first_knots : surface.second_knots));
        for (std::size_t i = 0; i < made.data.row_count(); ++i) {
          const Mix mix = mix_of(attribute, knots, made.data.columns[j][i]);
          const double value = weight(i) * slow_surface(model, surface, made.data, i);
          for (std::size_t node = 0; node < sums.size(); ++node) sums[node] += mix.shares[node] * value;
        }
        for (const double sum : sums) EXPECT_NEAR(sum, 0, 1e-7);
      }
    }
  }
}

TEST(Terms, PurifyingKeepsTheScores) {
  ExplainedModel made = terms_model(3);
  Terms& terms = *made.model.terms;
  for (double& value : terms.surfaces.front().values) value += 0.3 * value * value + 1;
  const std::vector<double> before = made.model.score(made.data);
  detail::purify(made.model.encoder, encode(made.model.encoder, made.data), made.data.weights, terms);
  const std::vector<double> after = made.model.score(made.data);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(before[i], after[i], 1e-10);
}

TEST(Terms, TheScoreIsContinuousAcrossEveryKnot) {
  const ExplainedModel made = terms_model(4);
  for (std::size_t j = 0; j < made.data.columns.size(); ++j) {
    for (const double knot : made.model.encoder.attributes[j].knots) {
      Dataset rows = subset(made.data, std::vector<std::size_t>{0, 0, 0});
      const double step = 1e-9 * (1 + std::abs(knot));
      rows.columns[j] = {knot - step, knot, knot + step};
      const std::vector<double> scores = made.model.score(rows);
      EXPECT_NEAR(scores[0], scores[1], 1e-6);
      EXPECT_NEAR(scores[2], scores[1], 1e-6);
    }
  }
}

TEST(Terms, UnusedAttributesAreKnownAndTheRawViewIsRefused) {
  const ExplainedModel made = terms_model(1);
  for (std::size_t j = 0; j < made.data.columns.size(); ++j) {
    EXPECT_EQ(is_used(made.model, j), made.model.encoder.attributes[j].knots.size() != 1) << j;
  }
  EXPECT_THROW(raw_curve(made.model, 0), Error);
  EXPECT_THROW(segment_products(made.model, 0, 1), Error);
  EXPECT_EQ(pair_strengths(made.model).size(), 3U);
}

TEST(Terms, AModelComparedWithItselfDoesNotDiffer) {
  const ExplainedModel made = terms_model(2);
  for (const PairComparison& pair : compare(made.model, made.model).pairs) EXPECT_EQ(pair.greatest_difference, 0);
  const ExplainedModel other = test_support::motley_model(2);
  const ModelComparison both = compare(made.model, other.model);
  EXPECT_EQ(both.attributes.size(), made.data.columns.size());
}

TEST(Design, IsLinearWithItsTransposeAndTheGradientOfRoughnessIsRight) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const ExplainedModel made = terms_model(seed);
    const detail::Skeleton skeleton{made.model.encoder, std::vector<char>(made.data.columns.size(), 1),
                                    made.model.terms->surfaces};
    const EncodedRows rows = encode(skeleton.encoder, made.data);
    const detail::Design design(skeleton, rows);
    detail::Random random(seed, 5);
    std::vector<double> weights(design.weight_count());
    std::vector<double> row_weights(design.row_count());
    for (double& w : weights) w = random.normal();
    for (double& w : row_weights) w = random.normal();
    std::vector<double> scores(design.row_count());
    std::vector<double> gradient(design.weight_count());
    design.apply(weights, scores);
    design.transpose(row_weights, gradient);
    double by_rows = 0;
    double by_weights = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) by_rows += scores[i] * row_weights[i];
    for (std::size_t n = 0; n < weights.size(); ++n) by_weights += weights[n] * gradient[n];
    EXPECT_NEAR(by_rows, by_weights, 1e-9 * (1 + std::abs(by_rows)));
    const std::vector<double> again = detail::score_rows(skeleton.encoder, design.terms(weights), rows);
    for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_NEAR(scores[i], again[i], 1e-11);
    EXPECT_TRUE(test_support::gradient_agrees(
        [&](std::span<const double> x, std::span<double> g) {
          std::fill(g.begin(), g.end(), 0.0);
          return design.add_roughness({0.3, 0.2, 0.1}, x, g);
        },
        weights, test_support::smooth_tolerance));
  }
}

TEST(MixRows, EveryValueIsOneOfItsColumn) {
  const ExplainedModel made = terms_model(5);
  const Dataset mixed = detail::mix_rows(made.data, 100, 7);
  ASSERT_EQ(mixed.row_count(), 100U);
  for (std::size_t j = 0; j < mixed.columns.size(); ++j) {
    for (const double value : mixed.columns[j]) {
      const auto& column = made.data.columns[j];
      EXPECT_TRUE(std::any_of(column.begin(), column.end(),
                              [&](double own) { return own == value || (std::isnan(own) && std::isnan(value)); }));
    }
  }
}

// Training.

Dataset product_data(std::size_t rows, std::uint64_t seed) {
  GenerateOptions options;
  options.row_count = rows;
  options.attribute_count = 5;
  options.class_count = 4;
  options.seed = seed;
  options.products = {{0, 2, 2.0}};
  return generate(options);
}

TrainOptions quick_options(PairChoice pairs, int count = 0) {
  return {.terms = {.pairs = pairs, .pair_count = count}, .parts = {{.max_epochs = 30}}};
}

TEST(TrainTerms, FindsThePairThatTheTruthHas) {
  const Model model = train(product_data(300, 1), quick_options(PairChoice::count, 1)).model;
  ASSERT_TRUE(model.terms);
  ASSERT_EQ(model.terms->surfaces.size(), 1U);
  EXPECT_EQ(model.terms->surfaces[0].first, 0U);
  EXPECT_EQ(model.terms->surfaces[0].second, 2U);
  ASSERT_TRUE(model.record.terms);
  EXPECT_EQ(model.record.terms->votes.size(), 1U);
  EXPECT_GE(model.record.terms->votes[0], 3U);
  EXPECT_FALSE(model.assignment.conformity.empty());
  ASSERT_TRUE(model.validation);
  EXPECT_EQ(model.validation->trial_count, 5U);
}

TEST(TrainTerms, TheOrderOfAttributesDoesNotChooseThePairs) {
  const Dataset data = product_data(200, 2);
  Dataset turned = data;
  std::reverse(turned.columns.begin(), turned.columns.end());
  std::reverse(turned.schema.attributes.begin(), turned.schema.attributes.end());
  const auto names = [](const Model& model) {
    std::vector<std::pair<std::string, std::string>> found;
    for (const Surface& surface : model.terms->surfaces) {
      found.push_back(
          std::minmax(model.schema.attributes[surface.first].name, model.schema.attributes[surface.second].name));
    }
    return found.front();
  };
  TrainOptions options = quick_options(PairChoice::count, 1);
  options.recipe().factor_count = 2;
  EXPECT_EQ(names(train(data, options).model), names(train(turned, options).model));
}

TEST(TrainTerms, TakesThePairsThatAreListedAndNoMoreTermsThanAllowed) {
  const Dataset data = product_data(200, 3);
  TrainOptions options = quick_options(PairChoice::listed);
  options.terms.listed = {{"x4", "x2"}};
  const Model listed = train(data, options).model;
  ASSERT_EQ(listed.terms->surfaces.size(), 1U);
  EXPECT_EQ(listed.schema.attributes[listed.terms->surfaces[0].first].name, "x2");
  options.terms.listed = {{"x4", "nobody"}};
  EXPECT_THROW(train(data, options), Error);
  options = quick_options(PairChoice::count, 0);
  options.terms.most_terms = 2;
  const Model small = train(data, options).model;
  std::size_t used = 0;
  for (std::size_t j = 0; j < 5; ++j) used += is_used(small, j) ? 1 : 0;
  EXPECT_LE(used, 2U);
  EXPECT_GE(used, 1U);
}

TEST(TrainTerms, DirectionsHoldAndAreCertified) {
  Dataset data = product_data(200, 4);
  TrainOptions options = quick_options(PairChoice::count, 2);
  options.attributes.directions = {{"x1", Direction::increasing}, {"x3", Direction::decreasing}};
  const Model model = train(data, options).model;
  EXPECT_TRUE(model.certificate.holds);
  for (const std::size_t j : {0U, 2U}) {
    EXPECT_TRUE(model.certificate.attributes[j].holds);
    for (std::size_t i = 0; i < 40; ++i) {
      Dataset rows = subset(data, std::vector<std::size_t>(21, i));
      const auto& knots = model.encoder.attributes[j].knots;
      for (std::size_t s = 0; s < 21; ++s) {
        rows.columns[j][s] = knots.front() + (knots.back() - knots.front()) * static_cast<double>(s) / 20;
      }
      std::vector<double> scores = model.score(rows);
      if (j == 2) std::reverse(scores.begin(), scores.end());
      for (std::size_t s = 1; s < scores.size(); ++s) EXPECT_GE(scores[s], scores[s - 1] - 1e-12);
    }
  }
}

TEST(TrainTerms, TheSameSeedGivesTheSameBitsAndNumbersAreShort) {
  const Dataset data = product_data(150, 5);
  const Model a = train(data, quick_options(PairChoice::automatic)).model;
  const Model b = train(data, quick_options(PairChoice::automatic)).model;
  EXPECT_EQ(a.score(data), b.score(data));
  EXPECT_LE(a.terms->surfaces.size(), 12U);
  for (const auto& curve : a.terms->curves) {
    for (const double value : curve) EXPECT_NEAR(value * 1e6, std::round(value * 1e6), 1e-6);
  }
  for (const AttributeEncoder& attribute : a.encoder.attributes) EXPECT_LE(attribute.knots.size(), 48U);
}

// Curves are learned from 100,000 rows at most. What stands in a single row may not be among them.
TEST(TrainTerms, AStudentOfManyRowsKnowsThemAll) {
  Dataset data = test_support::random_rows({.row_count = 103'000, .numeric_count = 2, .tied_count = 0}, 7);
  data.columns[0][7] = std::nan("");
  data.columns[0][8] = 50;
  data.columns[1][9] = -9;
  data.schema.attributes[1].special = {-9};
  TrainOptions options = quick_options(PairChoice::count, 1);
  options.recipe().max_epochs = 3;
  options.assignment.fold_count = 2;
  const Model model = train(data, options).model;
  EXPECT_TRUE(model.encoder.attributes[0].has_missing);
  EXPECT_FALSE(model.encoder.attributes[1].has_missing);
  EXPECT_GE(model.encoder.attributes[0].knots.back(), 50);
  EXPECT_EQ(model.encoder.attributes[1].special, (std::vector<double>{-9}));
  EXPECT_EQ(model.summary.row_count, 103'000U);
  const auto& weights = model.terms->surfaces.front().row_weights;
  EXPECT_EQ(std::accumulate(weights.begin(), weights.end(), 0.0), 103'000);
}

TEST(TrainTerms, HasBandsAndRefusesAWarmStart) {
  const Dataset data = product_data(120, 6);
  const Model model = train(data, quick_options(PairChoice::count, 1)).model;
  const auto bands = fit_bands(model, data, {.refit_count = 3});
  ASSERT_TRUE(bands);
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_EQ(bands->attributes[j].lower.size(), model.encoder.attributes[j].knots.size());
  }
  EXPECT_THROW(train(data, {}, {}, &model), Error);
}

}  // namespace
}  // namespace xofm
