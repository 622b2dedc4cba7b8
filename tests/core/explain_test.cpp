#include "xofm/explain.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "support/dense_model.hpp"
#include "support/explained_model.hpp"
#include "support/slow_explain.hpp"
#include "xofm/error.hpp"
#include "xofm/generate.hpp"

namespace xofm {
namespace {

using test_support::ExplainedModel;
using test_support::motley_model;

// Sums of some hundred products of numbers near 1.
constexpr double rounding = 1e-11;

double sum_of(const LocalExplanation& local) {
  double sum = local.base;
  for (const double value : local.attributes) sum += value;
  for (const auto& pair : local.pairs) sum += pair.value;
  return sum;
}

double absolute_sum_of(const LocalExplanation& local) {
  double sum = std::abs(local.base);
  for (const double value : local.attributes) sum += std::abs(value);
  for (const auto& pair : local.pairs) sum += std::abs(pair.value);
  return sum;
}

void expect_additive(const Model& model, const Dataset& rows) {
  const std::vector<double> scores = model.score(rows);
  for (std::size_t i = 0; i < rows.row_count(); ++i) {
    const LocalExplanation local = explain(model, rows, i);
    EXPECT_EQ(local.score, scores[i]);
    EXPECT_NEAR(sum_of(local), scores[i], 1e-12 * absolute_sum_of(local)) << "row " << i;
  }
}

TEST(Explain, ContributionsAddUpToTheScore) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const ExplainedModel m = motley_model(seed);
    expect_additive(m.model, m.data);
  }
}

TEST(Explain, ContributionsOfUnusualValuesAddUpToo) {
  ExplainedModel m = motley_model(3);
  for (std::size_t j = 0; j < 3; ++j) {
    m.data.columns[j][0] = -1e9;
    m.data.columns[j][1] = 1e9;
  }
  for (std::size_t j = 0; j < m.data.attribute_count(); ++j) {
    m.data.columns[j][2] = std::numeric_limits<double>::quiet_NaN();
  }
  m.data.columns[4][3] = unseen_level;
  expect_additive(m.model, m.data);
  EXPECT_EQ(explain(m.model, m.data, 0).notes.size(), 3U);
  EXPECT_EQ(explain(m.model, m.data, 3).notes.at(0).note, ValueNote::new_level);
}

TEST(Explain, ContributionsOfABaggedModelAddUp) {
  const Dataset data = test_support::random_rows({.categorical_count = 1, .missing_share = 0.1}, 5);
  TrainOptions options{.parts = {{.factor_count = 2, .max_epochs = 20}}, .bag_count = 3};
  options.attributes.directions = {{"n0", Direction::decreasing}};
  expect_additive(train(data, options).model, data);
}

// Rows of knots, levels and missing values only, where curves and surfaces are tabulated: stops[j] is the place there.
struct TabulatedRows {
  Dataset rows;
  std::vector<std::vector<std::size_t>> stops;  // [row][attribute]
};

TabulatedRows tabulated_rows(const Model& model, std::uint64_t seed) {
  detail::Random random(seed);
  TabulatedRows result;
  result.rows.schema = model.schema;
  result.rows.columns.resize(model.schema.attributes.size());
  for (int i = 0; i < 30; ++i) {
    auto& stops = result.stops.emplace_back();
    for (std::size_t j = 0; j < model.schema.attributes.size(); ++j) {
      const AttributeEncoder& encoder = model.encoder.attributes[j];
      std::vector<double> values = encoder.knots;
      for (int level = 0; level < encoder.level_count; ++level) values.push_back(level);
      values.insert(values.end(), encoder.special.begin(), encoder.special.end());
      if (encoder.has_missing) values.push_back(std::numeric_limits<double>::quiet_NaN());
      stops.push_back(random.below(values.size()));
      result.rows.columns[j].push_back(values[stops.back()]);
    }
  }
  return result;
}

double curve_at(const AttributeCurve& curve, std::size_t stop) {
  if (stop < curve.values.size()) return curve.values[stop];
  stop -= curve.values.size();
  return stop < curve.special.size() ? curve.special[stop] : curve.missing.value();
}

