// Records and cells against the slow twin, with blocks so small that their borders fall everywhere.
#include "io/csv_records.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "core/base/random.hpp"
#include "io/csv_parse.hpp"
#include "support/slow_csv.hpp"
#include "xofm/error.hpp"
#include "xofm/threads.hpp"

namespace xofm::detail {
namespace {

using Rows = std::vector<std::vector<std::string>>;

struct Outcome {
  std::optional<Rows> rows;
  std::string error;
};

// Every cell of every row, by the fast reader.
Outcome fast_rows(std::string_view body, char separator, std::size_t column_count, std::size_t block_bytes) {
  Header header;
  header.names.resize(column_count);
  header.separator = separator;
  try {
    const Table table(body, header, "text", 2, block_bytes);
    std::vector<std::vector<int>> codes(column_count, std::vector<int>(table.row_count()));
    std::vector<ColumnTask> tasks(column_count);
    for (std::size_t j = 0; j < column_count; ++j) {
      tasks[j] = {.role = ColumnTask::Role::text, .codes = codes[j].data(), .keeps_missing = true};
    }
    parse_columns(table, tasks, MissingTokens({}));
    Rows rows(table.row_count(), std::vector<std::string>(column_count));
    for (std::size_t j = 0; j < column_count; ++j) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i][j] = tasks[j].levels[static_cast<std::size_t>(codes[j][i])].text;
        EXPECT_EQ(table.place(i, j).cell, rows[i][j]);
      }
    }
    return {rows, ""};
  } catch (const Error& error) {
    return {std::nullopt, error.what()};
  }
}

