// Trials of a validation as CSV: the columns trial (from 1), row (data row, from 1) and part (learn or test), so that
// any other program can use the same splits; and folds from a column of the data.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "xofm/validate.hpp"

namespace xofm::detail {

class OutputFile;

// Rows in any order; other columns are skipped. The rows of a part are ascending in the result.
std::vector<Trial> read_trials(const std::string& path, std::size_t row_count);

void write_trials(OutputFile& file, const std::vector<Trial>& trials);

// A fold number from 0 per data row of `text`, by the column's values in ascending order.
std::vector<int> read_fold_column(std::string_view text, const std::string& file, const std::string& column,
                                  char separator);

}  // namespace xofm::detail
