// Writing CSV: fields that any reader takes apart again as they were.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "io/csv_number.hpp"

namespace xofm::detail {

// Appends `field`, in quotes if it holds the separator, a quote, a line end, or blanks at its ends.
inline void append_csv_field(std::string& out, std::string_view field, char separator) {
  const char special[] = {separator, '"', '\n', '\r'};
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  const bool plain = field.find_first_of(std::string_view(special, sizeof special)) == std::string_view::npos &&
                     (field.empty() || (!is_blank(field.front()) && !is_blank(field.back())));
  if (plain) {
    out += field;
    return;
  }
  out += '"';
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

// Whether a spreadsheet would run the text: it begins as a formula does and is not a number.
inline bool is_formula(std::string_view text) {
  double value = 0;
  return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos &&
         read_number(text, value) == CellKind::text;
}

// A name or class from someone else's file. What a spreadsheet would run gets an apostrophe in front, unless `raw`.
inline void append_csv_text(std::string& out, std::string_view text, char separator, bool raw) {
  append_csv_field(out, raw || !is_formula(text) ? std::string(text) : fmt::format("'{}", text), separator);
}

}  // namespace xofm::detail
