// Rows between the rows: each takes every value from one of two rows that are alike.
#pragma once

#include <cstdint>

#include "xofm/dataset.hpp"

namespace xofm::detail {

// `count` rows without labels. A row and the nearest of some others, by the ranks of their values, are mixed value by
// value, so that what belongs together mostly stays together.
Dataset mix_rows(const Dataset& data, std::size_t count, std::uint64_t seed);

}  // namespace xofm::detail
