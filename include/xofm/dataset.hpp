// Stage 1, data: rows with attributes and ordered labels, as every later stage takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "xofm/column.hpp"

namespace xofm {

enum class AttributeKind { numeric, categorical };

// What an attribute takes from a column of dates and times. `days` since 1970-01-01 is a number, time of day included;
// the others come again and again and are categories: January .. December, Monday .. Sunday, 0 .. 23 o'clock.
enum class TimePart { none, days, month, weekday, hour };

struct Attribute {
  std::string name;
  AttributeKind kind = AttributeKind::numeric;
  std::vector<std::string> levels = {};  // categorical: the level with code c is levels[c]
  std::string description = {};          // for people; may be empty
  std::string unit = {};                 // for people; may be empty
  // Categorical: the columns of 0 and 1, one per level, in which its rows are given; empty: one column of texts.
  std::vector<std::string> indicators = {};
  // Numeric: numbers that stand for something else (-1: never asked), ascending. They lie on no scale: each has a value
  // of its own beside the curve, as a missing value has.
  std::vector<double> special = {};
  TimePart time = TimePart::none;  // made from a column of dates and times
  bool month_first = false;        // that column has the month before the day: 05/31/2024
  std::string column = {};         // the column in which its rows are given, if that has another name
};

// What the columns and classes mean; shared by training rows, new rows and the model.
struct Schema {
  std::vector<Attribute> attributes;
  std::string label_name;
  std::vector<std::string> class_names;                              // lowest class first
  std::vector<std::string> missing_tokens = {"", "NA", "NaN", "?"};  // cells that mean "no value"
  std::string id_name = {};  // column that names the rows and takes no part in training; empty: rows go by number
  // Where all classes but the lowest begin, if the label is a measurement; empty: labels are names of classes.
  std::vector<double> label_bins = {};
  bool decimal_comma = false;  // numbers were written as 1.234,5; tells how to read new rows that leave it open

  int class_count() const { return static_cast<int>(class_names.size()); }
};

// Level code of a text that was not among the levels of the training rows.
inline constexpr double unseen_level = -1.0;

struct Dataset {
  Schema schema;
  // columns[j][i] is attribute j of row i: a number, or the code of a level; NaN is missing.
  std::vector<Column> columns;
  std::vector<int> labels;                // 0 = lowest class; empty if the rows are unlabelled
  std::vector<double> weights;            // one per row; empty means 1 for all
  std::vector<std::string> ids = {};      // one per row, from the column Schema::id_name; empty: rows go by number
  std::vector<std::string> remarks = {};  // what the reader decided by itself, one sentence each, to be shown

  std::size_t row_count() const { return columns.empty() ? labels.size() : columns.front().size(); }
  std::size_t attribute_count() const { return columns.size(); }
};

// The given rows, in the given order.
Dataset subset(const Dataset& data, std::span<const std::size_t> rows);

struct SplitOptions {
  double test_share = 0.2;  // in (0, 1)
  std::uint64_t seed = 1;
};

struct Split {
  std::vector<std::size_t> learning;
  std::vector<std::size_t> holdout;
};

// Row numbers of a random split that keeps the class shares (stratified); both parts ascending.
Split split_rows(const Dataset& data, const SplitOptions& options = {});

// The same as two data sets: {learning, holdout}.
std::pair<Dataset, Dataset> split(const Dataset& data, const SplitOptions& options = {});

// Throws Error{invalid_data} unless the parts agree in size, the labels lie in 0..H-1, the weights are finite and
// not negative, and no value is infinite.
void check(const Dataset& data);

}  // namespace xofm
