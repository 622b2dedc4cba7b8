#include "xofm/encoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/random.hpp"
#include "core/encode/knots.hpp"
#include "support/dense_model.hpp"
#include "support/random_rows.hpp"
#include "xofm/error.hpp"
#include "xofm/threads.hpp"

namespace xofm {
namespace {

using test_support::random_rows;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

// Fractions are one subtraction and one division away from the twin's.
constexpr double fraction_tolerance = 4 * std::numeric_limits<double>::epsilon();

// The attribute's run of Phi that a position stands for.
std::vector<double> filled(const AttributeEncoder& attribute, const Position& position) {
  std::vector<double> phi(static_cast<std::size_t>(attribute.coordinate_count()));
  if (attribute.is_segment(static_cast<int>(position.coordinate))) {
    std::fill(phi.begin(), phi.begin() + position.coordinate, 1.0);
  }
  phi.at(position.coordinate) = position.fraction;
  return phi;
}

std::vector<double> filled(const AttributeEncoder& attribute, double value, ValueNote expected = ValueNote::none) {
  ValueNote note{};
  const Position position = attribute.locate(value, note);
  EXPECT_EQ(note, expected) << value;
  return filled(attribute, position);
}

using Phi = std::vector<double>;

AttributeEncoder numeric(std::vector<double> knots, Direction direction = Direction::none) {
  AttributeEncoder attribute;
  attribute.direction = direction;
  attribute.knots = std::move(knots);
  return attribute;
}

Dataset one_column(std::vector<double> column) {
  Dataset data;
  data.schema.attributes = {{.name = "x"}};
  data.columns = {std::move(column)};
  return data;
}

Dataset one_level_column(std::vector<double> codes, std::vector<std::string> levels) {
  Dataset data = one_column(std::move(codes));
  data.schema.attributes[0].kind = AttributeKind::categorical;
  data.schema.attributes[0].levels = std::move(levels);
  return data;
}

// --- Definition 1 by hand. Knots and segments:
//
//      0 ---- 1 -------- 3 ---------------- 7
//         1        2              3

TEST(Encoder, AValueInsideASegmentFillsAllBeforeItAndAFractionOfItsOwn) {
  const auto attribute = numeric({0, 1, 3, 7});
  EXPECT_EQ(filled(attribute, 0.25), (Phi{0.25, 0, 0}));
  EXPECT_EQ(filled(attribute, 2), (Phi{1, 0.5, 0}));
  EXPECT_EQ(filled(attribute, 6), (Phi{1, 1, 0.75}));
}

TEST(Encoder, AValueAtAKnotFillsTheSegmentsBeforeItAndNoMore) {
  const auto attribute = numeric({0, 1, 3, 7});
  EXPECT_EQ(filled(attribute, 1), (Phi{1, 0, 0}));
  EXPECT_EQ(filled(attribute, 3), (Phi{1, 1, 0}));
}

TEST(Encoder, TheEndsAreInsideTheRange) {
  const auto attribute = numeric({0, 1, 3, 7});
  EXPECT_EQ(filled(attribute, 0), (Phi{0, 0, 0}));
  EXPECT_EQ(filled(attribute, 7), (Phi{1, 1, 1}));
}

TEST(Encoder, AValueBelowTheFirstKnotFillsNothingAndIsNoted) {
  const auto attribute = numeric({0, 1, 3, 7});
  EXPECT_EQ(filled(attribute, -5, ValueNote::below_range), (Phi{0, 0, 0}));
  EXPECT_EQ(filled(attribute, -HUGE_VAL, ValueNote::below_range), (Phi{0, 0, 0}));
}

TEST(Encoder, AValueAboveTheLastKnotFillsAllAndIsNoted) {
  const auto attribute = numeric({0, 1, 3, 7});
  EXPECT_EQ(filled(attribute, 7.5, ValueNote::above_range), (Phi{1, 1, 1}));
  EXPECT_EQ(filled(attribute, HUGE_VAL, ValueNote::above_range), (Phi{1, 1, 1}));
}

TEST(Encoder, ADecreasingAttributeIsFilledFromTheTopDown) {
  //  7 ---------------- 3 -------- 1 ---- 0
  //          1               2         3
  const auto attribute = numeric({0, 1, 3, 7}, Direction::decreasing);
  EXPECT_EQ(filled(attribute, 7), (Phi{0, 0, 0}));
  EXPECT_EQ(filled(attribute, 6), (Phi{0.25, 0, 0}));
  EXPECT_EQ(filled(attribute, 3), (Phi{1, 0, 0}));
  EXPECT_EQ(filled(attribute, 2), (Phi{1, 0.5, 0}));
  EXPECT_EQ(filled(attribute, 0), (Phi{1, 1, 1}));
  EXPECT_EQ(filled(attribute, -1, ValueNote::below_range), (Phi{1, 1, 1}));
  EXPECT_EQ(filled(attribute, 9, ValueNote::above_range), (Phi{0, 0, 0}));
}

TEST(Encoder, LocatingEqualsDefinition1OnRandomKnotsInBothDirections) {
  detail::Random random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> knots = {random.normal()};
    const auto count = 1 + random.below(9);
    while (knots.size() <= count) knots.push_back(knots.back() + 0.01 + random.uniform());
    std::vector<double> values = knots;
    for (int i = 0; i < 20; ++i)
      values.push_back(knots.front() + (knots.back() - knots.front() + 1) * random.uniform());
    for (const Direction direction : {Direction::none, Direction::increasing, Direction::decreasing}) {
      const auto attribute = numeric(knots, direction);
      for (const double value : values) {
        ValueNote note{};
        const Phi phi = filled(attribute, attribute.locate(value, note));
        const Phi slow = test_support::dense_run(attribute, value);
        ASSERT_EQ(phi.size(), slow.size());
        for (std::size_t n = 0; n < phi.size(); ++n) EXPECT_NEAR(phi[n], slow[n], fraction_tolerance) << value;
        EXPECT_EQ(note, value > knots.back() ? ValueNote::above_range : ValueNote::none);
      }
    }
  }
}

TEST(Encoder, ADecreasingAttributeMirrorsTheIncreasingOneOfTheNegatedValues) {
  detail::Random random(2);
  const auto falling = numeric({-3, -1, 0.5, 2}, Direction::decreasing);
  const auto rising = numeric({-2, -0.5, 1, 3}, Direction::increasing);
  for (int i = 0; i < 100; ++i) {
    const double x = 6 * random.uniform() - 3.5;
    ValueNote note{};
    const Phi a = filled(falling, falling.locate(x, note));
    const Phi b = filled(rising, rising.locate(-x, note));
    for (std::size_t n = 0; n < a.size(); ++n) EXPECT_NEAR(a[n], b[n], fraction_tolerance);
  }
}

// --- Levels and missing values.

TEST(Encoder, ALevelFillsItsOwnCoordinateOnly) {
  const auto encoder = fit_encoder(one_level_column({0, 1, 2, 1}, {"a", "b", "c"}));
  EXPECT_EQ(encoder.attributes[0].coordinate_count(), 3);
  EXPECT_EQ(filled(encoder.attributes[0], 0), (Phi{1, 0, 0}));
  EXPECT_EQ(filled(encoder.attributes[0], 2), (Phi{0, 0, 1}));
}

TEST(Encoder, ALevelNotSeenInTrainingContributesNothingAndIsNoted) {
  const auto encoder = fit_encoder(one_level_column({0, 1, 1}, {"a", "b"}));
  EXPECT_EQ(filled(encoder.attributes[0], unseen_level, ValueNote::new_level), (Phi{0, 0}));
  EXPECT_EQ(filled(encoder.attributes[0], 2, ValueNote::new_level), (Phi{0, 0}));
}

TEST(Encoder, MissingValuesOfTheTrainingRowsGetACoordinateOfTheirOwn) {
  const auto encoder = fit_encoder(one_column({0, missing, 4, 2}), {.segment_count = 2});
  const auto& attribute = encoder.attributes[0];
  EXPECT_EQ(attribute.coordinate_count(), 3);
  EXPECT_FALSE(attribute.is_segment(2));
  EXPECT_EQ(filled(attribute, missing), (Phi{0, 0, 1}));
  EXPECT_EQ(filled(attribute, 4), (Phi{1, 1, 0}));

  const auto levels = fit_encoder(one_level_column({0, missing, 1}, {"a", "b"}));
  EXPECT_EQ(filled(levels.attributes[0], missing), (Phi{0, 0, 1}));
}

TEST(Encoder, AnUnexpectedMissingNumberTakesTheMedianPositionAndIsNoted) {
  // Median 2 of 0 1 2 10 20; equal width knots 0 10 20: a fifth of the first segment.
  const EncoderOptions options = {.knots = KnotPlacement::equal_width, .segment_count = 2};
  const auto encoder = fit_encoder(one_column({20, 0, 2, 10, 1}), options);
  EXPECT_EQ(filled(encoder.attributes[0], missing, ValueNote::unexpected_missing), (Phi{0.2, 0}));
  // Decreasing: from the top down, the first segment is full and the second misses that fifth.
  const auto falling =
      fit_encoder(one_column({20, 0, 2, 10, 1}), {.knots = KnotPlacement::equal_width,
                                                  .segment_count = 2,
                                                  .attributes = {.directions = {{"x", Direction::decreasing}}}});
  EXPECT_EQ(filled(falling.attributes[0], missing, ValueNote::unexpected_missing), (Phi{1, 0.8}));
}

TEST(Encoder, AnUnexpectedMissingLevelTakesTheMostFrequentOneAndIsNoted) {
  const auto encoder =
      fit_encoder(one_level_column({0, 2, 1, 2, unseen_level, unseen_level, unseen_level}, {"a", "b", "c"}));
  EXPECT_EQ(filled(encoder.attributes[0], missing, ValueNote::unexpected_missing), (Phi{0, 0, 1}));
}

TEST(Encoder, AConstantAttributeHasOneSegmentThatNothingFills) {
  for (const auto placement : {KnotPlacement::equal_width, KnotPlacement::quantile}) {
    const auto encoder = fit_encoder(one_column({5, 5, 5}), {.knots = placement});
    const auto& attribute = encoder.attributes[0];
    EXPECT_EQ(attribute.coordinate_count(), 1);
    EXPECT_EQ(filled(attribute, 5), (Phi{0}));
    EXPECT_EQ(filled(attribute, 6, ValueNote::above_range), (Phi{0}));
    EXPECT_EQ(filled(attribute, 4, ValueNote::below_range), (Phi{0}));
    EXPECT_EQ(filled(attribute, missing, ValueNote::unexpected_missing), (Phi{0}));
  }
  const auto with_gap = fit_encoder(one_column({5, missing, 5}));
  EXPECT_EQ(filled(with_gap.attributes[0], missing), (Phi{0, 1}));
}

TEST(Encoder, OneRowIsAConstantOfEveryAttribute) {
  const auto encoder = fit_encoder(one_column({3}));
  EXPECT_EQ(encoder.attributes[0].knots, (std::vector<double>{3}));
}

// --- Hard scales.

TEST(Encoder, HugeScalesDoNotOverflow) {
  for (const auto placement : {KnotPlacement::equal_width, KnotPlacement::quantile}) {
    const auto encoder =
        fit_encoder(one_column({-1e308, 1e308, 0, 5e307, -5e307}), {.knots = placement, .segment_count = 2});
    const auto& attribute = encoder.attributes[0];
    ASSERT_EQ(attribute.knots.size(), 3U);
    EXPECT_EQ(attribute.knots[1], 0);
    EXPECT_EQ(filled(attribute, -5e307), (Phi{0.5, 0}));
    EXPECT_EQ(filled(attribute, 5e307), (Phi{1, 0.5}));
  }
  // One segment whose width is infinite in double.
  const auto wide = fit_encoder(one_column({-1e308, 1e308}), {.segment_count = 1});
  EXPECT_EQ(filled(wide.attributes[0], 0), (Phi{0.5}));
  EXPECT_EQ(filled(wide.attributes[0], 1e308), (Phi{1}));
  EXPECT_EQ(filled(wide.attributes[0], -1e308), (Phi{0}));
}

TEST(Encoder, DenormalScalesKeepAsManyKnotsAsThereAreNumbers) {
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  const auto encoder =
      fit_encoder(one_column({0, 3 * tiny}), {.knots = KnotPlacement::equal_width, .segment_count = 8});
  const auto& knots = encoder.attributes[0].knots;
  EXPECT_LE(knots.size(), 4U);
  EXPECT_EQ(knots.front(), 0);
  EXPECT_EQ(knots.back(), 3 * tiny);
  EXPECT_EQ(std::adjacent_find(knots.begin(), knots.end(), std::greater_equal<>()), knots.end());
  const Phi full(knots.size() - 1, 1.0);
  EXPECT_EQ(filled(encoder.attributes[0], 3 * tiny), full);
}

TEST(Encoder, FractionsStayInTheUnitIntervalOnAnyScale) {
  detail::Random random(6);
  for (int round = 0; round < 500; ++round) {
    const double scale = std::pow(10.0, 600 * random.uniform() - 300);
    std::vector<double> column;
    for (int i = 0; i < 20; ++i) column.push_back(scale * random.normal());
    for (const Direction direction : {Direction::none, Direction::decreasing}) {
      const auto encoder =
          fit_encoder(one_column(column), {.segment_count = 4, .attributes = {.directions = {{"x", direction}}}});
      for (const double value : column) {
        ValueNote note{};
        const Position position = encoder.attributes[0].locate(value, note);
        EXPECT_EQ(note, ValueNote::none);
        EXPECT_GE(position.fraction, 0);
        EXPECT_LE(position.fraction, 1);
      }
    }
  }
}

// --- Many rows.

TEST(Encoder, EncodingRowsLocatesEveryCellAndNotesInRowOrder) {
  const Dataset training = random_rows({.row_count = 50, .categorical_count = 1}, 7);
  const std::string falling = training.schema.attributes[1].name;
  const auto encoder = fit_encoder(training, {.attributes = {.directions = {{falling, Direction::decreasing}}}});
  Dataset rows = random_rows({.row_count = 9000, .categorical_count = 1, .missing_share = 0.01}, 8);
  rows.columns[3][8999] = unseen_level;
  std::vector<RowNote> notes;
  const auto encoded = encode(encoder, rows, &notes);
  ASSERT_EQ(encoded.row_count, 9000U);
  ASSERT_EQ(encoded.attribute_count, 4U);
  std::size_t next = 0;
  for (std::size_t i = 0; i < 9000; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      ValueNote note{};
      const Position position = encoder.attributes[j].locate(rows.columns[j][i], note);
      ASSERT_EQ(encoded.coordinates[i * 4 + j], position.coordinate);
      ASSERT_EQ(encoded.fractions[i * 4 + j], position.fraction);
      if (note == ValueNote::none) continue;
      ASSERT_LT(next, notes.size());
      EXPECT_EQ(notes[next].row, i);
      EXPECT_EQ(notes[next].attribute, j);
      EXPECT_EQ(notes[next].note, note);
      ++next;
    }
  }
  EXPECT_EQ(next, notes.size());
  EXPECT_EQ(notes.back().note, ValueNote::new_level);
}

