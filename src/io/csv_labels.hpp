// From label cells to classes, and the checks of sample weights.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/csv_parse.hpp"

namespace xofm::detail {

// More distinct numbers are taken for a continuous target.
inline constexpr std::size_t most_numeric_classes = 100;
// More are asked about.
inline constexpr std::size_t many_numeric_classes = 20;

// Finds classes by name; a label that is a number also matches another spelling of that number.
class ClassIndex {
 public:
  explicit ClassIndex(const std::vector<std::string>& names);
  std::optional<int> find(std::string_view label) const;

 private:
  std::unordered_map<std::string, int> names_;
  std::unordered_map<double, int> numbers_;
};

// Throws Error{invalid_option} unless there are at least two classes, with different names.
void check_classes(const std::vector<std::string>& classes);

// Replaces the level codes in `labels` by classes 0 .. H-1. `task` is the parsed label column, `column` its number.
// Labels must be one of `classes`; if there are none, labels must be numbers, and `classes` is filled in their order by
// the rows that count: another number in a row of weight zero becomes some class. Weights empty: all rows count.
void label_rows(const Table& table, const ColumnTask& task, std::size_t column, const std::string& name,
                const MissingTokens& missing, std::vector<std::string>& classes, const std::vector<double>& weights,
                std::vector<int>& labels);

// The same with known classes, ready to look up.
void label_rows(const Table& table, const ColumnTask& task, std::size_t column, const std::string& name,
                const MissingTokens& missing, const std::vector<std::string>& classes, const ClassIndex& index,
                std::vector<int>& labels);

// Refuses rows of which all that have a weight are of one class.
void refuse_one_class(const Table& table, const std::string& name, const std::vector<std::string>& classes,
                      const std::vector<double>& weights, const std::vector<int>& labels);

// Refuses a label column with one text in all rows; stops at the first other one, and needs no memory.
void refuse_single_label(const Table& table, std::size_t column, const std::string& name);

// Every weight must be a finite number that is not negative.
void check_weights(const Table& table, std::size_t column, const std::string& name, const MissingTokens& missing,
                   const std::vector<double>& weights);

}  // namespace xofm::detail
