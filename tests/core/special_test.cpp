// Special values: numbers that lie on no scale, each with a value of its own beside the curve.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/dense_model.hpp"
#include "support/random_rows.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/fit.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

Dataset one_column(std::vector<double> values, std::vector<double> special) {
  Dataset data;
  data.schema.attributes = {{.name = "a", .special = std::move(special)}};
  data.schema.class_names = {"1", "2"};
  for (std::size_t i = 0; i < values.size(); ++i) data.labels.push_back(static_cast<int>(i % 2));
  data.columns = {std::move(values)};
  return data;
}

AttributeEncoder encoder_of(const Dataset& data) { return fit_encoder(data, {.segment_count = 4}).attributes[0]; }

TEST(Special, TheyHaveCoordinatesBetweenTheSegmentsAndMissing) {
  const AttributeEncoder encoder = encoder_of(one_column({-9, 1, 2, -1, 3, 4, nothing, 5}, {-9, -1}));
  EXPECT_EQ(encoder.knots, (std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_EQ(encoder.special, (std::vector<double>{-9, -1}));
  EXPECT_EQ(encoder.coordinate_count(), 7);
  ValueNote note{};
  EXPECT_EQ(encoder.locate(-9, note).coordinate, 4U);
  EXPECT_EQ(note, ValueNote::none);
  EXPECT_EQ(encoder.locate(-1, note).coordinate, 5U);
  EXPECT_EQ(encoder.locate(nothing, note).coordinate, 6U);
  EXPECT_EQ(encoder.locate(-2, note).coordinate, 0U);
  EXPECT_EQ(note, ValueNote::below_range);
}

TEST(Special, OneAmidTheNumbersIsNoPlaceOnTheCurve) {
  const AttributeEncoder encoder = encoder_of(one_column({0, 1, 2, 1, 3, 4}, {1}));
  EXPECT_FALSE(std::binary_search(encoder.knots.begin(), encoder.knots.end(), 1.0));
  ValueNote note{};
  EXPECT_EQ(encoder.locate(1, note).coordinate, static_cast<std::uint32_t>(encoder.segment_count()));
  EXPECT_EQ(encoder.locate_on_curve(1, note).coordinate, 0U);
  EXPECT_EQ(encoder.locate_on_curve(1, note).fraction, 0.5);
}

TEST(Special, OneThatTrainingLacksCountsAsMissing) {
  const AttributeEncoder without = encoder_of(one_column({1, 2, 3, 4}, {-9}));
  EXPECT_EQ(without.absent_special, (std::vector<double>{-9}));
  ValueNote note{};
  EXPECT_EQ(without.locate(-9, note).coordinate, without.typical.coordinate);
  EXPECT_EQ(note, ValueNote::unexpected_missing);
  const AttributeEncoder with = encoder_of(one_column({1, 2, nothing, 4}, {-9}));
  EXPECT_EQ(with.locate(-9, note).coordinate, static_cast<std::uint32_t>(with.coordinate_count() - 1));
  EXPECT_EQ(note, ValueNote::none);
}

TEST(Special, AColumnOfNothingElseIsRefused) {
  try {
    encoder_of(one_column({-9, -9, -1, nothing}, {-9, -1}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "attribute 'a' has no value in any row beside its special ones");
  }
}

TEST(Special, ManyRowsAreEncodedAsOneByOne) {
  Dataset data = test_support::random_rows({.row_count = 3000, .missing_share = 0.1, .special = true}, 3);
  const Encoder encoder = fit_encoder(data);
  const EncodedRows rows = encode(encoder, data);
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    for (std::size_t j = 0; j < data.attribute_count(); ++j) {
      ValueNote note{};
      const Position one = encoder.attributes[j].locate(data.columns[j][i], note);
      ASSERT_EQ(rows.coordinates[i * data.attribute_count() + j], one.coordinate);
      ASSERT_EQ(rows.fractions[i * data.attribute_count() + j], one.fraction);
    }
  }
}

// Missing values on one side and special ones on the other: the same rows but for what the gap is called.
TEST(Special, ALoneSpecialValueIsLearnedAsMissingIs) {
  const Dataset special = test_support::random_rows({.row_count = 200, .special = true}, 5);
  Dataset missing = special;
  missing.schema.attributes[0].special.clear();
  std::replace(missing.columns[0].begin(), missing.columns[0].end(), -9.0, nothing);
  for (const PairChoice pairs : {PairChoice::all, PairChoice::count}) {
    TrainOptions options;
    options.terms.pairs = pairs;
    options.terms.pair_count = 1;
    const std::vector<double> a = train(special, options).model.score(special);
    const std::vector<double> b = train(missing, options).model.score(missing);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i], b[i]) << i;
  }
}

TEST(Special, TheScoreIsEquation4WithACoordinateForEach) {
  const Dataset data = test_support::random_rows({.row_count = 100, .missing_share = 0.1, .special = true}, 8);
  const Model model = train(data).model;
  const std::vector<double> scores = model.score(data);
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    const auto phi = test_support::dense_phi(model.encoder, data, i);
    EXPECT_NEAR(scores[i], test_support::dense_score(model.parameters, phi),
                1e-12 * test_support::score_scale(model.parameters, phi));
  }
}

TEST(Special, AChangeNeitherLeavesNorEntersOne) {
  const Dataset data = test_support::random_rows({.row_count = 200, .special = true}, 9);
  const Model model = train(data).model;
  const auto is_special = [&](const ValueChange& change, double value) {
    const auto& special = data.schema.attributes[change.attribute].special;
    return std::find(special.begin(), special.end(), value) != special.end();
  };
  for (std::size_t i = 0; i < 60; ++i) {
    const NextClasses next = next_classes(model, data, i);
    for (const auto& found : {next.to_better.one, next.to_better.two, next.to_worse.one, next.to_worse.two}) {
      if (!found) continue;
      for (const ValueChange& change : found->changes) {
        EXPECT_FALSE(is_special(change, change.from));
        EXPECT_FALSE(is_special(change, change.to));
      }
    }
  }
}

}  // namespace
}  // namespace xofm
