#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/score/score_table.hpp"
#include "support/dense_model.hpp"
#include "support/random_rows.hpp"
#include "xofm/error.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

using test_support::random_rows;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

const Model& model() {
  // Attributes n0, n1, t0 (0 .. 3), k0 (levels a b c); none missing in training.
  static const Model trained = [] {
    TrainOptions options;
    options.recipe().max_epochs = 30;
    return train(random_rows({.row_count = 80, .categorical_count = 1}, 61), options).model;
  }();
  return trained;
}

TEST(Predict, UnusualValuesAreNotedWithTheirRowAndAttribute) {
  Dataset rows = random_rows({.row_count = 80, .categorical_count = 1}, 61);  // the training rows: nothing unusual
  EXPECT_TRUE(model().predict(rows).notes.empty());
  rows.columns[0][3] = 1e6;
  rows.columns[2][3] = -1;
  rows.columns[1][5] = missing;
  rows.columns[3][5] = missing;
  rows.columns[3][7] = unseen_level;
  const auto predictions = model().predict(rows);
  ASSERT_EQ(predictions.notes.size(), 5U);
  const auto expect = [&](std::size_t i, std::size_t row, std::size_t attribute, ValueNote note) {
    EXPECT_EQ(predictions.notes[i].row, row);
    EXPECT_EQ(predictions.notes[i].attribute, attribute);
    EXPECT_EQ(predictions.notes[i].note, note);
  };
  expect(0, 3, 0, ValueNote::above_range);
  expect(1, 3, 2, ValueNote::below_range);
  expect(2, 5, 1, ValueNote::unexpected_missing);
  expect(3, 5, 3, ValueNote::unexpected_missing);
  expect(4, 7, 3, ValueNote::new_level);
}

TEST(Predict, AValueOutsideTheRangeScoresLikeTheEndOfTheRange) {
  Dataset rows = random_rows({.row_count = 10, .categorical_count = 1}, 62);
  const auto& knots = model().encoder.attributes[0].knots;
  for (double& value : rows.columns[0]) value = knots.back();
  const auto at_end = model().score(rows);
  for (double& value : rows.columns[0]) value = knots.back() + 100;
  EXPECT_EQ(model().score(rows), at_end);
}

TEST(Predict, ANewLevelContributesNothing) {
  Dataset rows = random_rows({.row_count = 10, .categorical_count = 1}, 63);
  for (double& value : rows.columns[3]) value = unseen_level;
  const auto scores = model().score(rows);
  for (std::size_t i = 0; i < 10; ++i) {
    const auto phi = test_support::dense_phi(model().encoder, rows, i);
    for (std::size_t n = model().encoder.offsets[3]; n < phi.size(); ++n) EXPECT_EQ(phi[n], 0);
    EXPECT_NEAR(scores[i], test_support::dense_score(model().parameters, phi), 1e-12) << "rounding of scores near 1";
  }
}

TEST(Predict, EveryPartOfAPredictionFitsTheOthers) {
  for (const AssignmentRule rule : {AssignmentRule::support, AssignmentRule::threshold, AssignmentRule::probability}) {
    Model other = model();
    other.assignment.options.rule = rule;
    const Dataset rows = random_rows({.row_count = 3000, .categorical_count = 1}, 64);
    const auto predictions = other.predict(rows);
    EXPECT_EQ(predictions.scores, other.score(rows));
    ASSERT_EQ(predictions.class_count, 4);
    ASSERT_EQ(predictions.row_count(), 3000U);
    const Assigner assigner(other.assignment);
    std::vector<double> support(4), probabilities(4);
    for (std::size_t i = 0; i < 3000; ++i) {
      const auto row = assigner.assign(predictions.scores[i], support, probabilities);
      EXPECT_EQ(predictions.classes[i], row.label);
      EXPECT_EQ(predictions.intervals[i].lowest, row.interval.lowest);
      EXPECT_EQ(predictions.intervals[i].highest, row.interval.highest);
      for (std::size_t h = 0; h < 4; ++h) {
        EXPECT_EQ(predictions.support[i * 4 + h], support[h]);
        EXPECT_EQ(predictions.probabilities[i * 4 + h], probabilities[h]);
      }
    }
  }
}

TEST(Predict, NoRowsGiveNoPredictions) {
  const Dataset none = subset(random_rows({.categorical_count = 1}, 65), {});
  const auto predictions = model().predict(none);
  EXPECT_EQ(predictions.row_count(), 0U);
  EXPECT_TRUE(predictions.notes.empty());
}

TEST(Predict, RowsOfAnotherWidthAreRefused) {
  EXPECT_THROW(model().predict(random_rows({.row_count = 5}, 66)), Error);
  EXPECT_THROW(model().score(random_rows({.row_count = 5}, 66)), Error);
}

}  // namespace
}  // namespace xofm
