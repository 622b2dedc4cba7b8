// Columns of 0 and 1 that together say one thing: of Motor_A, Motor_B and Motor_C every row has exactly one 1.
//
// As one attribute with levels they are one curve to read instead of many, a pair with them is one picture, and rows
// that nobody has seen (two motors, or none) play no part in training.
#pragma once

#include <span>
#include <string>

#include "xofm/dataset.hpp"

namespace xofm::detail {

// Merges neighbouring numeric columns of which every row has exactly one 1 and otherwise 0, the shortest runs from the
// left; rows of weight zero have no say. The attribute is called what their names begin with alike; a level, what is
// left of them. Columns named in `apart` stay by themselves.
void merge_indicators(Dataset& data, std::span<const std::string> apart = {});

// The columns in which rows of this schema are given: those of 0 and 1, and dates whose parts are attributes.
Schema source_schema(const Schema& schema);

// Rows laid out by source_schema(schema), laid out by the schema. A row without exactly one 1 has an unseen level; one
// with nothing but gaps, a missing value.
void merge_indicators(Dataset& data, const Schema& schema);

}  // namespace xofm::detail
