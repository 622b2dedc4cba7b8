#include "xofm/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/explained_model.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/generate.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

using test_support::ExplainedModel;
using test_support::motley_model;

constexpr double rounding = 1e-9;

// Rows that differ from the first one in up to two attributes, to read curves and surfaces off the contributions.
double attribute_part(const Model& model, Dataset row, std::size_t attribute, double value) {
  row.columns[attribute][0] = value;
  return explain(model, row, 0).attributes[attribute];
}

double pair_part(const Model& model, Dataset row, std::size_t a, double x, std::size_t b, double y) {
  row.columns[a][0] = x;
  row.columns[b][0] = y;
  for (const PairContribution& pair : explain(model, row, 0).pairs) {
    if (pair.first == std::min(a, b) && pair.second == std::max(a, b)) return pair.value;
  }
  return NAN;
}

TEST(Compare, AModelDoesNotDifferFromItself) {
  const ExplainedModel m = motley_model(3);
  const ModelComparison same = compare(m.model, m.model);
  ASSERT_EQ(same.attributes.size(), m.model.schema.attributes.size());
  for (std::size_t j = 0; j < same.attributes.size(); ++j) {
    const AttributeComparison& attribute = same.attributes[j];
    EXPECT_TRUE(attribute.comparable);
    EXPECT_EQ(attribute.greatest_difference, 0);
    EXPECT_EQ(attribute.first_curve, purified_curve(m.model, j).values);
    EXPECT_EQ(attribute.first_missing, purified_curve(m.model, j).missing);
    if (*attribute.first_range > 0) {
      EXPECT_NEAR(attribute.correlation, 1, rounding);
    }
  }
  ASSERT_EQ(same.pairs.size(), same.attributes.size() * (same.attributes.size() - 1) / 2);
  for (const PairComparison& pair : same.pairs) {
    EXPECT_EQ(pair.greatest_difference, 0);
    EXPECT_EQ(pair.first_range, pair.second_range);
  }
}

TEST(Compare, DifferencesAreThoseOfTheContributionsAtAnyValue) {
  // The twin: contributions of rows with the values of a fine grid. No grid point may differ by more, and some must
  // come near, as the greatest difference lies at a knot or level.
  const ExplainedModel a = motley_model(1, 60);
  const ExplainedModel b = motley_model(2, 50);
  const ModelComparison comparison = compare(a.model, b.model);
  const std::size_t count = a.data.attribute_count();
  const Dataset row = subset(a.data, std::vector<std::size_t>{0});
  std::vector<std::vector<double>> values(count);
  for (std::size_t j = 0; j < count; ++j) {
    const AttributeComparison& attribute = comparison.attributes[j];
    values[j] = attribute.knots;
    for (std::size_t i = 0; i + 1 < attribute.knots.size(); ++i) {
      values[j].push_back((attribute.knots[i] + attribute.knots[i + 1]) / 2);
    }
    for (std::size_t level = 0; level < attribute.levels.size(); ++level) {
      values[j].push_back(static_cast<double>(level));
    }
    for (const double special : a.model.encoder.attributes[j].special) values[j].push_back(special);
    if (attribute.first_missing) values[j].push_back(NAN);
    double greatest = 0;
    for (const double x : values[j]) {
      greatest = std::max(greatest, std::abs(attribute_part(a.model, row, j, x) - attribute_part(b.model, row, j, x)));
    }
    EXPECT_NEAR(attribute.greatest_difference, greatest, rounding);
  }
  std::size_t p = 0;
  for (std::size_t x = 0; x < count; ++x) {
    for (std::size_t y = x + 1; y < count; ++y, ++p) {
      double greatest = 0;
      for (const double s : values[x]) {
        for (const double t : values[y]) {
          greatest =
              std::max(greatest, std::abs(pair_part(a.model, row, x, s, y, t) - pair_part(b.model, row, x, s, y, t)));
        }
      }
      EXPECT_NEAR(comparison.pairs[p].greatest_difference, greatest, rounding);
      EXPECT_EQ(comparison.pairs[p].first_name, comparison.attributes[x].name);
    }
  }
}