TEST(Explain, RawAndPurifiedViewsGiveTheSameScores) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Model model = motley_model(seed).model;
    const TabulatedRows tabulated = tabulated_rows(model, seed);
    const std::vector<double> scores = model.score(tabulated.rows);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      double raw = 0;
      double purified = base_score(model);
      for (std::size_t a = 0; a < model.schema.attributes.size(); ++a) {
        const std::size_t stop = tabulated.stops[i][a];
        raw += curve_at(raw_curve(model, a), stop) + curve_at(self_curve(model, a), stop);
        purified += curve_at(purified_curve(model, a), stop);
        for (std::size_t b = a + 1; b < model.schema.attributes.size(); ++b) {
          raw += test_support::slow_raw_pair(model, a, tabulated.rows.columns[a][i], b, tabulated.rows.columns[b][i]);
          purified += purified_surface(model, a, b).values.at(stop).at(tabulated.stops[i][b]);
        }
      }
      EXPECT_NEAR(raw, scores[i], rounding);
      EXPECT_NEAR(purified, scores[i], rounding);
    }
  }
}

TEST(Explain, TheProductsOfAnAttributeWithItselfMakeItsSelfInteraction) {
  const Model model = motley_model(4).model;
  for (std::size_t j = 0; j < model.schema.attributes.size(); ++j) {
    const auto& knots = model.encoder.attributes[j].knots;
    for (std::size_t stop = 0; stop < knots.size(); ++stop) {
      // Half of the symmetric sum over all products of the attribute's segments.
      EXPECT_NEAR(self_curve(model, j).values[stop],
                  test_support::slow_raw_pair(model, j, knots[stop], j, knots[stop]) / 2, rounding);
    }
  }
}

TEST(Explain, CurvesAndSurfacesHaveZeroMeansUnderTheTrainingMarginals) {
  const ExplainedModel m = motley_model(2, 25);
  const std::size_t count = m.data.row_count();
  const double total = std::accumulate(m.data.weights.begin(), m.data.weights.end(), 0.0);
  std::vector<double> means(m.data.attribute_count());
  for (std::size_t i = 0; i < count; ++i) {
    const LocalExplanation local = explain(m.model, m.data, i);
    for (std::size_t j = 0; j < means.size(); ++j) means[j] += m.data.weights[i] / total * local.attributes[j];
  }
  for (const double mean : means) EXPECT_NEAR(mean, 0, rounding);
  // Attribute by attribute, one of them held at each row's value while the others run through all rows.
  for (std::size_t held = 0; held < m.data.attribute_count(); ++held) {
    for (std::size_t i = 0; i < count; ++i) {
      Dataset rows = m.data;
      std::fill(rows.columns[held].begin(), rows.columns[held].end(), m.data.columns[held][i]);
      std::vector<double> pair_means(means.size() * (means.size() - 1) / 2);
      std::vector<PairContribution> pairs;
      for (std::size_t other = 0; other < count; ++other) {
        pairs = explain(m.model, rows, other).pairs;
        for (std::size_t p = 0; p < pairs.size(); ++p) {
          pair_means[p] += m.data.weights[other] / total * pairs[p].value;
        }
      }
      for (std::size_t p = 0; p < pairs.size(); ++p) {
        const bool has_held = pairs[p].first == held || pairs[p].second == held;
        EXPECT_NEAR(has_held ? pair_means[p] : 0.0, 0, rounding);
      }
    }
  }
}

TEST(Explain, PurificationAgreesWithMeansTakenRowByRow) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const ExplainedModel m = motley_model(seed, 20);
    const test_support::SlowPurification slow(m.model, m.data);
    for (std::size_t i = 0; i < m.data.row_count(); ++i) {
      const LocalExplanation local = explain(m.model, m.data, i);
      EXPECT_NEAR(local.base, slow.base, rounding);
      for (std::size_t j = 0; j < m.data.attribute_count(); ++j) {
        EXPECT_NEAR(local.attributes[j], slow.curve(j, m.data.columns[j][i]), rounding);
      }
      for (const PairContribution& pair : local.pairs) {
        EXPECT_NEAR(
            pair.value,
            slow.surface(pair.first, m.data.columns[pair.first][i], pair.second, m.data.columns[pair.second][i]),
            rounding);
      }
    }
  }
}

