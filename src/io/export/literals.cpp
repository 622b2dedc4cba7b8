#include "io/export/literals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace xofm::detail {

namespace {

bool is_plain(char32_t c) { return c >= 0x20 && c < 0x7F; }

}  // namespace

std::string number_literal(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string joined(const std::vector<std::string>& elements, std::string_view indent) {
  constexpr std::size_t width = 100;
  std::string text;
  std::size_t line = width;
  for (const std::string& element : elements) {
    const bool is_first = text.empty();
    if (!is_first) text += ',';
    if (line + element.size() + 2 > width) {
      (text += is_first ? "" : "\n") += indent;
      line = indent.size();
    } else {
      text += ' ';
    }
    text += element;
    line += element.size() + 2;
  }
  return text;
}

std::string c_text(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    // A question mark could begin a trigraph.
    if (is_plain(byte) && c != '"' && c != '\\' && c != '?') {
      literal += c;
    } else {
      literal += fmt::format("\\{:03o}", byte);
    }
  }
  return literal + '"';
}

std::vector<char32_t> code_points(std::string_view text) {
  std::vector<char32_t> points;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) -> std::uint32_t {
      return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0;
    };
    const std::uint32_t first = byte(0);
    const std::size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
    char32_t point = length == 1 ? first : first & (0x7FU >> length);
    bool is_good = length > 0;
    for (std::size_t k = 1; k < length; ++k) {
      is_good = is_good && byte(k) >> 6 == 2;
      point = point << 6 | (byte(k) & 0x3FU);
    }
    constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    is_good = is_good && point >= least[length] && point <= 0x10FFFF && !(point >= 0xD800 && point <= 0xDFFF);
    points.push_back(is_good ? point : U'\uFFFD');
    i += is_good ? length : 1;
  }
  return points;
}

std::string python_text(std::string_view text) {
  std::string literal = "\"";
  for (const char32_t c : code_points(text)) {
    if (is_plain(c) && c != '"' && c != '\\') {
      literal += static_cast<char>(c);
    } else {
      literal += c > 0xFFFF ? fmt::format("\\U{:08x}", static_cast<std::uint32_t>(c))
                            : fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
    }
  }
  return literal + '"';
}

std::string comment_text(std::string_view text) {
  std::string line;
  for (const char32_t c : code_points(text)) {
    const bool is_safe = is_plain(c) && c != '*' && c != '/' && c != '\\' && c != '?' && c != '-';
    line += is_safe ? static_cast<char>(c) : '_';
  }
  return line;
}

std::string replaced(const std::string& text, std::string_view from, std::string_view to) {
  std::string made;
  std::size_t last = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, last)) {
    made.append(text, last, at - last) += to;
    last = at + from.size();
  }
  return made.append(text, last);
}

}  // namespace xofm::detail
