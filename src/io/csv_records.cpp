#include "io/csv_records.hpp"

#include <algorithm>
#include <cstring>

#include "io/csv_number.hpp"

namespace xofm::detail {

namespace {

const char* find(const char* begin, const char* end, char wanted) {
  const void* found = begin == end ? nullptr : std::memchr(begin, wanted, static_cast<std::size_t>(end - begin));
  return found == nullptr ? end : static_cast<const char*>(found);
}

bool all_blank(const char* begin, const char* end, char separator) {
  return std::all_of(begin, end, [&](char c) { return c == ' ' || c == '\r' || (c == '\t' && separator != '\t'); });
}

}  // namespace

bool Record::is_blank(char separator) const { return all_blank(begin, end, separator); }

Record next_record(const char* begin, const char* end) {
  bool inside = false;
  bool has_quotes = false;
  for (const char* line = begin;;) {
    const char* line_end = find(line, end, '\n');
    for (const char* quote = find(line, line_end, '"'); quote != line_end; quote = find(quote + 1, line_end, '"')) {
      has_quotes = true;
      inside = !inside;
    }
    if (inside && line_end != end) {
      line = line_end + 1;
      continue;
    }
    const char* next = line_end == end ? end : line_end + 1;
    const bool carriage = line_end != begin && line_end[-1] == '\r' && !inside;
    return {begin, carriage ? line_end - 1 : line_end, next, has_quotes};
  }
}

std::string_view without_blank_end(std::string_view text, char separator) {
  for (;;) {
    if (text.empty()) return text;
    const std::size_t body = text.back() == '\n' ? text.size() - 1 : text.size();
    const std::size_t feed = body == 0 ? std::string_view::npos : text.rfind('\n', body - 1);
    const std::size_t line = feed == std::string_view::npos ? 0 : feed + 1;
    if (!all_blank(text.data() + line, text.data() + body, separator)) return text;
    text = text.substr(0, line);
  }
}

std::string_view CellCursor::cell() {
  const char* begin = at_;
  while (begin != end_ && is_blank(*begin)) ++begin;
  cell_begin_ = begin;
  if (begin != end_ && *begin == '"') return quoted_cell(begin);
  const char* stop = find(begin, end_, separator_);
  const char* last = stop;
  while (last != begin && is_blank(last[-1])) --last;
  if (has_quotes_) {
    const char* quote = find(begin, last, '"');
    if (quote != last) {
      throw Malformed{quote, "a quote in the middle of the cell " +
                                 shown({begin, static_cast<std::size_t>(std::min<std::ptrdiff_t>(last - begin, 100))}) +
                                 "; put the whole cell in quotes and double the quotes inside it"};
    }
  }
  advance(stop);
  return {begin, static_cast<std::size_t>(last - begin)};
}

std::string_view CellCursor::quoted_cell(const char* quote) {
  const char* part = quote + 1;
  const char* close = find(part, end_, '"');
  bool doubled = false;
  // Cells without doubled quotes, nearly all, are views into the text; the others are put together here.
  while (close != end_ && close + 1 != end_ && close[1] == '"') {
    if (!doubled) unescaped_.clear();
    doubled = true;
    unescaped_.append(part, close + 1);
    part = close + 2;
    close = find(part, end_, '"');
  }
  if (close == end_) throw Malformed{quote, "a quote opens here that is never closed"};
  const char* stop = close + 1;
  while (stop != end_ && is_blank(*stop)) ++stop;
  if (stop != end_ && *stop != separator_) {
    throw Malformed{stop, "text after the closing quote of a cell; double the quotes inside a quoted cell"};
  }
  advance(stop);
  if (!doubled) return {part, static_cast<std::size_t>(close - part)};
  unescaped_.append(part, close);
  return unescaped_;
}

}  // namespace xofm::detail
