// Rows of a CSV file whose cells hold given values, in any of its columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace xofm::detail {

struct Condition {
  std::string column;
  std::string value;  // as text; a number means every spelling of it
};

// Rows, from 0 and ascending, for which all conditions hold. `purpose` begins the message about a column that there is
// not: "--where".
std::vector<std::size_t> rows_where(std::string_view text, const std::string& file, char separator,
                                    const std::vector<Condition>& conditions, const std::string& purpose);

// The cells of a column as they stand, one per row; `purpose` as above.
std::vector<std::string> column_texts(std::string_view text, const std::string& file, char separator,
                                      const std::string& column, const std::string& purpose);

}  // namespace xofm::detail
