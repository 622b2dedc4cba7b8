#include "core/data/indicators.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace xofm::detail {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

Dataset with_columns(std::vector<std::pair<std::string, std::vector<double>>> columns) {
  Dataset data;
  data.schema.label_name = "y";
  for (auto& [name, values] : columns) {
    data.schema.attributes.push_back({.name = name});
    data.columns.push_back(std::move(values));
  }
  return data;
}

std::vector<std::string> names(const Dataset& data) {
  std::vector<std::string> names;
  for (const Attribute& attribute : data.schema.attributes) names.push_back(attribute.name);
  return names;
}

using Names = std::vector<std::string>;
using Values = std::vector<double>;

TEST(Indicators, ColumnsOfWhichEveryRowHasOneAreOneAttribute) {
  Dataset data =
      with_columns({{"age", {3, 4, 5}}, {"motor_A", {1, 0, 0}}, {"motor_B", {0, 0, 1}}, {"motor_C", {0, 1, 0}}});
  merge_indicators(data);
  EXPECT_EQ(names(data), Names({"age", "motor"}));
  const Attribute& motor = data.schema.attributes[1];
  EXPECT_EQ(motor.kind, AttributeKind::categorical);
  EXPECT_EQ(motor.levels, Names({"A", "B", "C"}));
  EXPECT_EQ(motor.indicators, Names({"motor_A", "motor_B", "motor_C"}));
  EXPECT_EQ(data.columns[1], Values({0, 2, 1}));
}

TEST(Indicators, NeighboursAreSplitIntoTheShortestRuns) {
  Dataset data = with_columns({{"leather", {1, 1, 0}},
                               {"saab", {1, 0, 0}},
                               {"volvo", {0, 1, 1}},
                               {"type:coupe", {0, 0, 1}},
                               {"type:wagon", {1, 1, 0}}});
  merge_indicators(data);
  EXPECT_EQ(names(data), Names({"leather", "saab .. volvo", "type"}));
  EXPECT_EQ(data.schema.attributes[1].levels, Names({"saab", "volvo"}));
}

TEST(Indicators, OtherColumnsStayAsTheyAre) {
  const std::vector<std::vector<std::pair<std::string, Values>>> cases = {
      {{"a_1", {1, 0, 0}}, {"a_2", {0, 1, 0}}},                    // the last row has none
      {{"a_1", {1, 0, 1}}, {"a_2", {0, 1, 1}}},                    // the last row has two
      {{"a_1", {1, 0, missing}}, {"a_2", {0, 1, 1}}},              // a gap
      {{"a_1", {2, 0, 0}}, {"a_2", {0, 1, 1}}},                    // another number
      {{"a_1", {1, 1, 1}}},                                        // a constant by itself
      {{"a_1", {1, 0, 0}}, {"x", {5, 6, 7}}, {"a_2", {0, 1, 1}}},  // not side by side
      {{"a_1", {1, 0, 0}}, {"a_2", {0, 1, 1}}, {"a", {5, 6, 7}}},  // the name is taken
  };
  for (const auto& columns : cases) {
    Dataset data = with_columns(columns);
    merge_indicators(data);
    EXPECT_EQ(data.attribute_count(), columns.size());
    EXPECT_EQ(data.schema.attributes.size(), columns.size());
  }
}

TEST(Indicators, ColumnsThatAreNamedStayApart) {
  Dataset data = with_columns({{"a_1", {1, 0, 0}}, {"a_2", {0, 1, 1}}});
  merge_indicators(data, Names({"a_2"}));
  EXPECT_EQ(names(data), Names({"a_1", "a_2"}));
}

TEST(Indicators, RowsOfWeightZeroHaveNoSay) {
  // As no row that counts may be: none, two, a gap, another number.
  Dataset data = with_columns({{"a_1", {0, 1, 1, 0, 7, 1}}, {"a_2", {0, 1, 0, 1, missing, 1}}});
  data.weights = {0, 0, 2, 0.5, 0, 0};
  merge_indicators(data);
  EXPECT_EQ(names(data), Names({"a"}));
  EXPECT_EQ(data.columns[0], Values({unseen_level, unseen_level, 0, 1, unseen_level, unseen_level}));
  data = with_columns({{"a_1", {0, 1, 0}}, {"a_2", {0, 0, 1}}});
  data.weights = {1, 1, 1};
  merge_indicators(data);
  EXPECT_EQ(names(data), Names({"a_1", "a_2"}));
}

TEST(Indicators, ALevelThatWouldHaveNoNameKeepsItsColumns) {
  Dataset data = with_columns({{"a_", {1, 0, 0}}, {"a_b", {0, 1, 1}}});
  merge_indicators(data);
  EXPECT_EQ(data.schema.attributes[0].levels, Names({"a_", "a_b"}));
}

TEST(Indicators, NewRowsAreLaidOutLikeTheTrainingRows) {
  Dataset data = with_columns({{"motor_A", {1, 0}}, {"motor_B", {0, 1}}, {"age", {3, 4}}});
  merge_indicators(data);
  const Schema source = source_schema(data.schema);
  Dataset rows = with_columns({{"motor_A", {0, 1, 0, 1, missing, missing, 0.5}},
                               {"motor_B", {1, 0, 0, 1, missing, 1, 1}},
                               {"age", {1, 2, 3, 4, 5, 6, 7}}});
  ASSERT_EQ(source.attributes.size(), 3U);
  EXPECT_EQ(source.attributes[1].name, "motor_B");
  merge_indicators(rows, data.schema);
  const Values wanted = {1, 0, unseen_level, unseen_level, missing, unseen_level, unseen_level};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (std::isnan(wanted[i])) {
      EXPECT_TRUE(std::isnan(rows.columns[0][i])) << i;
    } else {
      EXPECT_EQ(rows.columns[0][i], wanted[i]) << i;
    }
  }
  EXPECT_EQ(rows.columns[1][6], 7);
}

}  // namespace
}  // namespace xofm::detail
