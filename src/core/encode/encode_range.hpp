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

// Writes as many rows as the range has, laid out as in EncodedRows; unusual values are appended to `notes` in row
// order, if it is not null.
void encode_range(const Encoder& encoder, const Dataset& data, Range range, std::uint16_t* coordinates,
                  double* fractions, std::vector<RowNote>* notes);

}  // namespace xofm::detail
