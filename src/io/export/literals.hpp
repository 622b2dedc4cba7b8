// Names and numbers of a model as literals of other languages: whatever they hold, nothing of it is run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xofm::detail {

// The shortest decimal that reads back the same, always with a point or an exponent.
std::string number_literal(double value);

// Elements between commas, in lines of at most 100 characters or so.
std::string joined(const std::vector<std::string>& elements, std::string_view indent = "  ");

// "..." in ASCII; other bytes as octal escapes.
std::string c_text(std::string_view text);

// "..." in ASCII; what is not as \u or \U escapes. Bytes that are no UTF-8 become U+FFFD.
std::string python_text(std::string_view text);

// For comments: one line of printable ASCII without anything that could end a comment.
std::string comment_text(std::string_view text);

// The code points of a text; bytes that are no UTF-8 become U+FFFD.
std::vector<char32_t> code_points(std::string_view text);

// Everything in `text` that reads `from` becomes `to`.
std::string replaced(const std::string& text, std::string_view from, std::string_view to);

}  // namespace xofm::detail
