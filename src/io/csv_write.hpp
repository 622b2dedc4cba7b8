// Writing CSV: fields that any reader takes apart again as they were.
#pragma once

#include <string>
#include <string_view>

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

}  // namespace xofm::detail
