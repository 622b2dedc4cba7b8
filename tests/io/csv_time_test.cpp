// Cells that are dates and times, and columns of them.
#include "io/csv_time.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/data/calendar.hpp"
#include "io/csv_read.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {
namespace {

double days(std::string_view cell, DateOrder order = DateOrder::day_first) {
  double value = std::nan("");
  EXPECT_TRUE(read_time(cell, order, value)) << cell;
  return value;
}

std::string problem(const std::string& text, const CsvOptions& options = {}) {
  try {
    read_training_text(text, "t.csv", options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The calendar, one day after the other.
TEST(CsvTime, EveryDayOfFourHundredYearsIsOneMoreThanTheOneBefore) {
  const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  double expected = days("1800-01-01");
  EXPECT_EQ(days("1970-01-01"), 0);
  for (int year = 1800; year < 2200; ++year) {
    const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    for (int month = 1; month <= 12; ++month) {
      const int length = lengths[month - 1] + (month == 2 && is_leap ? 1 : 0);
      for (int day = 1; day <= length; ++day) {
        const std::string text = fmt::format("{:04}-{:02}-{:02}", year, month, day);
        ASSERT_EQ(days(text), expected) << text;
        ASSERT_EQ(date_text(expected), text);
        expected += 1;
      }
      double value = 0;
      EXPECT_FALSE(read_time(fmt::format("{:04}-{:02}-{:02}", year, month, length + 1), DateOrder::day_first, value));
    }
  }
}

TEST(CsvTime, OneMomentInManyWays) {
  const double date = days("2024-05-31");
  for (const char* const cell :
       {"31.05.2024", "31.5.2024", "31/05/2024", "31-5-2024", "2024/5/31", "2024.05.31", " 2024-05-31 "}) {
    EXPECT_EQ(days(cell), date) << cell;
  }
  EXPECT_EQ(days("05/31/2024", DateOrder::month_first), date);
  EXPECT_EQ(days("3/4/2024", DateOrder::month_first), days("2024-03-04"));
  EXPECT_EQ(days("3/4/2024", DateOrder::day_first), days("2024-04-03"));
  for (const char* const cell :
       {"2024-05-31 12:00", "2024-05-31T12:00:00", "2024-05-31T12:00:00.000Z", "31.05.2024 12:00",
        "2024-05-31 12:00 PM", "2024-05-31T14:00+02:00", "2024-05-31T07:00:00-0500"}) {
    EXPECT_DOUBLE_EQ(days(cell), date + 0.5) << cell;
  }
  EXPECT_DOUBLE_EQ(days("06:00"), 0.25);
  EXPECT_EQ(date_text(days("2024-05-31 14:30")), "2024-05-31 14:30");
  EXPECT_EQ(date_text(days("2024-05-31 14:30:05")), "2024-05-31 14:30:05");
  double value = 0;
  for (const char* const cell :
       {"2024-13-01", "31.02.2024", "2024-05-31 24:00", "2024-05-31 12:61", "12", "1.5", "1.2.3", "2024-05",
        "2024-05-31x", "31/05/24", "", "a", "2024-05-31 1", "12:5", "1:2:3:4"}) {
    EXPECT_FALSE(read_time(cell, DateOrder::day_first, value)) << cell;
  }
}

TEST(CsvTime, AColumnOfDatesIsANumberOfDays) {
  const Dataset data = read_training_text("d,x,y\n2024-05-31,1,1\n,2,2\n2024-06-02 12:00,3,2\n", "t.csv", {});
  EXPECT_EQ(data.schema.attributes[0].time, TimePart::days);
  EXPECT_EQ(data.schema.attributes[0].unit, "days since 1970-01-01");
  EXPECT_EQ(data.columns[0][2] - data.columns[0][0], 2.5);
  EXPECT_TRUE(std::isnan(data.columns[0][1]));
  const Dataset again = read_text_by_schema("d,x,y\n2024-05-31,1,1\n", "t.csv", data.schema, {.read_labels = true});
  EXPECT_EQ(again.columns[0][0], data.columns[0][0]);
  EXPECT_EQ(read_training_text("d,x,y\n2024-05-31,1,1\n2024-06-30,2,2\n", "t.csv", {.categorical = {"d"}})
                .schema.attributes[0]
                .kind,
            AttributeKind::categorical);
}

TEST(CsvTime, TheOrderOfDayAndMonthIsFoundOrAskedFor) {
  const Dataset american = read_training_text("d,x,y\n3/4/2024,1,1\n5/31/2024,2,2\n", "t.csv", {});
  EXPECT_TRUE(american.schema.attributes[0].month_first);
  EXPECT_EQ(american.columns[0][0], days("2024-03-04"));
  const Dataset british = read_training_text("d,x,y\n3/4/2024,1,1\n31/5/2024,2,2\n", "t.csv", {});
  EXPECT_EQ(british.columns[0][0], days("2024-04-03"));
  EXPECT_EQ(
      problem("d,x,y\n3/4/2024,1,1\n5/6/2024,2,2\n"),
      "t.csv: the dates of column \"d\", such as \"3/4/2024\", do not tell whether the day or the month comes first; "
      "write them as 2024-05-31, or leave the column out with --ignore d");
  EXPECT_EQ(read_text_by_schema("d,x\n3/4/2024,1\n", "t.csv", american.schema, {}).columns[0][0], days("2024-03-04"));
}

TEST(CsvTime, ACellThatIsNoDateIsNamed) {
  std::string text = "d,x,y\n";
  for (int i = 0; i < 30000; ++i) text += fmt::format("2024-05-{:02},{},{}\n", 1 + i % 31, i % 7, i % 2 + 1);
  EXPECT_EQ(
      problem(text + "soon,1,1\n"),
      "t.csv, line 30002, column \"d\": \"soon\" is no date as the others in this column are; fix the cell or leave "
      "it empty");
  // Dates among texts are texts.
  EXPECT_EQ(read_training_text("d,x,y\n2024-05-31,1,1\nsoon,2,2\nsoon,3,1\n", "t.csv", {}).schema.attributes[0].kind,
            AttributeKind::categorical);
}

TEST(CsvTime, PartsThatComeAgainAreLevels) {
  const std::string text = "d,x,y\n2024-01-01 06:00,1,1\n2024-02-06 07:30,2,2\n2023-12-31 23:59,3,1\n,4,2\n";
  const Dataset data = read_training_text(text, "t.csv", {.cyclic = {"d"}});
  ASSERT_EQ(data.schema.attributes.size(), 4U);
  EXPECT_EQ(data.schema.attributes[0].name, "d month");
  EXPECT_EQ(data.schema.attributes[0].levels, (std::vector<std::string>{"January", "February", "December"}));
  EXPECT_EQ(data.schema.attributes[1].levels, (std::vector<std::string>{"Monday", "Tuesday", "Sunday"}));
  EXPECT_EQ(data.schema.attributes[2].levels, (std::vector<std::string>{"6", "7", "23"}));
  EXPECT_EQ(data.columns[1][2], 2);
  EXPECT_TRUE(std::isnan(data.columns[0][3]));
  const Dataset again = read_text_by_schema(text, "t.csv", data.schema, {.read_labels = true});
  for (std::size_t j = 0; j < 4; ++j) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(again.columns[j][i], data.columns[j][i]);
  }
  // June was not in training.
  EXPECT_EQ(read_text_by_schema("x,d\n1,2024-06-03\n", "t.csv", data.schema, {}).columns[0][0], unseen_level);
  EXPECT_NE(problem("d,x,y\na,1,1\nb,2,2\n", {.cyclic = {"d"}}).find("\"d\" does not hold dates"), std::string::npos);
}

}  // namespace
}  // namespace xofm::detail
