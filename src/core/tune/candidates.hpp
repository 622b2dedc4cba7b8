// The candidates of a search: made from its space, and ordered by how simple they are to read.
#pragma once

#include <span>
#include <vector>

#include "xofm/tune.hpp"

namespace xofm::detail {

// Where the search starts: the first value of every list. Its max_epochs is the space's first.
TriedOptions starting_candidate(const SearchSpace& space);

// The start, and every candidate that differs from it in one list: what each option is good for by itself.
std::vector<TriedOptions> single_changes(const SearchSpace& space);

// Pairs of the changes, and all of them together; without those that are among `known`.
std::vector<TriedOptions> combined_changes(const TriedOptions& start, std::span<const TriedOptions> changes,
                                           std::span<const TriedOptions> known);

// Whether both train the same model, however it is read.
bool is_same_model(const TriedOptions& a, const TriedOptions& b);

// Whether the model of `a` is easier to read: curves alone before pairs, monotone before free ones, then fewer
// segments, then fewer factors.
bool is_simpler(const TriedOptions& a, const TriedOptions& b);

// Throws Error{invalid_option} if a list is empty or out of order.
void check(const SearchSpace& space);

}  // namespace xofm::detail
