// What one cell says: a number, nothing (missing), a text, or something too large to be a number.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace xofm::detail {

enum class CellKind : unsigned char { number, missing, text, infinite };

// number, text or infinite ("inf", "-Infinity", 1e999). A '+' and blanks around the number are fine; what is too small
// for a double is 0. "nan" is text.
CellKind read_number(std::string_view cell, double& value);

// How numbers are written.
struct NumberFormat {
  bool comma = false;    // 1,5 is one and a half
  bool grouped = false;  // thousands may be set apart
  bool is_plain() const { return !comma && !grouped; }
};

class MissingTokens {
 public:
  explicit MissingTokens(const std::vector<std::string>& tokens);

  // Tokens that are numbers mean every spelling of that number: -999 is also -999.0.
  bool contains(double value) const {
    for (const double number : numbers_) {
      if (number == value) return true;
    }
    return false;
  }
  bool contains(std::string_view cell) const;

 private:
  std::vector<std::string> texts_;
  std::vector<double> numbers_;
};

CellKind read_cell(std::string_view cell, const MissingTokens& missing, double& value);

// What to do about text that is not UTF-8.
inline constexpr const char* encoding_hint =
    "say how the file is written, --encoding cp1252 (Windows) or latin1, or save it as UTF-8";

// Well-formed UTF-8 by the Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);

// A cell as messages show it: in quotes, with control and broken bytes escaped, long ones cut.
std::string shown(std::string_view cell);

}  // namespace xofm::detail