TEST(Compare, LevelsAreMatchedByTextAndAttributesByName) {
  const Dataset data = generate({.row_count = 200, .attribute_count = 3, .class_count = 3, .categorical_count = 1});
  const Model first = train(data, {.parts = {{.max_epochs = 20}}}).model;
  // The same model with its attributes and levels in another order.
  Dataset turned = data;
  std::swap(turned.columns[0], turned.columns[2]);
  std::swap(turned.schema.attributes[0], turned.schema.attributes[2]);
  std::reverse(turned.schema.attributes[0].levels.begin(), turned.schema.attributes[0].levels.end());
  for (double& code : turned.columns[0]) code = 3 - code;
  Model second = train(turned, {.parts = {{.factor_count = 0, .max_epochs = 20}}}).model;
  const Model plain = train(data, {.parts = {{.factor_count = 0, .max_epochs = 20}}}).model;
  for (const AttributeComparison& attribute : compare(plain, second).attributes) {
    EXPECT_TRUE(attribute.comparable);
    EXPECT_GT(attribute.correlation, 0.999);
    EXPECT_LT(attribute.greatest_difference, 0.05);  // sums in another order, stopped at the tolerance of training
  }
  EXPECT_EQ(compare(plain, second).pairs.size(), 3U);
  EXPECT_EQ(compare(first, second).pairs[0].second_range, 0);
}

TEST(Compare, AttributesOfOneModelOnlyAreListed) {
  const Dataset data = generate({.row_count = 100, .attribute_count = 4, .class_count = 3});
  Dataset fewer = data;
  fewer.columns.erase(fewer.columns.begin());
  fewer.schema.attributes.erase(fewer.schema.attributes.begin());
  fewer.schema.attributes[0].name = "other";
  fewer.schema.attributes[2].kind = AttributeKind::categorical;
  fewer.schema.attributes[2].levels = {"only"};
  fewer.columns[2].assign(100, 0.0);
  const Model a = train(data, {.parts = {{.max_epochs = 5}}}).model;
  const Model b = train(fewer, {.parts = {{.max_epochs = 5}}}).model;
  const ModelComparison comparison = compare(a, b);
  ASSERT_EQ(comparison.attributes.size(), 5U);
  EXPECT_FALSE(comparison.attributes[0].second_range);
  EXPECT_FALSE(comparison.attributes[0].comparable);
  EXPECT_TRUE(comparison.attributes[2].comparable);
  EXPECT_TRUE(comparison.attributes[3].second_range);  // a number here, a category there
  EXPECT_FALSE(comparison.attributes[3].comparable);
  EXPECT_EQ(comparison.attributes[4].name, "other");
  EXPECT_FALSE(comparison.attributes[4].first_range);
  EXPECT_TRUE(comparison.pairs.empty());
}

TEST(Compare, ClassChangesAreThoseOfThePredictions) {
  const Dataset data = generate({.row_count = 150, .attribute_count = 4, .class_count = 4, .noise = 0.5});
  const Model a = train(data, {.parts = {{.max_epochs = 40}}}).model;
  const Model b = train(data, {.parts = {{.factor_count = 0, .increment_penalty = 0.5, .max_epochs = 40}}}).model;
  const ClassChanges changes = class_changes(a, data, b, data);
  const std::vector<int> first = a.predict(data).classes;
  const std::vector<int> second = b.predict(data).classes;
  std::size_t next = 0;
  std::size_t agreeing = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] == second[i]) {
      ++agreeing;
      continue;
    }
    ASSERT_LT(next, changes.rows.size());
    EXPECT_EQ(changes.rows[next].row, i);
    EXPECT_EQ(changes.rows[next].first_label, first[i]);
    EXPECT_EQ(changes.rows[next].second_label, second[i]);
    ++next;
  }
  EXPECT_GT(next, 0U);
  EXPECT_EQ(next, changes.rows.size());
  std::size_t diagonal = 0;
  for (std::size_t h = 0; h < 4; ++h) diagonal += changes.table[h][h];
  EXPECT_EQ(diagonal, agreeing);
}

TEST(Compare, DifferentClassesOrRowsAreRefused) {
  const Dataset data = generate({.row_count = 60, .attribute_count = 2, .class_count = 3});
  const Model a = train(data, {.parts = {{.max_epochs = 3}}}).model;
  Model b = a;
  EXPECT_THROW(class_changes(a, data, b, subset(data, std::vector<std::size_t>{1})), Error);
  b.schema.class_names[1] = "two";
  EXPECT_THROW(class_changes(a, data, b, data), Error);
}

}  // namespace
}  // namespace xofm
