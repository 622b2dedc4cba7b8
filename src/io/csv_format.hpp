// How a file writes its numbers: with a decimal point or a comma, with separators between thousands or without.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/csv_number.hpp"
#include "io/csv_table.hpp"

namespace xofm::detail {

// The same as read_number, of a number written in this way: groups of three digits, all with the same separator
// (a point or a comma, whichever is not the decimal mark; a blank, a narrow one too, or an apostrophe).
CellKind read_number(std::string_view cell, const NumberFormat& format, double& value);
CellKind read_cell(std::string_view cell, const MissingTokens& missing, const NumberFormat& format, double& value);

struct FormatQuestion {
  std::vector<std::size_t> columns = {};  // that are looked at
  char decimal = '\0';                    // '.' or ',' if it is known
  bool is_training = false;               // nothing is known from before: what cannot be decided is refused
  bool was_comma = false;                 // in training; decides what the file leaves open
};

// From the first rows below the header. 1,5 and 1.234,5 are certain, and 1.5 and 1,234.5; 1,234 alone is not. Only
// columns count in which all cells are numbers in some way of writing.
NumberFormat find_format(std::string_view body, const Header& header, const std::string& file,
                         const MissingTokens& missing, const FormatQuestion& question);

}  // namespace xofm::detail
