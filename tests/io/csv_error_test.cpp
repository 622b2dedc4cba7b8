// Bad input: each kind has its own test, and its message says where and what to do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/csv_read.hpp"
#include "support/temporary_folder.hpp"
#include "xofm/csv.hpp"
#include "xofm/error.hpp"

namespace xofm {
namespace {

template <class Read>
std::string message(ErrorCode code, Read read) {
  try {
    read();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "no error";
}

// The message for training rows, which must be the same however the text is cut into blocks.
std::string refusal(std::string_view text, const CsvOptions& options = {}, ErrorCode code = ErrorCode::invalid_data) {
  const auto with_blocks = [&](std::size_t block_bytes) {
    return message(code, [&] { detail::read_training_text(text, "t.csv", options, block_bytes); });
  };
  const std::string whole = with_blocks(1 << 20);
  if (text.size() < 1000) {
    for (const std::size_t block_bytes : {1, 5, 17}) EXPECT_EQ(with_blocks(block_bytes), whole);
  }
  return whole;
}

Schema schema_of(std::string_view text) { return detail::read_training_text(text, "t.csv", {}).schema; }

std::string refusal_by_schema(std::string_view text, const Schema& schema, const CsvReaderOptions& options = {}) {
  return message(ErrorCode::invalid_data, [&] { detail::read_text_by_schema(text, "t.csv", schema, options, 1); });
}

TEST(CsvError, AMissingFileIsNamedWithTheReason) {
  EXPECT_EQ(message(ErrorCode::io, [] { read_csv("/nowhere/x.csv"); }),
            "/nowhere/x.csv: cannot be opened: No such file or directory");
}

TEST(CsvError, AFolderIsNoFile) {
  EXPECT_EQ(message(ErrorCode::io, [] { read_csv("/tmp"); }), "/tmp: is a folder; give a CSV file");
}

TEST(CsvError, AnEmptyFile) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("empty.csv", "");
  EXPECT_EQ(message(ErrorCode::invalid_data, [&] { read_csv(path); }),
            path + ": is empty; a CSV file has a header and one line per row");
  EXPECT_EQ(refusal("\n\n"), "t.csv: is empty; a CSV file has a header and one line per row");
}

TEST(CsvError, AHeaderWithoutRows) {
  for (const std::string text : {"a,y", "a,y\n", "a,y\r\n\r\n"}) {
    EXPECT_EQ(refusal(text), "t.csv: there are no rows below the header");
  }
}

TEST(CsvError, ARaggedRow) {
  EXPECT_EQ(refusal("a,b,y\n1,2,1\n1,2\n"), "t.csv, line 3: 2 cells, but the header has 3");
  EXPECT_EQ(refusal("a,b,y\n1,2,1\n1,2,1,\n"), "t.csv, line 3: 4 cells, but the header has 3");
}

TEST(CsvError, ADuplicateOrEmptyNameInTheHeader) {
  EXPECT_EQ(refusal("a,b,a\n1,2,3\n"),
            "t.csv: line 1: the name \"a\" stands twice in the header, for columns 1 and 3; names must differ");
  EXPECT_EQ(refusal(",b,y\n1,2,3\n"),
            "t.csv: line 1: column 1 of 3 has no name; name every column (if these are row "
            "names, write the file without them)");
}

TEST(CsvError, AnAbsentLabelColumnListsTheColumnsAndSuggestsTheClosest) {
  EXPECT_EQ(refusal("age,Condition\n1,2\n", {.label = "condtion"}),
            "t.csv: the label column: there is no column \"condtion\"; did you mean \"Condition\"? The columns are "
            "\"age\", \"Condition\"");
  EXPECT_EQ(refusal("age,y\n1,2\n", {.label = "quality"}),
            "t.csv: the label column: there is no column \"quality\". The columns are \"age\", \"y\"");
}

TEST(CsvError, UnknownAndContradictoryColumnsInTheOptions) {
  const std::string text = "a,b,w,y\n1,2,1,1\n2,3,1,2\n";
  EXPECT_NE(refusal(text, {.use = {"q"}}).find("--use: there is no column \"q\""), std::string::npos);
  EXPECT_NE(refusal(text, {.ignore = {"q"}}).find("--ignore: there is no column \"q\""), std::string::npos);
  EXPECT_NE(refusal(text, {.numeric = {"q"}}).find("--numeric: there is no column \"q\""), std::string::npos);
  EXPECT_NE(refusal(text, {.categorical = {"q"}}).find("--categorical: there is no"), std::string::npos);
  EXPECT_NE(refusal(text, {.weight = "q"}).find("the weight column: there is no column \"q\""), std::string::npos);
  EXPECT_EQ(refusal(text, {.label = "y", .use = {"a", "y"}}),
            "t.csv: the label column \"y\" cannot be used as an attribute");
  EXPECT_NE(refusal(text, {.use = {"y"}}).find("name the label with --label"), std::string::npos);
  EXPECT_NE(refusal(text, {.weight = "w", .use = {"w"}}).find("the weight column \"w\""), std::string::npos);
  EXPECT_NE(refusal(text, {.label = "y", .ignore = {"y"}}).find("the label column \"y\" is ignored"),
            std::string::npos);
  EXPECT_NE(refusal(text, {.use = {"a"}, .ignore = {"a"}}).find("both used and ignored"), std::string::npos);
  EXPECT_NE(refusal(text, {.label = "w", .weight = "w"}).find("as label and as weight"), std::string::npos);
  EXPECT_NE(refusal(text, {.numeric = {"a"}, .categorical = {"a"}}).find("choose one"), std::string::npos);
  EXPECT_NE(refusal(text, {.categorical = {"y"}}).find("it is the label"), std::string::npos);
  EXPECT_NE(refusal("y\n1\n2\n").find("no attribute is left"), std::string::npos);
  EXPECT_NE(refusal("y\n1\n2\n", {.ignore = {"y"}}).find("no column is left for the label"), std::string::npos);
}

TEST(CsvError, ASeparatorThatIsNone) {
  EXPECT_EQ(refusal("a,y\n1,2\n", {.separator = '|'}, ErrorCode::invalid_option),
            "separator is \"|\"; it must be a comma, a semicolon or a tab");
}

TEST(CsvError, TextInANumericColumnSaysWhereAndHowToGoOn) {
  EXPECT_EQ(
      refusal("age,y\n1,1\n\"2\",2\nold,1\n"),
      "t.csv, line 4, column \"age\": \"old\" is not a number, but 2 of the 3 values are; fix the cell, or add it to "
      "the missing values with --missing");
  EXPECT_NE(refusal("age,y\n1,1\nnan,2\n3,1\n").find("line 3, column \"age\": \"nan\""), std::string::npos);
  EXPECT_EQ(
      refusal("age,y\nyoung,1\nold,2\n", {.numeric = {"age"}}),
      "t.csv, line 2, column \"age\": \"young\" is not a number, but the column is numeric; fix the cell or leave "
      "it empty");
}

TEST(CsvError, AColumnOfDecimalCommasIsNoError) {
  EXPECT_EQ(refusal("x;y\n1,5;1\n2,5;2\n3;1\n"), "no error");
  EXPECT_EQ(refusal("x;y\n1,5;1\n2,5;2\n", {.categorical = {"x"}}), "no error");
  EXPECT_EQ(refusal("x;y\na, b;1\nc;2\n1,5;2\n"), "no error");
}

TEST(CsvError, ALateTextInALongNumericColumnIsFoundToo) {
  std::string text = "age,y\n";
  for (int i = 0; i < 50000; ++i) text += i % 2 == 0 ? "12.5,1\n" : "13.5,2\n";
  EXPECT_NE(refusal(text + "old,1\n").find("line 50002, column \"age\": \"old\""), std::string::npos);
}

TEST(CsvError, InfinitiesAreNamedWithLineAndColumn) {
  for (const std::string cell : {"inf", "-Infinity", "1e999"}) {
    EXPECT_EQ(refusal("a,y\n1,1\n" + cell + ",2\n"),
              fmt::format("t.csv, line 3, column \"a\": the number \"{}\" is infinite; values must be finite: fix the "
                          "cell, or make it missing with --missing",
                          cell));
  }
}

TEST(CsvError, AnIdentifierIsNoAttribute) {
  std::string text = "id,y\n";
  for (int i = 0; i < 100; ++i) text += fmt::format("p{},{}\n", i, i % 2);
  EXPECT_EQ(
      refusal(text),
      "t.csv: no attribute is left: id is left out: it looks like an identifier: 100 different texts in 100 rows");
  EXPECT_EQ(refusal(text, {.categorical = {"id"}}), "no error");
}

TEST(CsvError, AnAllMissingColumn) {
  EXPECT_EQ(refusal("a,b,y\n1,NA,1\n2,,2\n"), "no error");
  EXPECT_EQ(refusal("a,b,y\n1,NA,1\n2,,2\n", {.numeric = {"b"}}),
            "t.csv: column \"b\" was asked for, but has no value in any row; leave it out");
}

std::vector<std::string> remarks(const std::string& text, const CsvOptions& options = {}) {
  return detail::read_training_text(text, "t.csv", options).remarks;
}

TEST(CsvError, ColumnsThatSayNothingLeaveWithARemark) {
  std::string text = "row,client_id,number,code,flag,x,y\n";
  for (int i = 0; i < 60; ++i) {
    text += fmt::format("{},{},{},A,{},{},{}\n", i + 1, 900 - i * 7, 900 - i * 7, i == 0 ? "" : "5", i % 5, i % 2);
  }
  EXPECT_EQ(remarks(text),
            (std::vector<std::string>{"row is left out: it looks like an identifier: 60 different whole numbers",
                                      "client_id is left out: it looks like an identifier: 60 different whole numbers",
                                      "code is left out: it is \"A\" in every row"}));
  EXPECT_TRUE(remarks(text, {.keep_useless = true}).empty());
  EXPECT_EQ(remarks(text, {.ignore = {"row"}, .numeric = {"client_id"}, .categorical = {"code"}}).size(), 0U);
  EXPECT_EQ(remarks("a,x,y\n7,1,1\n7,2,2\n7,3,2\n"), (std::vector<std::string>{"a is left out: it is 7 in every row"}));
}

TEST(CsvError, TextLabelsNeedTheirOrder) {
  EXPECT_EQ(refusal("a,y\n1,low\n2,high\n3,low\n"),
            "t.csv: the labels in column \"y\" are text (\"low\", \"high\") and their order is not known; give it, "
            "lowest class first: --classes low,high (put these in the right order)");
  std::string many = "a,y\n";
  for (int i = 0; i < 30; ++i) many += fmt::format("1,c{}\n", i);
  EXPECT_NE(refusal(many).find("... 30 in all"), std::string::npos);
  EXPECT_NE(refusal(many).find("--classes low,medium,high"), std::string::npos);
  EXPECT_NE(refusal("a,y\n1,1\n2,2\n3,x\n").find("line 4, column \"y\": the label \"x\" is text"), std::string::npos);
}

TEST(CsvError, LabelsThatAreMissingUnknownInfiniteOrAlike) {
  EXPECT_EQ(refusal("a,y\n1,1\n2,NA\n"),
            "t.csv, line 3, column \"y\": the label is missing; fill it in or remove the row");
  EXPECT_EQ(refusal("a,y\n1,lo\n2,\n", {.classes = {"lo", "hi"}}),
            "t.csv, line 3, column \"y\": the label is missing; fill it in or remove the row");
  EXPECT_EQ(refusal("a,y\n1,lo\n2,mid\n", {.classes = {"lo", "hi"}}),
            "t.csv, line 3, column \"y\": the label \"mid\" is not one of the classes \"lo\", \"hi\"");
  EXPECT_NE(refusal("a,y\n1,1\n2,inf\n").find("the label \"inf\" is infinite"), std::string::npos);
  EXPECT_EQ(refusal("a,y\n1,3\n2,3.0\n"),
            "t.csv: every row has the label \"3\" in column \"y\"; at least two classes are needed");
}

TEST(CsvError, ClassesMustBeAtLeastTwoAndDiffer) {
  EXPECT_NE(refusal("a,y\n1,1\n", {.classes = {"1"}}, ErrorCode::invalid_option).find("only \"1\""), std::string::npos);
  EXPECT_EQ(refusal("a,y\n1,1\n", {.classes = {"1", "1.0"}}, ErrorCode::invalid_option), "classes names \"1.0\" twice");
  EXPECT_EQ(refusal("a,y\n1,1\n", {.classes = {"1", ""}}, ErrorCode::invalid_option), "classes holds an empty name");
}

TEST(CsvError, AContinuousTargetIsNoLabel) {
  std::string text = "a,y\n";
  for (int i = 0; i < 101; ++i) text += fmt::format("1,{}.5\n", i);
  EXPECT_NE(refusal(text).find("has 101 different numbers, which looks like a measurement"), std::string::npos);
  EXPECT_NE(refusal(text).find("name the classes (255 at most) with --classes"), std::string::npos);
}

TEST(CsvError, AMissingHeaderIsSeenByItsNumbers) {
  EXPECT_EQ(
      refusal("5.1,3.5,1\n4.9,3,2\n"),
      "t.csv: line 1 has only numbers (\"5.1\", \"3.5\", \"1\"), so the header seems to be missing; put a line with "
      "the names of the columns above it. If these are the names, say which is the label: --label 1");
  EXPECT_EQ(refusal("1,2,3\n4.9,3,2\n1,1,1\n", {.label = "3"}), "no error");
  EXPECT_NE(refusal("NA,2,3\n4.9,3,2\n1,1,1\n").find("line 1 has only numbers"), std::string::npos);
}

TEST(CsvError, AMissingHeaderIsSeenByALabelInIt) {
  const std::string text = "5.1,red,good\n4.9,blue,bad\n4,red,good\n";
  EXPECT_EQ(refusal(text, {.classes = {"bad", "good"}}),
            "t.csv: line 1 (\"5.1\", \"red\", \"good\") ends in \"good\", which is a label of the rows too, so the "
            "header seems to be missing; put a line with the names of the columns above it. If these are the names, "
            "say which is the label: --label good");
  EXPECT_EQ(refusal(text, {.label = "good", .classes = {"bad", "good"}}), "no error");
  EXPECT_EQ(refusal("a,b,y\n4.9,blue,n\n4,red,y\n", {.classes = {"n", "y"}}), "no error");
}

TEST(CsvError, LabelsThatAreNoValueAreNotProposedAsClasses) {
  EXPECT_EQ(refusal("a,y\n1,nan\n2,nan\n"),
            "t.csv: every label in column \"y\" is \"nan\", which is no class; choose another column with --label");
}

TEST(CsvError, WeightsMustBeFiniteAndNotNegative) {
  const auto with = [](const std::string& weight) {
    return refusal("a,w,y\n1,1,1\n2," + weight + ",2\n", {.weight = "w"});
  };
  EXPECT_EQ(with("-1"),
            "t.csv, line 3, column \"w\": the weight \"-1\" is negative; a weight is a finite number, 0 or "
            "more");
  EXPECT_NE(with("inf").find("\"inf\" is infinite"), std::string::npos);
  EXPECT_NE(with("x").find("\"x\" is not a number"), std::string::npos);
  EXPECT_NE(with("").find("the weight is missing"), std::string::npos);
  EXPECT_EQ(refusal("a,w,y\n1,0,1\n2,0,2\n", {.weight = "w"}),
            "t.csv: every weight in column \"w\" is 0; at least one must be more");
}

TEST(CsvError, QuotesThatAreNotClosedOrMisplaced) {
  EXPECT_EQ(refusal("a,y\n1,1\n\"2,2\n3,1\n"), "t.csv, line 3: a quote opens here that is never closed");
  EXPECT_EQ(refusal("\"a,y\n1,1\n"), "t.csv: line 1: a quote opens here that is never closed");
  EXPECT_NE(refusal("a,y\n1\",1\n").find("line 2: a quote in the middle of the cell"), std::string::npos);
}

TEST(CsvError, NulBytes) {
  EXPECT_NE(refusal(std::string_view("a,y\n1,1\n\0,2\n", 12)).find("line 3: a NUL byte"), std::string::npos);
  EXPECT_NE(refusal(std::string_view("a,\0\n1,1\n", 8)).find("line 1: a NUL byte"), std::string::npos);
}

TEST(CsvError, TextThatIsNotUtf8) {
  EXPECT_EQ(refusal("caf\xE9,y\n1,1\n"),
            "t.csv: line 1: the name of column 1, \"caf\\xE9\", is not valid UTF-8; say how the file is written, "
            "--encoding cp1252 (Windows) or latin1, or save it as UTF-8");
  EXPECT_EQ(refusal("a,y\nx,1\ncaf\xE9,2\n"),
            "t.csv, line 3, column \"a\": \"caf\\xE9\" is not valid UTF-8; say how the file is written, --encoding "
            "cp1252 (Windows) or latin1, or save it as UTF-8");
  EXPECT_EQ(refusal("a,y\n1,x\n2,\xE9\n", {.classes = {"x", "y"}}),
            "t.csv, line 3, column \"y\": the label \"\\xE9\" is not valid UTF-8; say how the file is written, "
            "--encoding cp1252 (Windows) or latin1, or save it as UTF-8");
  EXPECT_EQ(refusal("\xFF\xFE"
                    "a"),
            "t.csv: is UTF-16 text; save it as UTF-8");
}

TEST(CsvError, OldMacLineEndsAndCompressedDataWithoutTheEnding) {
  EXPECT_NE(refusal("a,y\r1,2\r").find("a carriage return in the name"), std::string::npos);
  EXPECT_EQ(refusal("\x1f\x8b..."), "t.csv: is gzip data; give it a name that ends in .gz");
  EXPECT_EQ(refusal("\x28\xb5\x2f\xfd..."), "t.csv: is zstd data; give it a name that ends in .zst");
}

TEST(CsvError, AMillionColumnsInOneLineEndQuickly) {
  std::string header;
  std::string row;
  for (int j = 0; j < 1000000; ++j) {
    header += fmt::format("c{},", j);
    row += "1,";
  }
  // A quadratic search for duplicates or for the closest name would run into the time limit of the test.
  EXPECT_EQ(refusal(header + "y\n" + row + "1\n"),
            "t.csv: 1000000 attributes; at most 20000 can be used: choose them with --use, or check the separator");
  EXPECT_EQ(refusal("a,y\n" + row + "1\n"), "t.csv, line 2: 1000001 cells, but the header has 2");
  EXPECT_NE(refusal(header + "y\n" + row + "1\n", {.label = "grade"}).find("... (1000001 in all)"), std::string::npos);
}

TEST(CsvErrorBySchema, AbsentAttributesAreNamed) {
  const Schema schema = schema_of("age,income,y\n1,2,1\n2,3,2\n");
  EXPECT_EQ(
      refusal_by_schema("Age,y\n1,1\n", schema),
      "t.csv: the model needs columns that the file does not have: \"age\", \"income\"; did you mean \"Age\"? The "
      "columns are \"Age\", \"y\"");
}

TEST(CsvErrorBySchema, TextAndInfinitiesInANumericColumn) {
  const Schema schema = schema_of("age,y\n1,1\n2,2\n");
  EXPECT_EQ(refusal_by_schema("age\n1\nold\n", schema),
            "t.csv, line 3, column \"age\": \"old\" is not a number, but the "
            "column is numeric; fix the cell or leave it empty");
  EXPECT_NE(refusal_by_schema("age\n1e999\n", schema).find("line 2, column \"age\""), std::string::npos);
}

TEST(CsvErrorBySchema, LabelsMustBeThereAndKnown) {
  const Schema schema = schema_of("age,y\n1,1\n2,2\n");
  EXPECT_NE(refusal_by_schema("age\n1\n", schema, {.read_labels = true}).find("there is no column \"y\""),
            std::string::npos);
  EXPECT_EQ(refusal_by_schema("age,y\n1,7\n", schema, {.read_labels = true}),
            "t.csv, line 2, column \"y\": the label \"7\" is not one of the classes \"1\", \"2\"");
  EXPECT_NE(refusal_by_schema("age,y\n1,\n", schema, {.read_labels = true}).find("the label is missing"),
            std::string::npos);
  EXPECT_NE(refusal_by_schema("age,y\n1,1\n", schema, {.weight = "age"}).find("is an attribute of the model"),
            std::string::npos);
  EXPECT_NE(refusal_by_schema("age,y\n1,1\n", schema, {.read_labels = true, .weight = "y"}).find("it is the label"),
            std::string::npos);
}

}  // namespace
}  // namespace xofm