TEST(Explain, ImportanceIsTheMeanOfAbsoluteContributionsAndTheRange) {
  const ExplainedModel m = motley_model(6);
  const Importance result = importance(m.model, m.data);
  const double total = std::accumulate(m.data.weights.begin(), m.data.weights.end(), 0.0);
  std::vector<double> attributes(result.attributes.size());
  std::vector<double> pairs(result.pairs.size());
  for (std::size_t i = 0; i < m.data.row_count(); ++i) {
    const LocalExplanation local = explain(m.model, m.data, i);
    const double share = m.data.weights[i] / total;
    for (std::size_t j = 0; j < attributes.size(); ++j) attributes[j] += share * std::abs(local.attributes[j]);
    for (std::size_t p = 0; p < pairs.size(); ++p) pairs[p] += share * std::abs(local.pairs[p].value);
  }
  for (std::size_t j = 0; j < attributes.size(); ++j) {
    EXPECT_NEAR(result.attributes[j].mean_absolute, attributes[j], rounding);
    EXPECT_EQ(result.attributes[j].range, purified_curve(m.model, j).range());
    EXPECT_EQ(result.attributes[j].raw_range, raw_curve(m.model, j).range());
  }
  for (const PairStrength& strength : pair_strengths(m.model)) {
    const auto at = std::find_if(result.pairs.begin(), result.pairs.end(), [&](const PairImportance& pair) {
      return pair.first == strength.first && pair.second == strength.second;
    });
    ASSERT_NE(at, result.pairs.end());
    EXPECT_EQ(at->range, strength.range);
    EXPECT_NEAR(at->mean_absolute, pairs[static_cast<std::size_t>(at - result.pairs.begin())], rounding);
  }
  EXPECT_EQ(importance(m.model, subset(m.data, {})).attributes[0].mean_absolute, 0);
}

TEST(Explain, TrainingImportanceIsThatOfTheTrainingRowsTakenSegmentBySegment) {
  // The twin: contributions row by row, their means over the rows of a coordinate, the mean size of these.
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const ExplainedModel m = motley_model(seed);
    const Importance exact = importance(m.model, m.data);
    const Importance kept = training_importance(m.model);
    const EncodedRows rows = encode(m.model.encoder, m.data);
    std::vector<double> sums(m.model.encoder.coordinate_count());
    double total = 0;
    for (std::size_t i = 0; i < rows.row_count; ++i) {
      const std::vector<double> parts = explain(m.model, m.data, i).attributes;
      total += m.data.weights[i];
      for (std::size_t j = 0; j < parts.size(); ++j) {
        sums[m.model.encoder.offsets[j] + rows.coordinates[i * parts.size() + j]] += m.data.weights[i] * parts[j];
      }
    }
    for (std::size_t j = 0; j < exact.attributes.size(); ++j) {
      double mean = 0;
      for (std::size_t n = m.model.encoder.offsets[j]; n < m.model.encoder.offsets[j + 1]; ++n) {
        mean += std::abs(sums[n]) / total;
      }
      EXPECT_NEAR(kept.attributes[j].mean_absolute, mean, 1e-9);  // rounding of a few dozen sums of size one
      EXPECT_LE(kept.attributes[j].mean_absolute, exact.attributes[j].mean_absolute + 1e-9);
      EXPECT_EQ(kept.attributes[j].range, exact.attributes[j].range);
      EXPECT_EQ(kept.attributes[j].raw_range, exact.attributes[j].raw_range);
    }
    for (std::size_t p = 0; p < exact.pairs.size(); ++p) EXPECT_EQ(kept.pairs[p].range, exact.pairs[p].range);
  }
}

TEST(Explain, TrainingImportanceOfPairsIsRightForIndependentAttributes) {
  const Dataset data = generate({.row_count = 3000, .attribute_count = 4, .class_count = 4, .categorical_count = 1});
  const Model model = train(data, {.parts = {{.max_epochs = 40}}}).model;
  const Importance exact = importance(model, data);
  const Importance kept = training_importance(model);
  for (std::size_t p = 0; p < exact.pairs.size(); ++p) {
    // Segments with a change of sign make it less, and 3,000 rows are not quite independent.
    EXPECT_NEAR(kept.pairs[p].mean_absolute, exact.pairs[p].mean_absolute, 0.2 * exact.pairs[p].mean_absolute);
  }
}

