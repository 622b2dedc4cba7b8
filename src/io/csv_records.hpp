// The grammar: a text is records, a record is cells.
//
// A record ends at a line feed with an even number of quotes before it. That holds for every well-formed file and is
// defined for malformed ones too, so any block of a file can be read on its own once the quotes before it are counted.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

namespace xofm::detail {

// Thrown while reading records; whoever knows the file and the line turns it into an Error.
struct Malformed {
  const char* where;
  std::string what;
};

struct Record {
  const char* begin;
  const char* end;  // without the line end
  const char* next;
  bool has_quotes;

  // Nothing but blanks: not a row, unless rows have a single cell.
  bool is_blank(char separator) const;
};

// The record that starts at `begin`, which must be before `end`.
Record next_record(const char* begin, const char* end);

// `text` without the blank lines at its end.
std::string_view without_blank_end(std::string_view text, char separator);

// Walks over the cells of one record. There is always at least one; "a," has two.
class CellCursor {
 public:
  CellCursor(const Record& record, char separator)
      : at_(record.begin), end_(record.end), separator_(separator), has_quotes_(record.has_quotes) {}

  bool done() const { return done_; }

  // Takes the next cell if it is a plain number that reaches up to the separator: parsing finds the end of the cell,
  // so that the usual cell is touched once. Everything else is left for `cell`.
  bool number(double& value) {
    if (at_ == end_ || !((*at_ >= '0' && *at_ <= '9') || *at_ == '-' || *at_ == '.')) return false;
    double parsed = 0;
    const auto [stop, error] = std::from_chars(at_, end_, parsed);
    if (error != std::errc() || !(stop == end_ || *stop == separator_) || !std::isfinite(parsed)) return false;
    value = parsed;
    advance(stop);
    return true;
  }

  // The next cell without its quotes and the blanks around it; valid until the next call. Throws Malformed.
  std::string_view cell();

  // Where the cell that `cell` gave last begins.
  const char* cell_begin() const { return cell_begin_; }

 private:
  std::string_view quoted_cell(const char* quote);
  bool is_blank(char c) const { return c == ' ' || (c == '\t' && separator_ != '\t'); }
  void advance(const char* stop) {
    done_ = stop == end_;
    at_ = done_ ? end_ : stop + 1;
  }

  const char* at_;
  const char* end_;
  const char* cell_begin_ = nullptr;
  char separator_;
  bool has_quotes_;
  bool done_ = false;
  std::string unescaped_;
};

}  // namespace xofm::detail