TEST(Encoder, RowsWithAnotherNumberOfAttributesAreRefused) {
  const auto encoder = fit_encoder(one_column({1, 2}));
  const Dataset wider = random_rows({}, 1);
  EXPECT_THROW(encode(encoder, wider), Error);
}

// --- Bad options and data.

ErrorCode code_of_refusal(const Dataset& data, const EncoderOptions& options) {
  try {
    fit_encoder(data, options);
  } catch (const Error& error) {
    EXPECT_FALSE(std::string(error.what()).empty());
    return error.code();
  }
  ADD_FAILURE() << "accepted";
  return ErrorCode::io;
}

TEST(Encoder, BadOptionsAreRefused) {
  const Dataset data = random_rows({.categorical_count = 1}, 1);
  const std::vector<EncoderOptions> bad = {
      {.segment_count = 0},
      {.segment_count = -3},
      {.segment_count = 10'001},
      {.attributes = {.segment_counts = {{"n0", 0}}}},
      {.attributes = {.segment_counts = {{"nobody", 4}}}},
      {.attributes = {.segment_counts = {{"k0", 4}}}},
      {.attributes = {.given_knots = {{"nobody", {0, 1}}}}},
      {.attributes = {.given_knots = {{"k0", {0, 1}}}}},
      {.attributes = {.given_knots = {{"n0", {}}}}},
      {.attributes = {.given_knots = {{"n0", {1}}}}},
      {.attributes = {.given_knots = {{"n0", {0, 1, 1}}}}},
      {.attributes = {.given_knots = {{"n0", {1, 0}}}}},
      {.attributes = {.given_knots = {{"n0", {0, missing}}}}},
      {.attributes = {.given_knots = {{"n0", {0, HUGE_VAL}}}}},
      {.attributes = {.directions = {{"nobody", Direction::increasing}}}},
      {.attributes = {.directions = {{"k0", Direction::increasing}}}},
  };
  for (std::size_t i = 0; i < bad.size(); ++i) {
    EXPECT_EQ(code_of_refusal(data, bad[i]), ErrorCode::invalid_option) << i;
  }
}

TEST(Encoder, ADirectionOfNoneIsAllowedForACategoricalAttribute) {
  const Dataset data = random_rows({.categorical_count = 1}, 1);
  EXPECT_NO_THROW(fit_encoder(data, {.attributes = {.directions = {{"k0", Direction::none}}}}));
}

TEST(Encoder, AColumnWithoutAnyValueIsRefused) {
  EXPECT_EQ(code_of_refusal(one_column({missing, missing}), {}), ErrorCode::invalid_data);
  EXPECT_EQ(code_of_refusal(one_level_column({missing, missing}, {"a"}), {}), ErrorCode::invalid_data);
  // Text that is no level of the schema is no value to learn from either; without a level there would be no
  // coordinate to put it.
  EXPECT_EQ(code_of_refusal(one_level_column({unseen_level, unseen_level}, {}), {}), ErrorCode::invalid_data);
}

TEST(Encoder, TooManyLevelsAreRefused) {
  std::vector<std::string> levels;
  for (int i = 0; i < 65535; ++i) levels.push_back(std::to_string(i));
  EXPECT_EQ(code_of_refusal(one_level_column({0, 1}, levels), {}), ErrorCode::invalid_data);
  levels.pop_back();
  EXPECT_NO_THROW(fit_encoder(one_level_column({0, 1}, levels)));
}

TEST(Encoder, ThreadsDoNotChangeTheEncoding) {
  const Dataset data = random_rows({.row_count = 20000, .categorical_count = 2, .missing_share = 0.05}, 9);
  std::vector<RowNote> one_notes, many_notes;
  EncodedRows one;
  {
    const ThreadLimit limit(1);
    one = encode(fit_encoder(data), data, &one_notes);
  }
  const ThreadLimit limit(4);
  const EncodedRows many = encode(fit_encoder(data), data, &many_notes);
  EXPECT_EQ(one.coordinates, many.coordinates);
  EXPECT_EQ(one.fractions, many.fractions);
  EXPECT_EQ(one_notes.size(), many_notes.size());
}

}  // namespace
}  // namespace xofm
