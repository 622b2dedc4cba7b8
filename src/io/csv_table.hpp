// The rows below a header, cut into blocks that can be parsed independently.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv_number.hpp"
#include "io/csv_records.hpp"

namespace xofm::detail {

// A test may make blocks so small that their borders fall everywhere.
inline constexpr std::size_t default_block_bytes = std::size_t{1} << 20;
// More blocks would only multiply the dictionaries of text columns that each block holds.
inline constexpr std::size_t most_blocks = 256;

struct Block {
  const char* begin = nullptr;  // where the first record begins that begins in this block
  const char* end = nullptr;    // where the first record of the next block begins
  std::size_t first_row = 0;
  std::size_t row_count = 0;
};

struct Header {
  std::vector<std::string> names;
  char separator = ',';
  NumberFormat format = {};    // as find_format tells; the header itself says nothing of it
  std::size_t size = 0;        // bytes of the header, with the byte order mark and the line end
  std::size_t line_count = 0;  // lines of the header
};

// The first record of `text`; names are unique, not empty and UTF-8. `separator` '\0' means to detect it.
Header read_header(std::string_view text, const std::string& file, char separator);

// A place as messages name it.
struct Place {
  std::size_t line;
  std::string cell;
};

class Table {
 public:
  // `body` is the text after the header, which begins at line `first_line`. Throws Error if it holds NUL bytes.
  Table(std::string_view body, const Header& header, std::string file, std::size_t first_line, std::size_t block_bytes);

  const std::vector<Block>& blocks() const { return blocks_; }
  std::size_t row_count() const { return row_count_; }
  std::size_t column_count() const { return column_count_; }
  char separator() const { return separator_; }
  const NumberFormat& format() const { return format_; }
  const std::string& file() const { return file_; }
  const char* end() const { return body_.data() + body_.size(); }

  // Blank lines are no rows, unless rows have one cell: there they are a missing cell.
  bool skips(const Record& record) const { return column_count_ > 1 && record.is_blank(separator_); }

  std::size_t line_of(const char* where) const;
  Place place(std::size_t row, std::size_t column) const;
  [[noreturn]] void refuse(const Malformed& malformed) const;

  // Every error about one cell: "file, line 7, column "age": " and what is wrong.
  [[noreturn]] void refuse_cell(std::size_t line, const std::string& column, const std::string& what) const;

 private:
  void find_record_starts(std::size_t block_count);
  void count_rows();

  std::string_view body_;
  char separator_;
  NumberFormat format_;
  std::size_t column_count_;
  std::string file_;
  std::size_t first_line_;
  std::vector<Block> blocks_;
  std::size_t row_count_ = 0;
};

}  // namespace xofm::detail
