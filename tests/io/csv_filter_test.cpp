#include "io/csv_filter.hpp"

#include <gtest/gtest.h>

#include "xofm/error.hpp"

namespace xofm::detail {
namespace {

using Rows = std::vector<std::size_t>;

constexpr const char* text = "name,age,note\nAnn,30,\n\"Bo, B\",30.0,NA\nAnn,3e1,x\nann,31,\n";

Rows rows(const std::vector<Condition>& conditions) { return rows_where(text, "t.csv", '\0', conditions, "--where"); }

TEST(CsvFilter, TextsMustBeEqual) {
  EXPECT_EQ(rows({{"name", "Ann"}}), Rows({0, 2}));
  EXPECT_EQ(rows({{"name", "Bo, B"}}), Rows({1}));
  EXPECT_EQ(rows({{"name", "An"}}), Rows());
}

TEST(CsvFilter, ANumberMeansEverySpellingOfIt) {
  EXPECT_EQ(rows({{"age", "30"}}), Rows({0, 1, 2}));
  EXPECT_EQ(rows({{"age", "31.00"}}), Rows({3}));
}

TEST(CsvFilter, AnEmptyValueFindsEmptyCellsAndTokensAreTexts) {
  EXPECT_EQ(rows({{"note", ""}}), Rows({0, 3}));
  EXPECT_EQ(rows({{"note", "NA"}}), Rows({1}));
}

TEST(CsvFilter, AllConditionsMustHold) {
  EXPECT_EQ(rows({{"age", "30"}, {"name", "Ann"}}), Rows({0, 2}));
  EXPECT_EQ(rows({{"age", "30"}, {"name", "Ann"}, {"note", "x"}}), Rows({2}));
  EXPECT_EQ(rows({{"age", "31"}, {"name", "Ann"}}), Rows());
  EXPECT_EQ(rows({}), Rows({0, 1, 2, 3}));
}

TEST(CsvFilter, AColumnThatThereIsNotIsRefused) { EXPECT_THROW(rows({{"Age", "30"}}), Error); }

}  // namespace
}  // namespace xofm::detail
