#include "xofm/generate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "xofm/error.hpp"
#include "xofm/threads.hpp"

namespace xofm {
namespace {

std::vector<double> row_of(const Dataset& data, std::size_t i) {
  std::vector<double> values;
  for (const auto& column : data.columns) values.push_back(column[i]);
  return values;
}

// NaN equals NaN here.
void expect_same(const Dataset& a, const Dataset& b) {
  ASSERT_EQ(a.labels, b.labels);
  ASSERT_EQ(a.columns.size(), b.columns.size());
  for (std::size_t j = 0; j < a.columns.size(); ++j) {
    ASSERT_EQ(a.columns[j].size(), b.columns[j].size());
    for (std::size_t i = 0; i < a.columns[j].size(); ++i) {
      const double x = a.columns[j][i], y = b.columns[j][i];
      ASSERT_TRUE(x == y || (std::isnan(x) && std::isnan(y))) << "x" << j + 1 << " of row " << i;
    }
  }
}

std::vector<double> shares_of(const Dataset& data) {
  std::vector<double> shares(data.schema.class_names.size(), 0);
  for (const int label : data.labels) shares[static_cast<std::size_t>(label)] += 1;
  for (double& share : shares) share /= static_cast<double>(data.labels.size());
  return shares;
}

void expect_refused(const GenerateOptions& options, const std::string& fragment) {
  try {
    Generator{options};
    ADD_FAILURE() << "no error; expected one about: " << fragment;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_option);
    EXPECT_NE(std::string(error.what()).find(fragment), std::string::npos) << error.what();
  }
}

TEST(Generate, TheDataAreAsDescribed) {
  const Dataset data = generate({.row_count = 300, .attribute_count = 6, .class_count = 3, .categorical_count = 2});
  EXPECT_EQ(data.row_count(), 300U);
  ASSERT_EQ(data.attribute_count(), 6U);
  EXPECT_EQ(data.schema.class_names, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(data.schema.label_name, "class");
  EXPECT_EQ(data.schema.attributes[0].name, "x1");
  EXPECT_EQ(data.schema.attributes[3].kind, AttributeKind::numeric);
  EXPECT_EQ(data.schema.attributes[4].kind, AttributeKind::categorical);
  EXPECT_EQ(data.schema.attributes[5].levels, (std::vector<std::string>{"a", "b", "c", "d"}));
  for (const double code : data.columns[5]) EXPECT_TRUE(code == 0 || code == 1 || code == 2 || code == 3);
}

TEST(Generate, BlocksOfAnySizeOnAnyNumberOfThreadsGiveTheSameRows) {
  const GenerateOptions options = {
      .row_count = 5000, .attribute_count = 9, .categorical_count = 1, .missing_share = 0.1, .seed = 42};
  const Dataset all = generate(options);
  const ThreadLimit one(1);
  const Generator again(options);
  expect_same(all, again.rows(0, 5000));
  Dataset pieces = again.rows(0, 0);
  for (std::size_t first = 0; first < 5000; first += 777) {
    const Dataset piece = again.rows(first, std::min<std::size_t>(777, 5000 - first));
    pieces.labels.insert(pieces.labels.end(), piece.labels.begin(), piece.labels.end());
    for (std::size_t j = 0; j < 9; ++j) {
      pieces.columns[j].append(piece.columns[j]);
    }
  }
  expect_same(all, pieces);
}

TEST(Generate, MoreRowsBeginWithTheSameRowsAndTheSameCuts) {
  const Generator few({.row_count = 10}), many({.row_count = 1000});
  EXPECT_EQ(few.cuts(), many.cuts());
  expect_same(few.rows(0, 10), many.rows(0, 10));
}

TEST(Generate, AnotherSeedGivesOtherRows) {
  EXPECT_NE(generate({.seed = 1}).columns[0], generate({.seed = 2}).columns[0]);
}

// Values computed once; they fail if a change makes old commands write other data.
TEST(Generate, TheFirstRowsStayTheSameFromVersionToVersion) {
  const Dataset data = generate({.row_count = 8, .attribute_count = 2, .class_count = 3, .seed = 7});
  EXPECT_EQ(data.columns[0],
            (std::vector<double>{0.495267, 0.474975, 0.610514, 0.884144, 0.138862, 0.243399, 0.991906, 0.490015}));
  EXPECT_EQ(data.labels, (std::vector<int>{2, 1, 2, 0, 1, 0, 2, 0}));
}

TEST(Generate, WithoutNoiseTheLabelIsTheClassOfTheTrueScore) {
  const Generator generator({.attribute_count = 12, .noise = 0, .categorical_count = 2});
  const Dataset data = generator.rows(0, 2000);
  for (std::size_t i = 0; i < 2000; ++i) {
    const double score = generator.true_score(row_of(data, i));
    int expected = 0;
    for (const double cut : generator.cuts()) expected += cut <= score;
    ASSERT_EQ(data.labels[i], expected);
  }
}

TEST(Generate, TheTrueScoreIsTheSumOfCurvesAndProducts) {
  const Generator generator({.attribute_count = 3,
                             .curves = {Curve::linear, Curve::falling, Curve::valley},
                             .weights = {1, 2, -3},
                             .products = std::vector<Product>{{0, 2, 0.5}}});
  // 0.25 + 2 * (1 - 0.5) - 3 * (2 * 0.75 - 1)^2 + 0.5 * 4 * (-0.25) * 0.25 = 0.25 + 1 - 0.75 - 0.125.
  EXPECT_NEAR(generator.true_score(std::vector<double>{0.25, 0.5, 0.75}), 0.375, 1e-15);
}

TEST(Generate, ClassSharesAreMetWithinSamplingError) {
  const std::size_t row_count = 40000;
  for (const std::vector<double>& wanted : {std::vector<double>{1, 1, 1, 1}, std::vector<double>{70, 5, 20, 5}}) {
    const Dataset data = generate({.row_count = row_count, .class_count = 4, .class_shares = wanted});
    const std::vector<double> shares = shares_of(data);
    double sum = 0;
    for (const double share : wanted) sum += share;
    for (std::size_t h = 0; h < 4; ++h) {
      const double p = wanted[h] / sum;
      // Five standard errors of the rows and of the pilot sample together.
      const double error = 5 * std::sqrt(p * (1 - p) * (1.0 / row_count + 1.0 / 65536));
      EXPECT_NEAR(shares[h], p, error) << "class " << h + 1;
    }
  }
}

TEST(Generate, NoiseIsRelativeToTheSpreadOfTheScore) {
  // One linear attribute: standard deviation 1/sqrt(12); the pilot's own error is below 0.5 %.
  const Generator generator({.attribute_count = 1, .noise = 0.5});
  EXPECT_NEAR(generator.noise_stddev(), 0.5 / std::sqrt(12.0), 0.005);
  EXPECT_EQ(Generator({.noise = 0}).noise_stddev(), 0);
}

TEST(Generate, NoiseChangesLabelsOnlyAndMissingCellsNothingElse) {
  const Dataset clean = generate({.noise = 0});
  const Dataset noisy = generate({.noise = 1});
  EXPECT_EQ(clean.columns, noisy.columns);
  EXPECT_NE(clean.labels, noisy.labels);
  const Dataset holed = generate({.row_count = 20000, .missing_share = 0.05});
  const Dataset whole = generate({.row_count = 20000});
  EXPECT_EQ(holed.labels, whole.labels);
  std::size_t missing = 0;
  for (std::size_t j = 0; j < 10; ++j) {
    for (std::size_t i = 0; i < 20000; ++i) {
      if (std::isnan(holed.columns[j][i])) {
        ++missing;
      } else {
        ASSERT_EQ(holed.columns[j][i], whole.columns[j][i]);
      }
    }
  }
  // Five binomial standard errors of 200,000 cells.
  EXPECT_NEAR(static_cast<double>(missing) / 200000, 0.05, 5 * std::sqrt(0.05 * 0.95 / 200000));
}

TEST(Generate, PureNoiseIsAllowed) {
  const Generator generator({.attribute_count = 1, .class_count = 2, .curves = {Curve::flat}, .noise = 1});
  EXPECT_EQ(generator.noise_stddev(), 1);
  EXPECT_NEAR(generator.cuts()[0], 0, 0.02);  // median of 65,536 normal numbers: standard error 0.005
}

TEST(Generate, AMissingValueCountsAsTheMeanOfItsCurve) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Generator generator({.attribute_count = 8, .categorical_count = 1});
  const Dataset data = generator.rows(0, 50000);
  for (int j = 0; j < 8; ++j) {
    double mean = 0;
    for (const double x : data.columns[static_cast<std::size_t>(j)]) mean += generator.curve(j, x) / 50000;
    // Curves have a standard deviation of at most 1/2: five standard errors are 0.011.
    EXPECT_NEAR(generator.curve(j, nan), mean, 0.011) << "x" << j + 1;
  }
  std::vector<double> values(8, 0.5);
  values[0] = nan;
  values[7] = unseen_level;
  EXPECT_TRUE(std::isfinite(generator.true_score(values)));
}

TEST(Generate, ScalesShowTheShareOfRowsBelowAValue) {
  const Generator generator({.attribute_count = 8});
  EXPECT_EQ(generator.scale(0), Scale::unit);
  EXPECT_EQ(generator.scale(3), Scale::unit);
  EXPECT_EQ(generator.scale(4), Scale::cubic);
  EXPECT_EQ(generator.scale(5), Scale::exponential);
  EXPECT_EQ(generator.scale(6), Scale::centred);
  EXPECT_NEAR(generator.share_below(4, 125), 0.5, 1e-12);
  EXPECT_NEAR(generator.share_below(5, std::sqrt(1000.0)), 0.5, 1e-12);
  EXPECT_NEAR(generator.share_below(6, 0), 0.5, 1e-12);
  for (int j = 0; j < 8; ++j) {
    EXPECT_EQ(generator.share_below(j, -1e9), 0);
    EXPECT_EQ(generator.share_below(j, 1e9), 1);
    const Dataset data = generator.rows(0, 20000);
    double below = 0;
    for (const double x : data.columns[static_cast<std::size_t>(j)]) below += generator.share_below(j, x) < 0.3;
    EXPECT_NEAR(below / 20000, 0.3, 5 * std::sqrt(0.3 * 0.7 / 20000)) << "x" << j + 1;
  }
}

TEST(Generate, ProductsHaveZeroMeanAlongEachAttribute) {
  const Generator generator({.attribute_count = 5,
                             .curves = std::vector<Curve>(5, Curve::flat),
                             .products = std::vector<Product>{{1, 4, 0.75}}});
  double greatest = 0;
  for (const double fixed : {0.0, 0.2, 0.5, 1.0}) {
    double total = 0;
    for (int k = 0; k <= 100; ++k) {
      const double t = k / 100.0;
      const double score = generator.true_score(std::vector<double>{0.9, fixed, 0.1, 0.2, 1000 * t * t * t});
      total += score;
      greatest = std::max(greatest, std::abs(score));
    }
    EXPECT_NEAR(total, 0, 1e-12);
  }
  EXPECT_NEAR(greatest, 0.75, 1e-12);
}

TEST(Generate, DefaultsAreFilledIn) {
  const GenerateOptions filled = Generator({.attribute_count = 10}).options();
  EXPECT_EQ(filled.curves[3], Curve::flat);
  EXPECT_EQ(filled.weights, std::vector<double>(10, 1.0));
  EXPECT_EQ(*filled.products, (std::vector<Product>{{0, 1, 1}, {2, 4, -0.5}, {5, 6, 0.5}}));
  EXPECT_EQ(filled.class_shares, std::vector<double>(5, 0.2));
  // With two numeric attributes left, one default product remains.
  EXPECT_EQ(Generator({.attribute_count = 5, .categorical_count = 3}).options().products->size(), 1U);
  EXPECT_TRUE(Generator({.attribute_count = 1}).options().products->empty());
  EXPECT_TRUE(Generator({.products = std::vector<Product>{}}).options().products->empty());
}

TEST(Generate, AValueNotAllowedIsNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refused({.row_count = 0}, "row_count is 0");
  expect_refused({.attribute_count = 0}, "attribute_count is 0");
  expect_refused({.class_count = 1}, "class_count is 1");
  expect_refused({.curves = {Curve::linear}}, "curves has 1 entries; it must have one per attribute (10)");
  expect_refused({.weights = {1, 2}}, "weights has 2 entries");
  expect_refused({.attribute_count = 1, .weights = {nan}}, "weight nan of attribute x1");
  expect_refused({.products = std::vector<Product>{{0, 10, 1}}}, "names x11; the numeric attributes are x1 to x10");
  expect_refused({.products = std::vector<Product>{{0, 9, 1}}, .categorical_count = 1}, "names x10");
  expect_refused({.products = std::vector<Product>{{2, 2, 1}}}, "x3*x3:1 names one attribute twice");
  expect_refused({.products = std::vector<Product>{{0, 1, nan}}}, "strength nan");
  expect_refused({.noise = -1}, "noise is -1");
  expect_refused({.noise = nan}, "noise is nan");
  expect_refused({.class_shares = {1, 2}}, "class_shares has 2 entries; it must have one per class (5)");
  expect_refused({.class_count = 2, .class_shares = {1, 0}}, "share 0 of class 2");
  expect_refused({.class_count = 2, .class_shares = {1e308, 1e308}}, "sum");
  expect_refused({.categorical_count = 11}, "categorical_count is 11; it must lie in 0..10");
  expect_refused({.missing_share = 1}, "missing_share is 1");
  expect_refused({.attribute_count = 1, .weights = {1e200}}, "overflows");
}

TEST(Generate, ScoresThatCannotBeCutIntoTheClassesAreRefused) {
  expect_refused({.attribute_count = 1, .class_count = 2, .curves = {Curve::flat}, .noise = 0}, "cannot be told apart");
  expect_refused({.attribute_count = 1, .class_count = 5, .noise = 0, .categorical_count = 1}, "cannot be told apart");
  expect_refused({.class_count = 3, .class_shares = {1, 1e-9, 1}}, "a share is below 1/65536");
  // Four equally frequent levels are just enough for four classes.
  const Dataset data = generate({.attribute_count = 1, .class_count = 4, .noise = 0, .categorical_count = 1});
  for (const double share : shares_of(data)) EXPECT_GT(share, 0.2);
}

TEST(Generate, RowsAndAttributesBeyondTheEndAreRefused) {
  const Generator generator({.attribute_count = 2});
  EXPECT_EQ(generator.rows(5000, 3).row_count(), 3U);  // beyond row_count: fresh rows
  EXPECT_THROW(generator.rows(std::numeric_limits<std::size_t>::max(), 2), Error);
  EXPECT_THROW(generator.rows(1, std::numeric_limits<std::size_t>::max()), Error);
  EXPECT_THROW(generator.curve(2, 0.5), Error);
  EXPECT_THROW(generator.scale(-1), Error);
  EXPECT_THROW(generator.true_score(std::vector<double>{1}), Error);
}

}  // namespace
}  // namespace xofm