std::optional<Rows> slow_rows(std::string_view body, char separator, std::size_t column_count) {
  try {
    return testing::slow_records(body, separator, column_count);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

// Both agree, and the blocks do not matter, not even for the message.
void compare(const std::string& body, char separator, std::size_t column_count) {
  const auto expected = slow_rows(body, separator, column_count);
  const Outcome whole = fast_rows(body, separator, column_count, body.size() + 1);
  ASSERT_EQ(whole.rows, expected) << shown(body) << " " << whole.error;
  for (const std::size_t block_bytes : {1, 2, 3, 7, 20}) {
    const Outcome parts = fast_rows(body, separator, column_count, block_bytes);
    ASSERT_EQ(parts.rows, whole.rows) << shown(body) << " in blocks of " << block_bytes;
    ASSERT_EQ(parts.error, whole.error) << shown(body) << " in blocks of " << block_bytes;
  }
}

TEST(Records, WellFormedRandomTextsAgreeWithTheSlowTwin) {
  const ThreadLimit one(1);  // many tiny texts: starting threads would take most of the time
  Random random(1);
  const std::vector<std::string> contents = {"",         "1",  "-2.5", "abc", "a b",   "say \"hi\"", "two\nlines",
                                             "x,y;z\tw", "\"", "\r\n", "NA",  " pad ", "\n\n",       "\xC3\xA9"};
  for (int round = 0; round < 3000; ++round) {
    const char separator = ",;\t"[random.below(3)];
    const std::size_t column_count = 1 + random.below(4);
    const std::size_t row_count = random.below(12);
    const std::string line_end = random.below(2) == 0 ? "\n" : "\r\n";
    std::string body;
    for (std::size_t i = 0; i < row_count; ++i) {
      for (std::size_t j = 0; j < column_count; ++j) {
        const std::string& content = contents[random.below(contents.size())];
        if (j > 0) body += separator;
        if (random.below(4) == 0) body += ' ';
        if (random.below(3) == 0 || content.find_first_of("\",;\t\r\n ") != std::string::npos) {
          body += '"';
          for (const char c : content) body += c == '"' ? std::string("\"\"") : std::string(1, c);
          body += '"';
        } else {
          body += content;
        }
        if (random.below(4) == 0) body += "  ";
      }
      if (i + 1 < row_count || random.below(2) == 0) body += line_end;
      if (random.below(8) == 0) body += line_end;
    }
    compare(body, separator, column_count);
    if (HasFatalFailure()) return;
  }
}

TEST(Records, RandomCharactersAgreeWithTheSlowTwinEvenWhereMalformed) {
  const ThreadLimit one(1);
  Random random(2);
  const std::string_view alphabet = "a1\"\"\",,\n\n\r \t";
  std::size_t well_formed = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string body;
    const std::size_t size = random.below(24);
    for (std::size_t i = 0; i < size; ++i) body += alphabet[random.below(alphabet.size())];
    const char separator = random.below(4) == 0 ? '\t' : ',';
    const std::size_t column_count = 1 + random.below(2);
    well_formed += slow_rows(body, separator, column_count).has_value() ? 1 : 0;
    compare(body, separator, column_count);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(well_formed, 1000U);  // else the test shows little
}

TEST(Records, QuotesHideSeparatorsLineEndsAndDoubledQuotes) {
  EXPECT_EQ(fast_rows("\"a,b\",\"c\nd\"\r\n\"e \"\"f\"\"\", g ", ',', 2, 1).rows,
            (Rows{{"a,b", "c\nd"}, {"e \"f\"", "g"}}));
}

TEST(Records, BlankLinesAreSkippedUnlessRowsHaveOneCell) {
  EXPECT_EQ(fast_rows("1,2\n\n \r\n3,4\n\n\n", ',', 2, 1).rows, (Rows{{"1", "2"}, {"3", "4"}}));
  EXPECT_EQ(fast_rows("1\n\n2\n\n \n", ',', 1, 1).rows, (Rows{{"1"}, {""}, {"2"}}));
}

TEST(Records, TabsAreCellsOfATabSeparatedFile) {
  EXPECT_EQ(fast_rows("1\t\n\t\n", '\t', 2, 1).rows, (Rows{{"1", ""}, {"", ""}}));
}

TEST(Records, ErrorsNameThePhysicalLineAlsoAfterQuotedLineEnds) {
  const std::string body = "\"a\nb\nc\",1\nx,2\nx,y,z\n";  // the header is line 1, the ragged row line 6
  for (const std::size_t block_bytes : {1, 4, 1000}) {
    EXPECT_EQ(fast_rows(body, ',', 2, block_bytes).error, "text, line 6: 3 cells, but the header has 2");
  }
  EXPECT_EQ(fast_rows("1,2\n1\n", ',', 2, 1).error, "text, line 3: 1 cell, but the header has 2");
}

TEST(Records, TheFirstOfSeveralErrorsIsReported) {
  std::string body;
  for (int i = 0; i < 100; ++i) body += i < 40 ? "1,2\n" : "1,2,3\n";
  EXPECT_EQ(fast_rows(body, ',', 2, 8).error, "text, line 42: 3 cells, but the header has 2");
}

TEST(Records, AStrayQuoteIsReportedWhereItStandsAndNotWhereTheFileEnds) {
  EXPECT_EQ(fast_rows("a,b\n5\" pipe,c\n\"x\",y\nz,w\n", ',', 2, 1).error,
            "text, line 3: a quote in the middle of the cell \"5\" pipe\"; put the whole cell in quotes and double the "
            "quotes inside it");
  EXPECT_EQ(fast_rows("a,b\nc,\"d\ne,f\n", ',', 2, 1).error, "text, line 3: a quote opens here that is never closed");
  EXPECT_EQ(fast_rows("a,\"b\"c\n", ',', 2, 1).error,
            "text, line 2: text after the closing quote of a cell; double the quotes inside a quoted cell");
}

TEST(Records, ANulByteIsRefusedWithItsLine) {
  EXPECT_EQ(fast_rows(std::string_view("a,b\nc,\0\n", 8), ',', 2, 1).error,
            "text, line 3: a NUL byte; CSV is text: if the file is UTF-16, save it as UTF-8");
}

}  // namespace
}  // namespace xofm::detail
