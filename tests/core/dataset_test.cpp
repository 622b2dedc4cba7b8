#include "xofm/dataset.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "xofm/error.hpp"

namespace xofm {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

// Rows 0 .. n-1 with attribute "x" = row number and the given labels of three classes.
Dataset rows_with(std::vector<int> labels) {
  Dataset data;
  data.schema.attributes.resize(1);
  data.schema.attributes[0].name = "x";
  data.schema.label_name = "y";
  data.schema.class_names = {"low", "mid", "high"};
  data.columns.resize(1);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    data.columns[0].push_back(static_cast<double>(i));
    data.weights.push_back(1.0 + static_cast<double>(i));
  }
  data.labels = std::move(labels);
  return data;
}

std::string refusal(const Dataset& data) {
  try {
    check(data);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_data);
    return error.what();
  }
  return "no error";
}

TEST(Subset, TakesTheRowsInTheGivenOrder) {
  const Dataset part = subset(rows_with({0, 1, 2, 0}), std::vector<std::size_t>{3, 1, 1});
  EXPECT_EQ(part.columns[0], (std::vector<double>{3, 1, 1}));
  EXPECT_EQ(part.labels, (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(part.weights, (std::vector<double>{4, 2, 2}));
  EXPECT_EQ(part.schema.class_names.size(), 3U);
}

TEST(Subset, ARowThatDoesNotExistIsRefused) {
  EXPECT_THROW(subset(rows_with({0, 1}), std::vector<std::size_t>{2}), Error);
}

TEST(Split, KeepsTheClassSharesAndLosesNoRow) {
  std::vector<int> labels;
  for (int i = 0; i < 1000; ++i) labels.push_back(i % 10 < 6 ? 0 : i % 10 < 9 ? 1 : 2);
  const Dataset data = rows_with(labels);
  const Split parts = split_rows(data, {.test_share = 0.2, .seed = 7});
  EXPECT_EQ(parts.holdout.size(), 200U);
  std::vector<int> counts(3);
  for (const std::size_t row : parts.holdout) ++counts[static_cast<std::size_t>(labels[row])];
  EXPECT_EQ(counts, (std::vector<int>{120, 60, 20}));
  std::vector<std::size_t> all = parts.learning;
  all.insert(all.end(), parts.holdout.begin(), parts.holdout.end());
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i);
  EXPECT_TRUE(std::is_sorted(parts.learning.begin(), parts.learning.end()));
  EXPECT_TRUE(std::is_sorted(parts.holdout.begin(), parts.holdout.end()));
}

TEST(Split, TheSameSeedGivesTheSameRowsAndAnotherSeedOthers) {
  const Dataset data = rows_with(std::vector<int>(100, 1));
  EXPECT_EQ(split_rows(data, {.seed = 3}).holdout, split_rows(data, {.seed = 3}).holdout);
  EXPECT_NE(split_rows(data, {.seed = 3}).holdout, split_rows(data, {.seed = 4}).holdout);
}

TEST(Split, BothPartsHaveRowsWhereverTwoRowsExist) {
  for (const double share : {0.001, 0.5, 0.999}) {
    for (std::size_t n = 2; n < 12; ++n) {
      const Split parts = split_rows(rows_with(std::vector<int>(n, 0)), {.test_share = share});
      EXPECT_FALSE(parts.learning.empty());
      EXPECT_FALSE(parts.holdout.empty());
      EXPECT_EQ(parts.learning.size() + parts.holdout.size(), n);
    }
  }
  EXPECT_EQ(split_rows(rows_with({0})).learning.size(), 1U);
}

TEST(Split, AClassWithOneRowStaysInTheLearningPartIfOthersCanFillTheHoldout) {
  const Split parts = split_rows(rows_with({0, 0, 0, 0, 1, 1, 1, 1, 2}), {.test_share = 0.4});
  EXPECT_TRUE(std::binary_search(parts.learning.begin(), parts.learning.end(), 8U));
  // Three classes of one row each: some class must go.
  EXPECT_EQ(split_rows(rows_with({0, 1, 2}), {.test_share = 0.4}).holdout.size(), 1U);
}

TEST(Split, UnlabelledRowsAreSplitAsOneGroup) {
  Dataset data = rows_with(std::vector<int>(10, 0));
  data.labels.clear();
  const auto [learning, holdout] = split(data, {.test_share = 0.3});
  EXPECT_EQ(learning.row_count(), 7U);
  EXPECT_EQ(holdout.row_count(), 3U);
  EXPECT_TRUE(holdout.labels.empty());
}

TEST(Split, ATestShareOutsideZeroToOneIsRefused) {
  const Dataset data = rows_with({0, 1});
  for (const double share : {0.0, 1.0, -0.5, missing}) {
    EXPECT_THROW(split_rows(data, {.test_share = share}), Error) << share;
  }
}

TEST(Check, SoundDataPass) {
  Dataset data = rows_with({0, 1, 2});
  data.columns[0][1] = missing;
  EXPECT_NO_THROW(check(data));
}

TEST(Check, AnInfiniteValueIsNamedWithItsAttributeAndRow) {
  Dataset data = rows_with({0, 1, 2});
  data.columns[0][1] = -infinity;
  EXPECT_EQ(refusal(data),
            "attribute \"x\" is -inf in row 1 (counted from 0); values must be finite, or NaN for missing");
}

TEST(Check, ALabelOutsideTheClassesIsNamed) {
  EXPECT_EQ(refusal(rows_with({0, 3})), "the label of row 1 (counted from 0) is 3; with 3 classes it must be in 0..2");
  EXPECT_NE(refusal(rows_with({-1, 0})).find("row 0"), std::string::npos);
}

TEST(Check, AWeightThatIsNegativeOrNotFiniteIsNamed) {
  for (const double weight : {-1.0, infinity, missing}) {
    Dataset data = rows_with({0, 1});
    data.weights[1] = weight;
    EXPECT_NE(refusal(data).find("the weight of row 1"), std::string::npos);
  }
}

TEST(Check, PartsOfDifferentSizeAreRefused) {
  Dataset data = rows_with({0, 1});
  data.weights.push_back(1);
  EXPECT_EQ(refusal(data), "3 weights for 2 rows");
  data = rows_with({0, 1});
  data.labels.push_back(1);
  EXPECT_EQ(refusal(data), "3 labels for 2 rows");
  data = rows_with({0, 1});
  data.columns.emplace_back();
  EXPECT_EQ(refusal(data), "2 columns for the 1 attributes of the schema");
  data.schema.attributes.emplace_back().name = "z";
  EXPECT_EQ(refusal(data), "attribute \"z\" has 0 rows, but \"x\" has 2");
}

TEST(Check, ALevelCodeMustBeOneOfTheLevelsUnseenOrMissing) {
  Dataset data = rows_with({0, 1, 2});
  data.schema.attributes[0].kind = AttributeKind::categorical;
  data.schema.attributes[0].levels = {"a", "b"};
  data.columns[0] = {unseen_level, 1, missing};
  EXPECT_NO_THROW(check(data));
  for (const double code : {2.0, 0.5, -2.0}) {
    data.columns[0][0] = code;
    EXPECT_NE(refusal(data).find("level code"), std::string::npos);
  }
}

}  // namespace
}  // namespace xofm
