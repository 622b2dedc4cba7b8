// What check_data finds, against the same by brute force.
#include "xofm/check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/random.hpp"
#include "support/random_rows.hpp"

namespace xofm {
namespace {

Dataset numbers(std::vector<double> values) {
  Dataset data;
  data.schema.attributes = {{.name = "a"}};
  data.schema.class_names = {"1", "2"};
  for (std::size_t i = 0; i < values.size(); ++i) data.labels.push_back(static_cast<int>(i % 2));
  data.columns = {std::move(values)};
  return data;
}

std::vector<double> candidates_of(const std::vector<double>& values) {
  std::vector<double> found;
  const DataCheck check = check_data(numbers(values));
  for (const auto& candidate : check.attributes[0].candidates) found.push_back(candidate.value);
  std::sort(found.begin(), found.end());
  return found;
}

TEST(Check, CodesAtTheEndsAreCandidatesForSpecialValues) {
  std::vector<double> values;
  for (int i = 0; i < 400; ++i) values.push_back(20 + i % 60);
  EXPECT_TRUE(candidates_of(values).empty());
  std::vector<double> with_codes = values;
  for (int i = 0; i < 20; ++i) with_codes[static_cast<std::size_t>(i) * 7] = i % 2 == 0 ? -1 : 999;
  EXPECT_EQ(candidates_of(with_codes), (std::vector<double>{-1, 999}));
  // One that is rare is an outlier and no code.
  values[5] = 999;
  EXPECT_TRUE(candidates_of(values).empty());
  EXPECT_EQ(check_data(numbers(values)).attributes[0].outlier_count, 1U);
  // Numbers that go below zero anyway have no code there.
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i)) * 10;
  EXPECT_TRUE(candidates_of(values).empty());
}

TEST(Check, CopiesAndContradictionsAreCountedAsByBruteForce) {
  detail::Random random(4);
  for (int round = 0; round < 20; ++round) {
    Dataset data;
    data.schema.attributes = {{.name = "a"}, {.name = "b"}};
    data.schema.class_names = {"1", "2", "3"};
    data.columns.resize(2);
    for (int i = 0; i < 80; ++i) {
      data.columns[0].push_back(static_cast<double>(random.below(4)));
      data.columns[1].push_back(random.below(5) == 0 ? std::nan("") : static_cast<double>(random.below(4)));
      data.labels.push_back(static_cast<int>(random.below(3)));
    }
    std::map<std::string, std::vector<int>> groups;
    for (std::size_t i = 0; i < 80; ++i) {
      groups[fmt::format("{} {}", data.columns[0][i], data.columns[1][i])].push_back(data.labels[i]);
    }
    std::size_t duplicates = 0;
    std::size_t contradictory = 0;
    double right = 0;
    double distance = 0;
    for (const auto& [key, labels] : groups) {
      std::map<int, int> counts;
      for (const int label : labels) ++counts[label];
      int most = 0;
      for (const auto& [label, count] : counts) {
        duplicates += static_cast<std::size_t>(count - 1);
        most = std::max(most, count);
      }
      contradictory += counts.size() > 1 ? labels.size() : 0;
      right += most;
      double least = 1e9;
      for (int guess = 0; guess < 3; ++guess) {
        double sum = 0;
        for (const int label : labels) sum += std::abs(label - guess);
        least = std::min(least, sum);
      }
      distance += least;
    }
    const RepeatCheck found = check_data(data).repeats;
    EXPECT_EQ(found.duplicate_count, duplicates);
    EXPECT_EQ(found.contradictory_count, contradictory);
    EXPECT_EQ(found.best_accuracy, right / 80);
    EXPECT_NEAR(found.best_mae, distance / 80, 1e-12);
  }
}

TEST(Check, AnAttributeThatDecidesTheClassIsALeakAndOneThatHelpsIsNot) {
  Dataset data = test_support::random_rows({.row_count = 400, .class_count = 3, .missing_share = 0.1}, 2);
  EXPECT_TRUE(find_leaks(data).empty());
  data.schema.attributes.push_back({.name = "after"});
  data.columns.emplace_back();
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    data.columns.back().push_back(data.labels[i] * 10 + static_cast<double>(i % 7));
  }
  const auto leaks = find_leaks(data);
  ASSERT_EQ(leaks.size(), 1U);
  EXPECT_EQ(data.schema.attributes[leaks[0].attribute].name, "after");
  EXPECT_GT(leaks[0].accuracy, 0.95);
  EXPECT_NE(leak_text(data.schema, leaks[0]).find("--ignore after"), std::string::npos);
  // Numbers that are all different say nothing of rows that were not looked at.
  data.columns.back() = Column();
  detail::Random random(7);
  for (std::size_t i = 0; i < data.row_count(); ++i) data.columns.back().push_back(random.uniform());
  EXPECT_TRUE(find_leaks(data).empty());
}

}  // namespace
}  // namespace xofm
