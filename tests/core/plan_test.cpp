#include "core/tune/plan.hpp"

#include <gtest/gtest.h>

#include "core/tune/candidates.hpp"
#include "xofm/fit.hpp"

namespace xofm {
namespace {

// Columns of nothing: a plan looks at the size alone.
Dataset rows_of(std::size_t row_count, std::size_t attribute_count) {
  Dataset data;
  data.columns.assign(attribute_count, std::vector<double>(row_count));
  data.schema.attributes.resize(attribute_count);
  data.labels.resize(row_count);
  return data;
}

TEST(SearchPlan, SmallDataAreFoldedLargeDataAreSplitAndVeryLargeDataAreSampled) {
  const auto small = detail::plan_search(rows_of(5000, 18), {});
  EXPECT_FALSE(small.holds_out);
  EXPECT_EQ(small.sample_share, 1);
  EXPECT_EQ(small.most_parts, 6U);
  const auto large = detail::plan_search(rows_of(20000, 10), {});
  EXPECT_TRUE(large.holds_out);
  EXPECT_EQ(large.sample_share, 1);
  EXPECT_EQ(large.most_parts, 6U);
  const auto very_large = detail::plan_search(rows_of(1000000, 10), {});
  EXPECT_TRUE(very_large.holds_out);
  EXPECT_EQ(very_large.sample_share, 0.05);
  EXPECT_EQ(very_large.most_parts, 1U);
}

TEST(SearchPlan, FewRowsAreFoldedLonger) {
  const auto wide = detail::plan_search(rows_of(300, 900), {});
  EXPECT_FALSE(wide.holds_out);
  EXPECT_FALSE(wide.has_many_rows);
  EXPECT_TRUE(detail::plan_search(rows_of(300, 1100), {}).holds_out);
  EXPECT_TRUE(detail::plan_search(rows_of(3000, 81), {}).holds_out) << "as many values, more rows";
}

TEST(SearchPlan, TheLargerTheDataTheFewerThePartsAndThePasses) {
  std::size_t parts = 6;
  double budget = 1e9;
  for (const std::size_t row_count : {10000, 30000, 100000, 300000, 1000000}) {
    const Dataset data = rows_of(row_count, 10);
    const auto plan = detail::plan_search(data, {});
    EXPECT_LE(plan.most_parts, parts) << row_count;
    EXPECT_LE(default_pass_budget(data), budget) << row_count;
    parts = plan.most_parts;
    budget = default_pass_budget(data);
  }
  EXPECT_EQ(parts, 1U);
  EXPECT_TRUE(suits_search(rows_of(1000000, 10)));
  EXPECT_FALSE(suits_search(rows_of(3000000, 10)));
}

TEST(SearchPlan, NoMorePartsThanAskedFor) {
  for (const int most : {1, 3}) {
    EXPECT_EQ(detail::plan_search(rows_of(100, 4), {.most_parts = most}).most_parts, static_cast<std::size_t>(most));
    EXPECT_EQ(detail::plan_search(rows_of(20000, 10), {.most_parts = most}).most_parts, static_cast<std::size_t>(most));
  }
}

TEST(NarrowedSpace, LeavesOutWhatSeldomPaysAndKeepsWhatIsFixed) {
  const SearchSpace narrow = detail::narrowed({});
  EXPECT_EQ(narrow.segment_counts, (std::vector<int>{30, 8, 16, 60}));
  EXPECT_EQ(narrow.max_epochs, (std::vector<int>{60, 120, 240, 480}));
  EXPECT_EQ(narrow.factor_counts, SearchSpace{}.factor_counts);
  SearchSpace fixed;
  fixed.segment_counts = {3};
  fixed.increment_penalties = {0.5};
  fixed.pair_weightings = {PairWeighting::adjacent};
  fixed.max_epochs = {100};
  const SearchSpace kept = detail::narrowed(fixed);
  EXPECT_EQ(kept.segment_counts, fixed.segment_counts);
  EXPECT_EQ(kept.increment_penalties, fixed.increment_penalties);
  EXPECT_EQ(kept.pair_weightings, fixed.pair_weightings);
  EXPECT_EQ(kept.max_epochs, fixed.max_epochs);
}

}  // namespace
}  // namespace xofm