TEST(Explain, TheIntervalIsSetByTheObjectsNamed) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const ExplainedModel m = motley_model(seed);
    const auto& classes = m.model.assignment.reference.classes;
    for (std::size_t i = 0; i < m.data.row_count(); ++i) {
      const LocalExplanation local = explain(m.model, m.data, i, {.nearest_count = 3});
      // A training row is at or below itself, and at or above: both bounds have an object.
      ASSERT_TRUE(local.sets_best && local.sets_worst);
      EXPECT_LE(local.sets_best->score, local.score);
      EXPECT_GE(local.sets_worst->score, local.score);
      EXPECT_EQ(local.interval.highest, std::max(local.sets_best->label, local.sets_worst->label));
      EXPECT_EQ(local.interval.lowest, std::min(local.sets_best->label, local.sets_worst->label));
      EXPECT_EQ(m.data.labels[local.sets_best->row - 1], local.sets_best->label);
      ASSERT_EQ(local.nearest.size(), 3U);
      EXPECT_EQ(local.nearest[0].score, local.score);
      EXPECT_EQ(m.data.labels[local.nearest[2].row - 1], local.nearest[2].label);
      for (std::size_t h = 0; h < classes.size(); ++h) {
        double below = 0;
        double total = 0;
        std::size_t nearer = 0;
        for (const auto& point : classes[h]) {
          total += point.weight;
          if (point.score < local.score) below += point.weight;
          if (std::abs(point.score - local.score) < std::abs(local.nearest[2].score - local.score)) ++nearer;
        }
        EXPECT_LE(nearer, 2U);
        EXPECT_NEAR(local.share_below[h], total > 0 ? below / total : 0, rounding);
      }
    }
  }
}

TEST(Explain, BeyondAllTrainingObjectsTheScaleSetsTheBound) {
  ExplainedModel m = motley_model(1);
  for (auto& points : m.model.assignment.reference.classes) {
    for (auto& point : points) point.score += 1e6;
  }
  const LocalExplanation local = explain(m.model, m.data, 0);
  EXPECT_FALSE(local.sets_best);
  ASSERT_TRUE(local.sets_worst);
  EXPECT_EQ(local.sets_worst->label, 0);
  for (const double share : local.share_below) EXPECT_EQ(share, 0);
}

TEST(Explain, ARowThatThereIsNotIsRefused) {
  const ExplainedModel m = motley_model(1);
  EXPECT_THROW(explain(m.model, m.data, m.data.row_count()), Error);
  EXPECT_THROW(explain(m.model, m.data, 0, {.nearest_count = -1}), Error);
}

TEST(PairStrengths, TheStrongestAloneAreThoseOfAll) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const ExplainedModel m = test_support::random_model(
        {.row_count = 30, .class_count = 3, .numeric_count = 60, .tied_count = 0, .categorical_count = 20},
        {.parts = {{.factor_count = 2}}}, seed);
    const std::vector<PairStrength> all = pair_strengths(m.model);
    ASSERT_EQ(all.size(), pair_count(m.model));
    for (const std::size_t count : {0U, 1U, 7U, 500U}) {
      const std::vector<PairStrength> few = pair_strengths(m.model, count);
      ASSERT_EQ(few.size(), count);
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(few[i].first, all[i].first);
        EXPECT_EQ(few[i].second, all[i].second);
        EXPECT_EQ(few[i].range, all[i].range);
      }
    }
    const Importance few = training_importance(m.model, 7);
    const Importance every = training_importance(m.model);
    ASSERT_EQ(few.pairs.size(), 7U);
    for (const PairImportance& pair : few.pairs) {
      const auto same = std::find_if(every.pairs.begin(), every.pairs.end(), [&](const PairImportance& other) {
        return other.first == pair.first && other.second == pair.second;
      });
      EXPECT_EQ(same->range, pair.range);
      EXPECT_EQ(same->mean_absolute, pair.mean_absolute);
    }
  }
}

TEST(Explain, OfManyPairsTheGreatestAreListedAndTheRestAddedUp) {
  const ExplainedModel m = test_support::random_model(
      {.row_count = 30, .class_count = 3, .numeric_count = 12, .tied_count = 0, .categorical_count = 3},
      {.parts = {{.factor_count = 2}}}, 3);
  const LocalExplanation all = explain(m.model, m.data, 4);
  const LocalExplanation few = explain(m.model, m.data, 4, {.most_pairs = 9});
  ASSERT_EQ(few.pairs.size(), 9U);
  EXPECT_EQ(few.other_pair_count, all.pairs.size() - 9);
  std::vector<double> sizes;
  double rest = 0;
  for (const PairContribution& pair : all.pairs) {
    sizes.push_back(std::abs(pair.value));
    rest += pair.value;
  }
  std::sort(sizes.rbegin(), sizes.rend());
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(std::abs(few.pairs[i].value), sizes[i]);
    rest -= few.pairs[i].value;
  }
  EXPECT_NEAR(few.other_pairs, rest, 1e-12);
  EXPECT_EQ(explain(m.model, m.data, 4, {.most_pairs = 0}).pairs.size(), 0U);
}

}  // namespace
}  // namespace xofm
