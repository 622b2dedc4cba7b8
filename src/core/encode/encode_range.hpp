// Positions of some of the rows, for those who do not need all of them at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/parallel.hpp"
#include "xofm/encoder.hpp"

namespace xofm::detail {

// Blocks of rows that are small enough to stay in the cache while their attributes are filled in.
inline std::size_t encoding_blocks(std::size_t row_count) {
  return std::max<std::size_t>((row_count + 1023) / 1024, 1);
}

// Throws Error{invalid_data} unless the rows have as many attributes as the encoder.
void check_layout(const Encoder& encoder, const Dataset& data);

// Puts the rows of the range into `rows` from row `at` on; unusual values are appended to `notes` in row order, if it
// is not null.
void encode_range(const Encoder& encoder, const Dataset& data, Range range, EncodedRows& rows, std::size_t at,
                  std::vector<RowNote>* notes);

// Room for so many rows.
EncodedRows make_rows(const Encoder& encoder, std::size_t row_count, bool is_narrow = false);

// The rows of the range alone, on all threads.
EncodedRows encode_rows(const Encoder& encoder, const Dataset& data, Range range);

// Rows that are encoded together where not all are needed at once: some megabytes, whatever there are.
inline std::size_t chunk_rows(const Dataset& data) {
  constexpr std::size_t cells = 1'000'000;
  return std::max<std::size_t>(cells / std::max<std::size_t>(data.attribute_count(), 1), 1024);
}

// Calls use(encoded rows, range) for all rows, chunk by chunk, in order; their fractions are doubles, however many.
template <class Use>
void for_each_chunk(const Encoder& encoder, const Dataset& data, Use use) {
  const std::size_t step = chunk_rows(data);
  for (std::size_t begin = 0; begin < data.row_count(); begin += step) {
    const Range range{begin, std::min(begin + step, data.row_count())};
    use(encode_rows(encoder, data, range), range);
  }
}

}  // namespace xofm::detail
