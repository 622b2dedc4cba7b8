// How files are written: decimal commas, thousands, encodings. What is certain is found, what is not is asked for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/random.hpp"
#include "io/csv_encoding.hpp"
#include "io/csv_format.hpp"
#include "io/csv_read.hpp"
#include "io/csv_text.hpp"
#include "support/temporary_folder.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {
namespace {

constexpr NumberFormat comma = {.comma = true, .grouped = true};
constexpr NumberFormat point = {.grouped = true};

double number(std::string_view cell, const NumberFormat& format) {
  double value = 0;
  EXPECT_EQ(read_number(cell, format, value), CellKind::number) << cell;
  return value;
}

bool is_text(std::string_view cell, const NumberFormat& format) {
  double value = 0;
  return read_number(cell, format, value) == CellKind::text;
}

Dataset rows(const std::string& text, const CsvOptions& options = {}) {
  return read_training_text(text, "t.csv", options);
}

std::string problem(const std::string& text, const CsvOptions& options = {}) {
  try {
    rows(text, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CsvDialect, NumbersWithACommaAndGroups) {
  EXPECT_EQ(number("1,5", comma), 1.5);
  EXPECT_EQ(number("-1.234.567,25", comma), -1234567.25);
  EXPECT_EQ(number("1.234", comma), 1234);
  EXPECT_EQ(number(",5", comma), 0.5);
  EXPECT_EQ(number("7,", comma), 7);
  EXPECT_EQ(number("+12 345,5", comma), 12345.5);
  EXPECT_EQ(number("12\xC2\xA0"
                   "345",
                   comma),
            12345);
  EXPECT_EQ(number("12\xE2\x80\xAF"
                   "345",
                   point),
            12345);
  EXPECT_EQ(number("1'234.5", point), 1234.5);
  EXPECT_EQ(number("1,234,567.5", point), 1234567.5);
  EXPECT_EQ(number("1e-5", comma), 1e-5);
  for (const char* const cell : {"1.5", "1.23,4", "1.2345", "12.34.567", "1,2,3", ",", "-", "1.234,5.6", "1 23", ""}) {
    EXPECT_TRUE(is_text(cell, comma)) << cell;
  }
  for (const char* const cell : {"1,5", "12,34", "1,234.567,8", "1'23", "0x12"}) {
    EXPECT_TRUE(is_text(cell, point)) << cell;
  }
}

// The slow twin writes numbers out and reads them back.
TEST(CsvDialect, WhatIsWrittenInAFormatIsReadBack) {
  Random random(3);
  for (int round = 0; round < 2000; ++round) {
    const auto whole = static_cast<long long>(random.below(random.below(2) == 0 ? 1000 : 1'000'000'000));
    const auto part = random.below(1000);
    std::string digits = std::to_string(whole);
    const char group = "., '"[random.below(4)];
    const bool is_comma = group == '.' || (group != ',' && random.below(2) == 0);
    for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, group);
    const std::string cell = fmt::format("{}{}{:03}", digits, is_comma ? ',' : '.', part);
    EXPECT_DOUBLE_EQ(number(cell, is_comma ? comma : point),
                     static_cast<double>(whole) + static_cast<double>(part) / 1000)
        << cell;
  }
}

TEST(CsvDialect, ACommaIsFoundWhereItIsCertain) {
  const Dataset german = rows("a;b;y\n1,5;x;1\n2.500,25;z;2\n3;x;2\n");
  EXPECT_EQ(german.columns[0], (std::vector<double>{1.5, 2500.25, 3}));
  EXPECT_TRUE(german.schema.decimal_comma);
  ASSERT_EQ(german.remarks.size(), 1U);
  // One column tells how the others are written.
  EXPECT_EQ(rows("a;b;y\n1,5;1.234;1\n2,5;2.345;2\n").columns[1], (std::vector<double>{1234, 2345}));
  EXPECT_EQ(rows("a;b;y\n1.234.567;1;1\n2.345.678;2;2\n").columns[0], (std::vector<double>{1234567, 2345678}));
  // And in a file with commas between the cells, in quotes.
  EXPECT_EQ(rows("a,y\n\"1,5\",1\n\"2,75\",2\n").columns[0], (std::vector<double>{1.5, 2.75}));
}

TEST(CsvDialect, PointsStayPointsAndThousandsAreRead) {
  EXPECT_EQ(rows("a;b;y\n1.5;1.234;1\n2.5;2.345;2\n").columns[1], (std::vector<double>{1.234, 2.345}));
  EXPECT_EQ(rows("a;y\n1.234;1\n2.345;2\n").columns[0], (std::vector<double>{1.234, 2.345}));
  EXPECT_EQ(rows("a;b;y\n1,234.5;2;1\n2,345;3;2\n").columns[0], (std::vector<double>{1234.5, 2345}));
  EXPECT_EQ(rows("a;b;y\n1 234;2;1\n12 345;3;2\n").columns[0], (std::vector<double>{1234, 12345}));
}

TEST(CsvDialect, WhatIsOpenIsAskedFor) {
  EXPECT_EQ(
      problem("a;y\n1,234;1\n2,345;2\n"),
      "t.csv: \"1,234\" (line 2, column \"a\") may be a number of thousands or have a decimal comma, and nothing in "
      "the file tells; say which: --decimal . (thousands) or --decimal , (a decimal comma)");
  EXPECT_EQ(rows("a;y\n1,234;1\n2,345;2\n", {.decimal = ','}).columns[0], (std::vector<double>{1.234, 2.345}));
  EXPECT_EQ(rows("a;y\n1,234;1\n2,345;2\n", {.decimal = '.'}).columns[0], (std::vector<double>{1234, 2345}));
  EXPECT_EQ(
      problem("a;b;y\n1,5;1.5;1\n2,5;2.5;2\n"),
      "t.csv: \"1,5\" (line 2, column \"a\") has a decimal comma and \"1.5\" (line 2, column \"b\") a decimal point; "
      "write all numbers in one way, or say which it is with --decimal , or --decimal .");
  EXPECT_NE(problem("a;y\n1;1\n2;2\n", {.decimal = 'x'}).find("a point or a comma"), std::string::npos);
}

TEST(CsvDialect, TextsAndDatesSayNothingOfNumbers) {
  const Dataset data = rows("a;v;y\n1.5;1,5 to 2;1\n2.5;1,7 to 3;2\n3.5;1,5 to 2;2\n");
  EXPECT_EQ(data.columns[0], (std::vector<double>{1.5, 2.5, 3.5}));
  EXPECT_EQ(data.schema.attributes[1].kind, AttributeKind::categorical);
  EXPECT_FALSE(rows("d;a;y\n31.12.2024;1.5;1\n30.12.2024;2.5;2\n").schema.decimal_comma);
}

TEST(CsvDialect, ACommaThatComesLateIsNamedWithTheRemedy) {
  std::string text = "a;y\n";
  for (int i = 0; i < 60000; ++i) text += fmt::format("{};{}\n", i % 100, i % 2 + 1);
  text += "1,5;1\n";
  EXPECT_EQ(
      problem(text),
      "t.csv, line 60002, column \"a\": \"1,5\" is not a number as long as the file has decimal points; if commas "
      "are meant, add --decimal ,, but 60000 of the 60001 values are; fix the cell, or add it to the missing values "
      "with --missing");
}

std::string letters(std::uint32_t letter, bool big_endian) {
  const auto unit = [&](std::uint32_t u) {
    const std::string high(1, static_cast<char>(u >> 8));
    const std::string low(1, static_cast<char>(u & 0xFF));
    return big_endian ? high + low : low + high;
  };
  if (letter < 0x10000) return unit(letter);
  return unit(0xD800 + ((letter - 0x10000) >> 10)) + unit(0xDC00 + ((letter - 0x10000) & 0x3FF));
}

TEST(CsvDialect, EveryPieceOfUtf16IsDecodedAlike) {
  for (const bool big_endian : {false, true}) {
    std::string wide = letters(0xFEFF, big_endian);
    for (const std::uint32_t letter : {0x41U, 0xE9U, 0x20ACU, 0x1F600U, 0x0AU}) wide += letters(letter, big_endian);
    const std::string expected = "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\n";
    for (std::size_t size = 2; size < wide.size(); ++size) {
      Decoder decoder(Encoding::automatic, "t.csv");
      ASSERT_TRUE(decoder.changes(wide.substr(0, size)));
      std::string out;
      for (std::size_t at = 0; at < wide.size(); at += size) {
        decoder.append(std::string_view(wide).substr(at, size), at + size >= wide.size(), out);
      }
      EXPECT_EQ(out, expected) << size;
    }
    bool is_changed = false;
    EXPECT_THROW(decoded(wide.substr(0, wide.size() - 1), Encoding::automatic, "t.csv", is_changed), Error);
    EXPECT_THROW(decoded(wide.substr(0, 10), Encoding::automatic, "t.csv", is_changed), Error);  // half a letter
  }
}

TEST(CsvDialect, WindowsAndLatinDifferInTheirSecondThird) {
  bool is_changed = false;
  EXPECT_EQ(decoded("\x80 \xE9", Encoding::cp1252, "t", is_changed), "\xE2\x82\xAC \xC3\xA9");
  EXPECT_EQ(decoded("\x80 \xE9", Encoding::latin1, "t", is_changed), "\xC2\x80 \xC3\xA9");
  EXPECT_THROW(decoded("a\x81", Encoding::cp1252, "t", is_changed), Error);
  EXPECT_EQ(decoded("a\xC3\xA9", Encoding::automatic, "t", is_changed), "");
  EXPECT_FALSE(is_changed);
}

TEST(CsvDialect, StreamsAreDecodedWhateverTheChunk) {
  testing::TemporaryFolder folder;
  std::string text = "a;b;y\n";
  for (int i = 0; i < 50; ++i)
    text += fmt::format("{},5;{};{}\n", i, i % 2 == 0 ? "\xC3\xA9" : "\xF0\x9F\x98\x80", i % 2 + 1);
  std::string wide = letters(0xFEFF, false);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == 0xC3) wide += letters(0xE9, false);
    if (byte == 0xF0) wide += letters(0x1F600, false);
    if (byte < 0x80) wide += letters(byte, false);
  }
  folder.file("wide.csv", wide);
  const Dataset whole = read_csv(folder.path("wide.csv"));
  ASSERT_EQ(whole.row_count(), 50U);
  EXPECT_EQ(whole.schema.attributes[1].levels, (std::vector<std::string>{"\xC3\xA9", "\xF0\x9F\x98\x80"}));
  for (const std::size_t chunk_bytes : {1U, 7U, 64U, 100000U}) {
    CsvReader reader(folder.path("wide.csv"), whole.schema, {.read_labels = true, .chunk_bytes = chunk_bytes});
    std::vector<double> first;
    for (Dataset chunk; reader.next(chunk);)
      first.insert(first.end(), chunk.columns[0].begin(), chunk.columns[0].end());
    EXPECT_EQ(first, whole.columns[0]) << chunk_bytes;
  }
}

TEST(CsvDialect, CarriedColumnsAreTheTextsOfTheirRows) {
  testing::TemporaryFolder folder;
  std::string text = "id,a,y\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("\"r,{}\",{:.2f},{}\n", i, i / 4.0, i % 2 + 1);
  folder.file("t.csv", text);
  const Dataset whole = read_csv(folder.path("t.csv"), {.id = "id"});
  EXPECT_EQ(whole.ids[3], "r,3");
  for (const std::size_t chunk_bytes : {1U, 50U, 100000U}) {
    CsvReader reader(folder.path("t.csv"), whole.schema,
                     {.chunk_bytes = chunk_bytes, .carry = {"a"}, .carry_all = true});
    Dataset chunk;
    CarriedColumns carried;
    std::size_t row = 0;
    while (reader.next(chunk, carried)) {
      ASSERT_EQ(carried.names, (std::vector<std::string>{"a", "id", "y"}));
      for (std::size_t i = 0; i < chunk.row_count(); ++i, ++row) {
        EXPECT_EQ(carried.cells[0][i], fmt::format("{:.2f}", static_cast<double>(row) / 4));
        EXPECT_EQ(carried.cells[1][i], whole.ids[row]);
        EXPECT_EQ(chunk.columns[0][i], whole.columns[0][row]);
      }
    }
    EXPECT_EQ(row, 40U);
  }
}

}  // namespace
}  // namespace xofm::detail
