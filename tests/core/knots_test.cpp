#include "core/encode/knots.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/random.hpp"
#include "support/random_rows.hpp"
#include "xofm/encoder.hpp"
#include "xofm/error.hpp"
#include "xofm/threads.hpp"

namespace xofm {
namespace {

using test_support::random_rows;

Dataset one_column(std::vector<double> column) {
  Dataset data;
  data.schema.attributes = {{.name = "x"}};
  data.columns = {std::move(column)};
  return data;
}

std::vector<double> ramp(int count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

// --- Knots.

TEST(Encoder, EqualWidthKnotsAreTheCharacteristicPoints) {
  // alpha = -1, beta = 3, gamma = 4: phi^k = -1 + k/4 * 4.
  const auto encoder =
      fit_encoder(one_column({3, -1, 0.3, 2.2}), {.knots = KnotPlacement::equal_width, .segment_count = 4});
  EXPECT_EQ(encoder.attributes[0].knots, (std::vector<double>{-1, 0, 1, 2, 3}));
  EXPECT_EQ(encoder.coordinate_count(), 4U);
}

TEST(Encoder, EqualWidthKnotsEndExactlyAtTheLeastAndTheGreatestValue) {
  detail::Random random(3);
  for (int round = 0; round < 200; ++round) {
    const double low = 100 * random.normal();
    const double high = low + random.uniform();
    const auto count = static_cast<int>(1 + random.below(40));
    const auto knots = detail::equal_width_knots(low, high, count);
    ASSERT_EQ(knots.size(), static_cast<std::size_t>(count) + 1);
    EXPECT_EQ(knots.front(), low);
    EXPECT_EQ(knots.back(), high);
    for (int k = 0; k <= count; ++k) {
      EXPECT_NEAR(knots[static_cast<std::size_t>(k)], low + k * (high - low) / count, 1e-12 * (1 + std::abs(low)));
    }
  }
}

TEST(Encoder, AFewDistinctValuesBecomeTheKnotsOfTheQuantilePlacement) {
  const auto encoder = fit_encoder(one_column({2, 5, 2, 2, 9, 5}), {.segment_count = 8});
  EXPECT_EQ(encoder.attributes[0].knots, (std::vector<double>{2, 5, 9}));
  // Just as many as there may be.
  EXPECT_EQ(detail::quantile_knots({1, 2, 2, 4}, 2), (std::vector<double>{1, 2, 4}));
}

TEST(Encoder, QuantileKnotsCutDistinctValuesIntoEqualParts) {
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(std::exp(0.01 * i));  // very uneven in width
  const auto knots = detail::quantile_knots(values, 8);
  ASSERT_EQ(knots.size(), 9U);
  for (std::size_t k = 1; k < knots.size(); ++k) {
    const auto begin = std::lower_bound(values.begin(), values.end(), knots[k - 1]);
    const auto end = std::lower_bound(values.begin(), values.end(), knots[k]);
    EXPECT_NEAR(static_cast<double>(end - begin), 125, 2) << k;
  }
}

TEST(Encoder, AValueThatFillsMostRowsTakesOneKnotAndLeavesTheOthersToTheRest) {
  // 900 zeros and 100 other values: at the low end, in the middle, at the high end.
  for (const double shift : {1.0, -50.0, -100.0}) {
    std::vector<double> values(900, 0.0);
    for (int i = 0; i < 100; ++i) values.push_back(i + shift + 0.5);
    std::sort(values.begin(), values.end());
    const auto knots = detail::quantile_knots(values, 8);
    EXPECT_GE(knots.size(), 8U) << shift;  // at least 7 of 8 segments
    // The other values are cut evenly: about 14 between two knots, where the zeros would have left them one part.
    std::size_t most = 0;
    for (std::size_t k = 1; k < knots.size(); ++k) {
      const auto inside = [&](double v) { return v > knots[k - 1] && v < knots[k] && v != 0; };
      most = std::max(most, static_cast<std::size_t>(std::count_if(values.begin(), values.end(), inside)));
    }
    EXPECT_LE(most, 30U) << shift;
  }
}

TEST(Encoder, QuantileKnotsAscendFromTheLeastToTheGreatestValueAndNeverExceedTheSegmentCount) {
  detail::Random random(4);
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> values;
    const auto count = 1 + random.below(200);
    const auto levels = static_cast<double>(1 + random.below(40));
    const bool skewed = random.below(2) == 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const double u = random.uniform();
      values.push_back(std::floor(levels * (skewed ? u * u * u * u : u)));
    }
    std::sort(values.begin(), values.end());
    const auto segment_count = static_cast<int>(1 + random.below(12));
    const auto knots = detail::quantile_knots(values, segment_count);
    EXPECT_EQ(knots.front(), values.front());
    EXPECT_EQ(knots.back(), values.back());
    EXPECT_LE(knots.size(), static_cast<std::size_t>(segment_count) + 1);
    EXPECT_EQ(std::adjacent_find(knots.begin(), knots.end(), std::greater_equal<>()), knots.end());
    for (const double knot : knots) EXPECT_TRUE(std::binary_search(values.begin(), values.end(), knot));
    auto distinct = values;
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    // Segments are an upper bound, but most of them are used where values allow it.
    const std::size_t possible = std::min(distinct.size(), static_cast<std::size_t>(segment_count) + 1);
    EXPECT_GE(2 * knots.size(), possible) << round;
  }
}

TEST(Encoder, KnotsOfManyRowsComeFromASampleThatKeepsTheEnds) {
  // 300,000 uniform values, the extreme ones once each: quantiles of every third value are off by about
  // 1/sqrt(100,000).
  detail::Random random(3);
  std::vector<double> column;
  for (int i = 0; i < 300000; ++i) column.push_back(random.uniform());
  column[100001] = -5;
  column[200003] = 7;
  const Encoder encoder = fit_encoder(one_column(column), {.segment_count = 4});
  const auto& knots = encoder.attributes[0].knots;
  ASSERT_EQ(knots.size(), 5U);
  EXPECT_EQ(knots.front(), -5);
  EXPECT_EQ(knots.back(), 7);
  for (std::size_t k = 1; k < 4; ++k) EXPECT_NEAR(knots[k], 0.25 * static_cast<double>(k), 0.01);
}

TEST(Encoder, GivenKnotsAreTakenAsTheyAre) {
  const std::vector<double> knots = {0, 10, 11};
  const auto encoder = fit_encoder(one_column({5, 20}), {.attributes = {.given_knots = {{"x", knots}}}});
  EXPECT_EQ(encoder.attributes[0].knots, knots);
  ValueNote note{};
  const Position position = encoder.attributes[0].locate(20, note);
  EXPECT_EQ(note, ValueNote::above_range);
  EXPECT_EQ(position.coordinate, 1U);
  EXPECT_EQ(position.fraction, 1);
}

TEST(Encoder, AFrequentValueGetsKnotsOnBothSides) {
  // 0 .. 100 once each, 40.5 ten times more: its neighbours are 40 and 41.
  std::vector<double> column = ramp(101);
  column.insert(column.end(), 10, 40.5);
  const auto knots = [&](double share, KnotPlacement placement) {
    return fit_encoder(one_column(column), {.knots = placement, .segment_count = 1, .spike_share = share})
        .attributes[0]
        .knots;
  };
  for (const auto placement : {KnotPlacement::equal_width, KnotPlacement::quantile}) {
    EXPECT_EQ(knots(0, placement), (std::vector<double>{0, 100}));
    EXPECT_EQ(knots(0.05, placement), (std::vector<double>{0, 40, 40.5, 41, 100}));
    EXPECT_EQ(knots(0.2, placement), (std::vector<double>{0, 100}));  // ten of 111 are not enough
  }
}

TEST(Encoder, ASpikeAtAnEndHasOneNeighbour) {
  std::vector<double> column = ramp(101);
  column.insert(column.end(), 50, 0.0);
  const auto encoder = fit_encoder(one_column(column), {.segment_count = 1, .spike_share = 0.1});
  EXPECT_EQ(encoder.attributes[0].knots, (std::vector<double>{0, 1, 100}));
}

TEST(Encoder, AValueAmongFrequentOnesIsNoSpike) {
  std::vector<double> column;
  for (int repeat = 0; repeat < 12; ++repeat) {
    for (const double value : {1.0, 2.0, 3.0, 4.0}) column.push_back(value);
  }
  for (int i = 0; i < 3; ++i) column.insert(column.end(), 16, 2.0);  // five times as many as the others
  column.push_back(2.0);
  const auto knots = [&] {
    return fit_encoder(one_column(column), {.segment_count = 1, .spike_share = 0.1}).attributes[0].knots;
  };
  EXPECT_EQ(knots(), (std::vector<double>{1, 2, 3, 4}));
  column.resize(column.size() - 2);  // not quite
  EXPECT_EQ(knots(), (std::vector<double>{1, 4}));
}

TEST(Encoder, ASpikeShareOutsideOfItsRangeIsRefused) {
  for (const double share : {-0.1, 1.5, std::nan("")}) {
    EXPECT_THROW(fit_encoder(one_column(ramp(5)), {.spike_share = share}), Error) << share;
  }
}

TEST(Encoder, SegmentCountsDifferByAttribute) {
  Dataset data = one_column(ramp(101));
  data.schema.attributes.push_back({.name = "y"});
  data.columns.push_back(ramp(101));
  for (const auto placement : {KnotPlacement::equal_width, KnotPlacement::quantile}) {
    const auto encoder =
        fit_encoder(data, {.knots = placement, .segment_count = 3, .attributes = {.segment_counts = {{"y", 5}}}});
    EXPECT_EQ(encoder.attributes[0].segment_count(), 3);
    EXPECT_EQ(encoder.attributes[1].segment_count(), 5);
    EXPECT_EQ(encoder.offsets, (std::vector<std::uint32_t>{0, 3, 8}));
  }
}

TEST(Encoder, TheOrderOfRowsDoesNotMoveTheKnots) {
  Dataset data = random_rows({.row_count = 200, .missing_share = 0.1}, 5);
  const auto encoder = fit_encoder(data);
  for (auto& column : data.columns) std::reverse(column.begin(), column.end());
  const auto reversed = fit_encoder(data);
  for (std::size_t j = 0; j < data.columns.size(); ++j) {
    EXPECT_EQ(encoder.attributes[j].knots, reversed.attributes[j].knots);
  }
}

}  // namespace
}  // namespace xofm
