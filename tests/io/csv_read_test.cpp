#include "io/csv_read.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/random.hpp"
#include "support/temporary_folder.hpp"
#include "xofm/csv.hpp"
#include "xofm/error.hpp"
#include "xofm/threads.hpp"

namespace xofm {
namespace {

Dataset read(std::string_view text, const CsvOptions& options = {}, std::size_t block_bytes = 1) {
  return detail::read_training_text(text, "text", options, block_bytes);
}

Dataset read_new(std::string_view text, const Schema& schema, const CsvReaderOptions& options = {}) {
  return detail::read_text_by_schema(text, "text", schema, options, 1);
}

std::vector<std::string> names(const Dataset& data) {
  std::vector<std::string> result;
  for (const auto& attribute : data.schema.attributes) result.push_back(attribute.name);
  return result;
}

// Equal to the bit, so that NaN equals NaN.
void expect_same(const Dataset& a, const Dataset& b) {
  ASSERT_EQ(a.columns.size(), b.columns.size());
  for (std::size_t j = 0; j < a.columns.size(); ++j) {
    ASSERT_EQ(a.columns[j].size(), b.columns[j].size());
    const auto same = [](double x, double y) {
      return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
    };
    EXPECT_TRUE(std::equal(a.columns[j].begin(), a.columns[j].end(), b.columns[j].begin(), same));
    EXPECT_EQ(a.schema.attributes[j].levels, b.schema.attributes[j].levels);
  }
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.schema.class_names, b.schema.class_names);
}

TEST(ReadCsv, NumbersTextsAndLabelsGetTheirTypes) {
  const Dataset data = read("age,city,risk\n41,Rome,2\n?,Oslo,1\n+3.5e1, Rome ,10\n");
  EXPECT_EQ(names(data), (std::vector<std::string>{"age", "city"}));
  EXPECT_EQ(data.schema.attributes[0].kind, AttributeKind::numeric);
  EXPECT_EQ(data.columns[0][0], 41);
  EXPECT_TRUE(std::isnan(data.columns[0][1]));
  EXPECT_EQ(data.columns[0][2], 35);
  EXPECT_EQ(data.schema.attributes[1].kind, AttributeKind::categorical);
  EXPECT_EQ(data.schema.attributes[1].levels, (std::vector<std::string>{"Oslo", "Rome"}));
  EXPECT_EQ(data.columns[1], (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(data.schema.label_name, "risk");
  EXPECT_EQ(data.schema.class_names, (std::vector<std::string>{"1", "2", "10"}));  // not "1", "10", "2"
  EXPECT_EQ(data.labels, (std::vector<int>{1, 0, 2}));
  EXPECT_TRUE(data.weights.empty());
}

TEST(ReadCsv, RowsOfWeightZeroAreAsIfTheyWereAbsent) {
  const std::string counting =
      "5,left,3,1,red,1,0,1,1\n"
      "7,left,3,2,blue,0,1,2,1\n"
      "7,left,3,4,red,0,1,10,1\n";
  // Alone in these rows: a value that differs, a level, no 1 or two among the columns of 0 and 1, a class.
  const std::string absent =
      "6,right,4,3,green,0,0,3,0\n"
      "5,left,?,?,green,1,1,1,0\n";
  const std::string header = "number,side,same,row,colour,kind_a,kind_b,y,w\n";
  const CsvOptions options{.label = "y", .weight = "w", .categorical = {"side"}};
  const Dataset wanted = read(header + counting, options);
  const Dataset data = read(header + counting + absent, options);
  EXPECT_EQ(names(data), names(wanted));
  EXPECT_EQ(names(data), (std::vector<std::string>{"number", "side", "row", "colour", "kind"}));
  EXPECT_EQ(data.remarks, wanted.remarks);
  EXPECT_EQ(data.schema.class_names, (std::vector<std::string>{"1", "2", "10"}));
  EXPECT_EQ(data.row_count(), 5U);  // splits and folds name rows of the file
  for (std::size_t j = 0; j < wanted.attribute_count(); ++j) {
    EXPECT_EQ(data.schema.attributes[j].levels, wanted.schema.attributes[j].levels) << j;
    EXPECT_EQ(std::vector(data.columns[j].begin(), data.columns[j].begin() + 3), wanted.columns[j]) << j;
  }
  EXPECT_EQ(data.columns[3], (std::vector<double>{1, 0, 1, unseen_level, unseen_level}));
  check(data);
  // A cell that cannot be read is an error in any row, and a column that was asked for needs a value that counts.
  EXPECT_THROW(read("a,y,w\n1,1,1\n2,2,1\n?,x,0\n", {.label = "y", .weight = "w"}), Error);
  EXPECT_THROW(read("a,b,y,w\n1,?,1,1\n2,?,2,1\n2,1,2,0\n", {.label = "y", .weight = "w", .use = {"a", "b"}}), Error);
  EXPECT_THROW(read("a,y,w\n1,1,1\n2,1,1\n3,2,0\n", {.label = "y", .weight = "w"}), Error);
}

TEST(ReadCsv, ByteOrderMarkCarriageReturnsAndAMissingLastLineEndAreFine) {
  const Dataset plain = read("a,y\n1,1\n2,2\n");
  expect_same(read("\xEF\xBB\xBF"
                   "a,y\r\n1,1\r\n2,2"),
              plain);
  EXPECT_EQ(names(read("\xEF\xBB\xBF"
                       "\"a\",y\n1,1\n2,2")),
            names(plain));
}

TEST(ReadCsv, TheSeparatorIsDetectedFromTheHeaderOrGiven) {
  const Dataset plain = read("a,b,y\n1,2,1\n3,4,2\n");
  expect_same(read("a;b;y\n1;2;1\n3;4;2\n"), plain);
  expect_same(read("a\tb\ty\n1\t2\t1\n3\t4\t2\n"), plain);
  EXPECT_EQ(names(read("\"a,b,c\";d;y\n1;2;1\n3;4;2\n")), (std::vector<std::string>{"a,b,c", "d"}));
  EXPECT_EQ(names(read("a,b,c;y\n1;1\n2;2\n", {.separator = ';'})), (std::vector<std::string>{"a,b,c"}));
}

TEST(ReadCsv, LabelWeightUseAndIgnoreChooseColumns) {
  const std::string text = "a,y,w,b,c\n1,1,0.5,3,x\n2,2,2,4,y\n";
  Dataset data = read(text, {.label = "y", .weight = "w", .ignore = {"c"}});
  EXPECT_EQ(names(data), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(data.weights, (std::vector<double>{0.5, 2}));
  EXPECT_EQ(data.labels, (std::vector<int>{0, 1}));
  data = read(text, {.label = "y", .use = {"b"}});
  EXPECT_EQ(names(data), (std::vector<std::string>{"b"}));
  // By default the label is the last column that is neither ignored nor the weight.
  data = read("a,y,w,c\n1,1,1,x\n2,2,1,y\n", {.weight = "w", .ignore = {"c"}});
  EXPECT_EQ(data.schema.label_name, "y");
}

TEST(ReadCsv, TypesCanBeOverridden) {
  const Dataset data = read("zip,y\n20,1\n9,2\n100,1\n9,2\n", {.categorical = {"zip"}});
  EXPECT_EQ(data.schema.attributes[0].levels, (std::vector<std::string>{"9", "20", "100"}));  // numeric order
  EXPECT_EQ(data.columns[0], (std::vector<double>{1, 0, 2, 0}));
}

TEST(ReadCsv, MostlyTextWithSomeNumbersIsCategorical) {
  const Dataset data = read("size,y\nL,1\n42,2\nM,1\n");
  EXPECT_EQ(data.schema.attributes[0].levels, (std::vector<std::string>{"42", "L", "M"}));
}

TEST(ReadCsv, ATextColumnThatStartsWithMissingCellsIsStillFound) {
  // The first text comes after the part of the file that is looked at first.
  std::string text = "a,b,y\n";
  for (int i = 0; i < 60000; ++i) text += "NA,1,1\n";
  for (int i = 0; i < 5000; ++i) text += i % 2 == 0 ? "red,1,2\n" : "blue,1,1\n";
  const Dataset data = read(text, {}, 4096);
  EXPECT_EQ(data.schema.attributes[0].levels, (std::vector<std::string>{"blue", "red"}));
  EXPECT_TRUE(std::isnan(data.columns[0][59999]));
  EXPECT_EQ(data.columns[0][60000], 1);
  EXPECT_EQ(data.columns[0].back(), 0);
}

TEST(ReadCsv, TheListOfMissingTokensCanBeReplaced) {
  const Dataset data = read("a,b,y\n-999,?,1\n1,x,2\n-999.0,?,1\n", {.missing = {"-999"}});
  EXPECT_TRUE(std::isnan(data.columns[0][0]));
  EXPECT_TRUE(std::isnan(data.columns[0][2]));
  EXPECT_EQ(data.schema.attributes[1].levels, (std::vector<std::string>{"?", "x"}));
  EXPECT_EQ(data.schema.missing_tokens, (std::vector<std::string>{"-999"}));
}

TEST(ReadCsv, QuotedNumbersAndQuotedMissingTokensAreWhatTheySay) {
  const Dataset data = read("a,y\n\"1.5\",\"1\"\n\"NA\",2\n\"\",1\n");
  EXPECT_EQ(data.columns[0][0], 1.5);
  EXPECT_TRUE(std::isnan(data.columns[0][1]));
  EXPECT_TRUE(std::isnan(data.columns[0][2]));
}

TEST(ReadCsv, SpellingsOfOneNumberAreOneClass) {
  const Dataset data = read("a,y\n1,1.0\n2,1\n3,-0\n4,0\n5,2.50\n");
  EXPECT_EQ(data.schema.class_names, (std::vector<std::string>{"0", "1", "2.5"}));
  EXPECT_EQ(data.labels, (std::vector<int>{1, 1, 0, 0, 2}));
}

TEST(ReadCsv, TextLabelsFollowTheGivenOrderAndAbsentClassesStay) {
  const Dataset data = read("a,y\n1,high\n2,low\n", {.classes = {"low", "medium", "high"}});
  EXPECT_EQ(data.labels, (std::vector<int>{2, 0}));
  EXPECT_EQ(data.schema.class_names, (std::vector<std::string>{"low", "medium", "high"}));
  // Numbers in an order of their own, in another spelling.
  EXPECT_EQ(read("a,y\n1,1.0\n2,2\n", {.classes = {"2", "1"}}).labels, (std::vector<int>{1, 0}));
}

TEST(ReadCsv, AClassMayBeNamedLikeAMissingToken) {
  EXPECT_EQ(read("a,y\n1,NA\n2,x\n", {.classes = {"NA", "x"}}).labels, (std::vector<int>{0, 1}));
}

// Random typed tables; what is expected is computed from the cells themselves.
TEST(ReadCsv, RandomTablesAreReadAsTheirCellsSayForAnyBlocksAndThreads) {
  detail::Random random(5);
  for (int round = 0; round < 200; ++round) {
    const std::size_t row_count = 5 + random.below(40);
    const std::string line_end = random.below(2) == 0 ? "\n" : "\r\n";
    std::string text = "x,c,y" + line_end;
    std::vector<double> x;
    std::vector<std::string> c;
    std::vector<int> y;
    for (std::size_t i = 0; i < row_count; ++i) {
      x.push_back(random.below(5) == 0 && i > 0 ? std::nan("") : random.normal() * 1e3);
      c.push_back(random.below(5) == 0 && i > 0 ? ""
                                                : std::vector<std::string>{"a", "b,\n", "\"q\"", "d"}[random.below(4)]);
      y.push_back(i < 2 ? static_cast<int>(i) : static_cast<int>(random.below(2)));
      std::string quoted;
      for (const char k : c.back()) quoted += k == '"' ? std::string("\"\"") : std::string(1, k);
      text += (std::isnan(x[i]) ? std::string("NaN") : fmt::format("{}", x[i])) + ",\"" + quoted + "\"," +
              std::to_string(y[i]) + line_end;
    }
    const Dataset data = read(text, {}, 1 + random.below(30));
    for (std::size_t i = 0; i < row_count; ++i) {
      if (std::isnan(x[i])) {
        EXPECT_TRUE(std::isnan(data.columns[0][i]));
      } else {
        EXPECT_EQ(data.columns[0][i], x[i]);
      }
      if (c[i].empty()) {
        EXPECT_TRUE(std::isnan(data.columns[1][i]));
      } else {
        EXPECT_EQ(data.schema.attributes[1].levels[static_cast<std::size_t>(data.columns[1][i])], c[i]);
      }
    }
    EXPECT_TRUE(std::is_sorted(data.schema.attributes[1].levels.begin(), data.schema.attributes[1].levels.end()));
    EXPECT_EQ(data.labels, y);
    const ThreadLimit one(1);
    expect_same(read(text, {}, 1000000), data);
  }
}

TEST(ReadCsv, AMappedFileGivesTheSameRows) {
  const testing::TemporaryFolder folder;
  expect_same(read_csv(folder.file("a.csv", "a,y\n1,1\n2,2\n")), read("a,y\n1,1\n2,2\n"));
}

TEST(ReadBySchema, ColumnsAreMatchedByNameAndOthersSkipped) {
  const Schema schema = read("a,c,y\n1,u,1\n2,v,2\n3,u,3\n").schema;
  const Dataset data = read_new("z,c,\"a\"\nt,v,5\n\",\",w,NA\n,?,7\n", schema);
  EXPECT_EQ(data.columns[0][0], 5);
  EXPECT_TRUE(std::isnan(data.columns[0][1]));
  EXPECT_EQ(data.columns[1][0], 1);
  EXPECT_EQ(data.columns[1][1], unseen_level);
  EXPECT_TRUE(std::isnan(data.columns[1][2]));
  EXPECT_TRUE(data.labels.empty());
  EXPECT_EQ(names(data), (std::vector<std::string>{"a", "c"}));
}

TEST(ReadBySchema, LabelsAndWeightsAreReadIfAsked) {
  const Schema schema = read("a,y\n1,1\n2,2\n3,3\n").schema;
  const Dataset data = read_new("y,w,a\n3.0,2,1\n1,0,1\n", schema, {.read_labels = true, .weight = "w"});
  EXPECT_EQ(data.labels, (std::vector<int>{2, 0}));
  EXPECT_EQ(data.weights, (std::vector<double>{2, 0}));
}

TEST(ReadBySchema, AHeaderWithoutRowsGivesNoRows) {
  const Schema schema = read("a,y\n1,1\n2,2\n").schema;
  EXPECT_EQ(read_new("a\n", schema).row_count(), 0U);
}

TEST(ReadBySchema, ASingleColumnMayHaveEmptyCells) {
  const Schema schema = read("a,y\n1,1\n2,2\n").schema;
  const Dataset data = read_new("a\n1\n\n2\n\n", schema);
  ASSERT_EQ(data.row_count(), 3U);
  EXPECT_TRUE(std::isnan(data.columns[0][1]));
}

}  // namespace
}  // namespace xofm
