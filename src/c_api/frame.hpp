// Columns as other programs hold them: numbers of any width and stride, times or texts, in chunks, with marks for
// missing values. A frame points at them; a value is read where it lies, and nothing is copied before it is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace xofm::c_api {

enum class CellType {
  float64,
  float32,
  float16,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  byte_boolean,
  bit_boolean,
  small_text,  // Arrow: offsets of 32 bits, of 64, or views of 16 bytes
  large_text,
  text_view,
  days32,   // since 1970-01-01
  seconds,  // and below: 64 bits since then; the least stands for no time
  milliseconds,
  microseconds,
  nanoseconds,
  nothing,  // all missing
};

// Some rows of a column.
struct Chunk {
  CellType type = CellType::float64;  // of a dictionary: of its codes
  std::size_t length = 0;
  std::size_t offset = 0;        // of the first row, in values and in the bitmap
  const void* values = nullptr;  // numbers; of texts the offsets or the views
  std::ptrdiff_t stride = 0;     // bytes
  const std::uint8_t* validity = nullptr;
  const char* bytes = nullptr;                                  // of texts
  const void* const* buffers = nullptr;                         // of views: validity, views, texts, sizes of the texts
  std::int64_t buffer_count = 0;                                // of views
  std::shared_ptr<const std::vector<std::string>> levels = {};  // of a dictionary
  std::shared_ptr<const std::vector<bool>> absent_levels = {};  // entries of the dictionary that are missing; or none

  bool has_negative_codes = false;  // for missing values

  bool has_texts() const { return levels || type == CellType::small_text || is_wide_text(); }
  bool is_wide_text() const { return type == CellType::large_text || type == CellType::text_view; }
  bool has_times() const { return !levels && type >= CellType::days32 && type <= CellType::nanoseconds; }
  // By the bitmap, and of a dictionary by its entries.
  bool is_present(std::size_t row) const {
    const std::size_t bit = offset + row;
    const bool is_marked = validity == nullptr || ((validity[bit / 8] >> (bit % 8)) & 1) != 0;
    return is_marked && type != CellType::nothing && (!levels || is_level_present(row));
  }
  // Of a row that has a value. A code that has no level throws, and so does a text that lies outside of its buffer.
  std::string_view text(std::size_t row) const;
  std::size_t level(std::size_t row) const;  // of a dictionary

 private:
  std::string_view view(std::size_t at) const;
  bool is_level_present(std::size_t row) const;
};

struct Column {
  std::string name;
  std::vector<Chunk> chunks;

  bool has_texts() const;
  bool has_times() const;
};

struct Frame {
  std::vector<Column> columns;
  std::size_t row_count = 0;
  std::vector<std::shared_ptr<void>> owned;  // what must live as long as the frame

  std::vector<std::string> names() const;
};

// Rows begin .. end as numbers, times as days since 1970-01-01; NaN is missing. Throws Error{invalid_data} if the
// column has texts, or a value is infinite.
void read_numbers(const Column& column, std::size_t begin, std::size_t end, double* out);

// Calls visit(chunk, row in the chunk, row) for rows begin .. end.
template <class Visit>
void for_each_cell(const Column& column, std::size_t begin, std::size_t end, Visit visit) {
  std::size_t start = 0;
  for (const Chunk& chunk : column.chunks) {
    const std::size_t from = begin > start ? begin - start : 0;
    const std::size_t to = end > start ? (end - start < chunk.length ? end - start : chunk.length) : 0;
    for (std::size_t i = from; i < to; ++i) visit(chunk, i, start + i);
    start += chunk.length;
  }
}

// A number as the text of a level: 3, not 3.0; else the shortest that is the same number.
std::string level_text(double value);

}  // namespace xofm::c_api
