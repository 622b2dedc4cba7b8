#include "io/csv_number.hpp"

#include <gtest/gtest.h>

namespace xofm::detail {
namespace {

void expect_number(std::string_view cell, double expected) {
  double value = -12345;
  EXPECT_EQ(read_number(cell, value), CellKind::number) << cell;
  EXPECT_EQ(value, expected) << cell;
}

TEST(Number, PlainSignedAndBlankPaddedNumbersAreRead) {
  expect_number("1", 1);
  expect_number("-1.5e3", -1500);
  expect_number("+2.5", 2.5);
  expect_number(" \t7 ", 7);
  expect_number(".5", 0.5);
  expect_number("5.", 5);
  expect_number("0.1", 0.1);
}

TEST(Number, WhatIsTooSmallForADoubleIsZeroAndDenormalsStay) {
  expect_number("1e-400", 0);
  expect_number("-1e-400", 0);
  expect_number("0." + std::string(400, '0') + "1", 0);
  expect_number("123456e-9999999999999999999999", 0);
  expect_number("4e-324", 4.9406564584124654e-324);
}

TEST(Number, WhatIsTooLargeForADoubleIsInfinite) {
  double value = 0;
  for (const std::string cell :
       {"inf", "-inf", "+inf", "Infinity", "INF", "1e999", "-1e999", "1e99999999999999999999"}) {
    EXPECT_EQ(read_number(cell, value), CellKind::infinite) << cell;
  }
  EXPECT_EQ(read_number("1" + std::string(400, '0'), value), CellKind::infinite);
  EXPECT_EQ(read_number("0.001e999", value), CellKind::infinite);
}

TEST(Number, TextsAreNoNumbers) {
  double value = 0;
  for (const std::string cell :
       {"", " ", "-", "+", "+-1", "--1", ".", "1e", "1,5", "0x10", "1 2", "nan", "NaN", "abc"}) {
    EXPECT_EQ(read_number(cell, value), CellKind::text) << cell;
  }
}

TEST(MissingTokens, TextsMatchExactlyAndNumbersInEverySpelling) {
  const MissingTokens missing({"", "NA", "-999"});
  EXPECT_TRUE(missing.contains(std::string_view("")));
  EXPECT_TRUE(missing.contains("NA"));
  EXPECT_FALSE(missing.contains("na"));
  EXPECT_TRUE(missing.contains("-999.0"));
  EXPECT_TRUE(missing.contains(-999.0));
  EXPECT_FALSE(missing.contains(999.0));
  double value = 0;
  EXPECT_EQ(read_cell("-9.99e2", missing, value), CellKind::missing);
  EXPECT_EQ(read_cell("nan", missing, value), CellKind::text);
}

TEST(Utf8, OnlyWellFormedTextPasses) {
  for (const std::string text : {"", "abc", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xED\x9F\xBF"}) {
    EXPECT_TRUE(is_utf8(text)) << shown(text);
  }
  for (const std::string text : {"\xE9", "\xC3", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xFF",
                                 "a\x80", "\xE2\x82", "\xF0\x9F\x98"}) {
    EXPECT_FALSE(is_utf8(text)) << shown(text);
  }
}

TEST(Shown, ControlAndBrokenBytesAreEscapedAndLongCellsCut) {
  EXPECT_EQ(shown("caf\xE9\n\x01"), "\"caf\\xE9\\n\\x01\"");
  EXPECT_EQ(shown("\xC3\xA9"), "\"\xC3\xA9\"");
  EXPECT_LT(shown(std::string(1000, 'x')).size(), 70U);
}

}  // namespace
}  // namespace xofm::detail
