#include "io/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "core/base/parallel.hpp"
#include "io/csv_number.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

// Where the first record at or after `from` begins, if before `to`. `inside`: an odd number of quotes before `from`.
const char* record_start(const char* text, const char* from, const char* to, bool inside) {
  if (!inside && (from == text || from[-1] == '\n')) return from;
  for (const char* p = from; p != to; ++p) {
    if (*p == '"') inside = !inside;
    if (*p == '\n' && !inside) return p + 1 == to ? nullptr : p + 1;
  }
  return nullptr;
}

}  // namespace

Table::Table(std::string_view body, const Header& header, std::string file, std::size_t first_line,
             std::size_t block_bytes)
    : body_(without_blank_end(body, header.separator)),
      separator_(header.separator),
      format_(header.format),
      column_count_(header.names.size()),
      file_(std::move(file)),
      first_line_(first_line) {
  if (body_.empty()) return;
  find_record_starts(block_count_for(body_.size(), block_bytes, most_blocks));
  count_rows();
}

void Table::find_record_starts(std::size_t block_count) {
  const char* text = body_.data();
  std::vector<char> odd(block_count);
  std::vector<const char*> zero(block_count);
  parallel_for(block_count, [&](std::size_t b) {
    const Range range = block_range(body_.size(), block_count, b);
    odd[b] = std::count(text + range.begin, text + range.end, '"') % 2 == 1;
    zero[b] = static_cast<const char*>(std::memchr(text + range.begin, '\0', range.size()));
  });
  for (const char* nul : zero) {
    if (nul != nullptr) refuse({nul, "a NUL byte; CSV is text: if the file is UTF-16, save it as UTF-8"});
  }
  std::vector<char> inside(block_count);
  for (std::size_t b = 1; b < block_count; ++b) inside[b] = inside[b - 1] != odd[b - 1];
  blocks_.resize(block_count);
  parallel_for(block_count, [&](std::size_t b) {
    const Range range = block_range(body_.size(), block_count, b);
    blocks_[b].begin = record_start(text, text + range.begin, text + range.end, inside[b] != 0);
  });
  // A block in which no record begins, all of it inside one long record, is empty.
  const char* next = end();
  for (std::size_t b = block_count; b-- > 0;) {
    if (blocks_[b].begin == nullptr) blocks_[b].begin = next;
    blocks_[b].end = next;
    next = blocks_[b].begin;
  }
}

void Table::count_rows() {
  parallel_for(blocks_.size(), [&](std::size_t b) {
    std::size_t count = 0;
    for (const char* p = blocks_[b].begin; p != blocks_[b].end;) {
      const Record record = next_record(p, end());
      count += skips(record) ? 0 : 1;
      p = record.next;
    }
    blocks_[b].row_count = count;
  });
  for (auto& block : blocks_) {
    block.first_row = row_count_;
    row_count_ += block.row_count;
  }
}

std::size_t Table::line_of(const char* where) const {
  return first_line_ + static_cast<std::size_t>(std::count(body_.data(), where, '\n'));
}

Place Table::place(std::size_t row, std::size_t column) const {
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), row,
                                      [](std::size_t wanted, const Block& block) { return wanted < block.first_row; });
  const Block& block = *std::prev(after);
  std::size_t left = row - block.first_row;
  for (const char* p = block.begin;;) {
    const Record record = next_record(p, end());
    p = record.next;
    if (skips(record)) continue;
    if (left-- > 0) continue;
    CellCursor cursor(record, separator_);
    for (std::size_t j = 0; j < column; ++j) cursor.cell();
    std::string cell(cursor.cell());
    return {line_of(cursor.cell_begin()), std::move(cell)};
  }
}

void Table::refuse(const Malformed& malformed) const {
  throw Error(ErrorCode::invalid_data, fmt::format("{}, line {}: {}", file_, line_of(malformed.where), malformed.what));
}

void Table::refuse_cell(std::size_t line, const std::string& column, const std::string& what) const {
  throw Error(ErrorCode::invalid_data, fmt::format("{}, line {}, column {}: {}", file_, line, shown(column), what));
}

}  // namespace xofm::detail
