// The candidates of a search: drawn from its space, and ordered by how simple they are to read.
#pragma once

#include <vector>

#include "xofm/tune.hpp"

namespace xofm::detail {

// `count` different candidates at most. The first is `base` as far as the space allows, the others are random. Their
// max_epochs is the space's first.
std::vector<TriedOptions> draw_candidates(const SearchSpace& space, const TrainOptions& base, std::size_t count,
                                          std::uint64_t seed);

// Whether the model of `a` is easier to read: curves alone before pairs, then fewer segments, then fewer factors. That
// it is an average does not count: it is read as one model.
bool is_simpler(const TriedOptions& a, const TriedOptions& b);

// Throws Error{invalid_option} if a list is empty or out of order.
void check(const SearchSpace& space);

}  // namespace xofm::detail
