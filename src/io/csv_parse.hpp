// Parses chosen columns of a table, in parallel, straight into their final place.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "io/csv_number.hpp"
#include "io/csv_table.hpp"
#include "io/csv_time.hpp"

namespace xofm::detail {

inline constexpr std::size_t no_row = std::numeric_limits<std::size_t>::max();

// What the cells of a column are.
struct Tally {
  std::size_t numbers = 0;
  std::size_t texts = 0;
  std::size_t infinite = 0;
  std::size_t missing = 0;
  std::size_t first_text = no_row;
  std::size_t first_infinite = no_row;

  void count(CellKind kind, std::size_t row);
  void add(const Tally& other);
};

struct Level {
  std::string text;
  std::size_t count = 0;
};

// What to do with one column of the file.
struct ColumnTask {
  enum class Role : unsigned char {
    skip,
    number,  // values[row] is the number, NaN if the cell is missing or no number (the tally tells)
    text,    // values[row] or codes[row] is an index into `levels`; NaN or -1 is missing
  };
  Role role = Role::skip;
  double* values = nullptr;
  int* codes = nullptr;        // text: if set, used instead of values
  bool keeps_missing = false;  // text: the missing tokens are levels like any other
  // number: the cells are dates and times, which become days.
  bool is_time = false;
  DateOrder date_order = DateOrder::day_first;
  std::vector<std::string>* carried = nullptr;  // also takes the texts as they are; has one place per row

  Tally tally = {};                // result; for text only `missing` is counted
  std::vector<Level> levels = {};  // result of text: in numeric order if all are numbers, else in byte order
};

// One task per column of the table. Throws Error for the first malformed row. The results do not depend on the blocks.
void parse_columns(const Table& table, std::vector<ColumnTask>& tasks, const MissingTokens& missing);

// The tally of a text column, from its levels.
Tally tally_of_levels(const ColumnTask& task, const NumberFormat& format);

}  // namespace xofm::detail
