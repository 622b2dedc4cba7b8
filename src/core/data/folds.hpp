// Rows class by class, and dealt into folds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace xofm::detail {

// [class]: its rows, ascending. Labels lie in 0 .. class_count-1.
std::vector<std::vector<std::size_t>> rows_by_class(std::span<const int> labels, int class_count);

// A fold number 0 .. fold_count-1 per row, each class spread evenly over the folds.
std::vector<int> stratified_folds(std::span<const int> labels, int class_count, int fold_count, std::uint64_t seed);

}  // namespace xofm::detail
