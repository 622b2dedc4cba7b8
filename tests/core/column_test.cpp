#include "xofm/column.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "core/base/random.hpp"
#include "core/encode/encode_range.hpp"
#include "core/score/score_table.hpp"
#include "support/random_rows.hpp"
#include "xofm/encoder.hpp"
#include "xofm/model_file.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

using test_support::random_rows;

// Doubles of the data in a matrix row by row, one byte off where a double may stand, and views of them in another
// order.
struct Lent {
  std::vector<char> bytes;
  Dataset views;
  Dataset copies;
};

Lent lend(const Dataset& data, std::uint64_t seed) {
  Lent lent;
  const std::size_t count = data.row_count();
  const std::size_t width = data.attribute_count() * sizeof(double);
  lent.bytes.resize(1 + count * width);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < data.attribute_count(); ++j) {
      const double value = data.columns[j][i];
      std::memcpy(lent.bytes.data() + 1 + i * width + j * sizeof value, &value, sizeof value);
    }
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  detail::Random(seed).shuffle(order);
  const auto rows = std::make_shared<const std::vector<std::uint32_t>>(order.begin(), order.end());
  lent.copies = subset(data, order);
  lent.views = lent.copies;
  for (std::size_t j = 0; j < data.attribute_count(); ++j) {
    const char* const first = lent.bytes.data() + 1 + j * sizeof(double);
    lent.views.columns[j] = Column::view(first, static_cast<std::ptrdiff_t>(width), rows);
  }
  return lent;
}

TEST(Column, AViewReadsLikeTheNumbersInItsOrder) {
  const Lent lent = lend(random_rows({.row_count = 200, .numeric_count = 3}, 1), 2);
  for (std::size_t j = 0; j < lent.views.attribute_count(); ++j) {
    const Column& view = lent.views.columns[j];
    EXPECT_TRUE(view.is_view());
    EXPECT_EQ(view, lent.copies.columns[j]);
    std::vector<double> some(50);
    view.read(100, 150, some.data());
    for (std::size_t i = 0; i < some.size(); ++i) EXPECT_EQ(some[i], lent.copies.columns[j][100 + i]);
  }
}

TEST(Column, AViewOfManyRowsIsAViewAgainAndOfFewACopy) {
  const Lent lent = lend(random_rows({.row_count = 400}, 3), 4);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 300; ++i) rows.push_back((7 * i) % 400);
  for (const std::size_t count : {300, 20}) {
    const std::span<const std::size_t> taken(rows.data(), count);
    const Dataset views = subset(lent.views, taken);
    const Dataset copies = subset(lent.copies, taken);
    for (std::size_t j = 0; j < views.attribute_count(); ++j) {
      EXPECT_EQ(views.columns[j].is_view(), count == 300);
      EXPECT_EQ(views.columns[j], copies.columns[j]);
    }
  }
}

TEST(Column, WhoeverChangesAViewGetsACopy) {
  Lent lent = lend(random_rows({.row_count = 20}, 5), 6);
  const std::vector<char> before = lent.bytes;
  lent.views.columns[0][3] = 42;
  EXPECT_FALSE(lent.views.columns[0].is_view());
  EXPECT_EQ(lent.views.columns[0][3], 42);
  EXPECT_EQ(lent.views.columns[0][4], lent.copies.columns[0][4]);
  EXPECT_EQ(lent.bytes, before);
}

TEST(Column, TrainingOnViewsGivesTheSameBitsAsOnCopies) {
  const Lent lent = lend(random_rows({.row_count = 150, .missing_share = 0.1}, 7), 8);
  for (const PairChoice pairs : {PairChoice::all, PairChoice::automatic}) {
    TrainOptions options;
    options.terms.pairs = pairs;
    options.recipe().max_epochs = 10;
    EXPECT_EQ(model_to_json(train(lent.views, options).model), model_to_json(train(lent.copies, options).model));
  }
}

// A float has 24 bits, so a fraction is off by at most 2^-25, and what an attribute says of a row by as much of it.
constexpr double fraction_tolerance = 3.1e-8;
// Each of 5,000 rows adds at most a few units to an entry of the gradient, off by a few fractions.
constexpr double gradient_tolerance = 5000 * 10 * fraction_tolerance;

TEST(Fractions, FloatsMoveScoresAndGradientsByAsMuchAsTheyAreOff) {
  const Dataset data = random_rows({.row_count = 5000, .numeric_count = 4, .categorical_count = 1}, 9);
  const Encoder encoder = fit_encoder(data);
  const EncodedRows wide = encode(encoder, data);
  EncodedRows narrow = detail::make_rows(encoder, data.row_count(), true);
  detail::encode_range(encoder, data, {0, data.row_count()}, narrow, 0, nullptr);
  EXPECT_EQ(narrow.coordinates, wide.coordinates);
  for (std::size_t cell = 0; cell < wide.fractions.size(); ++cell) {
    ASSERT_NEAR(narrow.fractions[cell], wide.fractions[cell], fraction_tolerance);
  }
  for (const int factor_count : {0, 4, 40}) {
    detail::Random random(10);
    const std::size_t count = encoder.coordinate_count();
    Parameters parameters{std::vector<double>(count), factor_count,
                          std::vector<double>(count * static_cast<std::size_t>(factor_count))};
    for (double& u : parameters.increments) u = random.normal();
    for (double& v : parameters.factors) v = 0.1 * random.normal();
    const std::vector<double> exact = detail::score_rows(encoder, parameters, wide);
    const std::vector<double> rounded = detail::score_rows(encoder, parameters, narrow);
    const auto [least, greatest] = std::minmax_element(exact.begin(), exact.end());
    for (std::size_t i = 0; i < exact.size(); ++i) {
      ASSERT_NEAR(rounded[i], exact[i], 10 * fraction_tolerance * (*greatest - *least));
    }
    EXPECT_NE(rounded, exact);  // they are floats
    const auto gradient = [&](const EncodedRows& rows) {
      detail::ScoreTable table(encoder, factor_count);
      table.load(parameters.increments, parameters.factors);
      std::vector<double> slopes(count + parameters.factors.size());
      table.gradient(rows, std::vector<double>(rows.row_count, 1.0), std::span(slopes).first(count),
                     std::span(slopes).subspan(count));
      return slopes;
    };
    const std::vector<double> slopes = gradient(wide);
    const std::vector<double> near = gradient(narrow);
    for (std::size_t n = 0; n < slopes.size(); ++n) ASSERT_NEAR(near[n], slopes[n], gradient_tolerance);
  }
}

TEST(Fractions, ManyCellsAreFloatsAndPredictionsNever) {
  const Dataset data = random_rows({.row_count = 110'000, .numeric_count = 36}, 11);
  const Encoder encoder = fit_encoder(data);
  const EncodedRows rows = encode(encoder, data);
  bool is_narrow = false;
  rows.fractions.visit([&](const auto* fractions) { is_narrow = sizeof *fractions == sizeof(float); });
  EXPECT_TRUE(is_narrow);
  detail::encode_rows(encoder, data, {0, 100}).fractions.visit([&](const auto* fractions) {
    is_narrow = sizeof *fractions == sizeof(float);
  });
  EXPECT_FALSE(is_narrow);
}

}  // namespace
}  // namespace xofm
