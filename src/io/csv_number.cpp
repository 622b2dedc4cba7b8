#include "io/csv_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace xofm::detail {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_infinity_word(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  const auto equals = [&](std::string_view word) {
    return std::equal(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) { return (a | 32) == b; });
  };
  return equals("inf") || equals("infinity");
}

// Whether a decimal number that no double can hold is too large rather than too small: the power of ten of its first
// digit that is not zero decides.
bool is_huge(std::string_view number) {
  long long power = 0;
  bool point = false;
  bool significant = false;
  std::size_t i = 0;
  for (; i < number.size() && (number[i] | 32) != 'e'; ++i) {
    const char c = number[i];
    if (c == '.') point = true;
    if (!is_digit(c)) continue;
    significant = significant || c != '0';
    if (!point && significant) ++power;
    if (point && !significant) --power;
  }
  long long exponent = 0;
  if (i < number.size()) {
    const bool negative = i + 1 < number.size() && number[i + 1] == '-';
    for (const char c : number.substr(i + 1)) {
      if (is_digit(c)) exponent = std::min(exponent * 10 + (c - '0'), std::numeric_limits<long long>::max() / 100);
    }
    if (negative) exponent = -exponent;
  }
  return power + exponent > 0;
}

// Length of the UTF-8 sequence at the start of `text`; 0 if it is not well formed (Unicode standard, table 3-7).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i, unsigned least = 0x80, unsigned most = 0xBF) {
    return byte(i) >= least && byte(i) <= most;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool second = follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF);
    return second && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool second = follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

CellKind read_number(std::string_view cell, double& value) {
  cell = trimmed(cell);
  if (cell.size() > 1 && cell.front() == '+' && cell[1] != '-') cell.remove_prefix(1);
  if (cell.empty()) return CellKind::text;
  const char* end = cell.data() + cell.size();
  double parsed = 0;
  const auto [stop, error] = std::from_chars(cell.data(), end, parsed);
  if (stop != end || error == std::errc::invalid_argument) return CellKind::text;
  if (error == std::errc::result_out_of_range) {
    if (is_huge(cell)) return CellKind::infinite;
    parsed = cell.front() == '-' ? -0.0 : 0.0;
  } else if (!std::isfinite(parsed)) {  // from_chars also reads the words inf and nan
    return is_infinity_word(cell) ? CellKind::infinite : CellKind::text;
  }
  value = parsed;
  return CellKind::number;
}

MissingTokens::MissingTokens(const std::vector<std::string>& tokens) {
  for (const auto& token : tokens) {
    double value = 0;
    if (read_number(token, value) == CellKind::number) {
      numbers_.push_back(value);
    } else {
      texts_.push_back(token);
    }
  }
}

bool MissingTokens::contains(std::string_view cell) const {
  for (const auto& token : texts_) {
    if (token == cell) return true;
  }
  double value = 0;
  return !numbers_.empty() && read_number(cell, value) == CellKind::number && contains(value);
}

CellKind read_cell(std::string_view cell, const MissingTokens& missing, double& value) {
  const CellKind kind = read_number(cell, value);
  const bool none = kind == CellKind::number ? missing.contains(value) : missing.contains(cell);
  return none ? CellKind::missing : kind;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string shown(std::string_view cell) {
  constexpr std::size_t most = 60;
  std::string result = "\"";
  while (!cell.empty() && result.size() < most) {
    const std::size_t length = utf8_length(cell);
    const auto byte = static_cast<unsigned char>(cell.front());
    if (length == 0 || byte < 0x20 || byte == 0x7F) {
      result += byte == '\n' ? "\\n" : byte == '\r' ? "\\r" : byte == '\t' ? "\\t" : fmt::format("\\x{:02X}", byte);
    } else {
      result += cell.substr(0, length);
    }
    cell.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result + (cell.empty() ? "\"" : "...\"");
}

}  // namespace xofm::detail
