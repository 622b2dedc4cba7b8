// Rows in partitions, and slow twins of what partitions answer.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/scale/part_learner.hpp"
#include "xofm/partition.hpp"

namespace xofm::test_support {

// Partitions of the given sizes, in the order of the rows; the last gets what is left.
inline std::vector<Bytes> part(const Encoder& encoder, const Dataset& data, const std::vector<std::size_t>& sizes) {
  std::vector<Bytes> parts;
  std::size_t begin = 0;
  for (std::size_t p = 0; p <= sizes.size(); ++p) {
    const std::size_t end = p < sizes.size() ? std::min(begin + sizes[p], data.row_count()) : data.row_count();
    std::vector<std::size_t> rows(end - begin);
    std::iota(rows.begin(), rows.end(), begin);
    parts.push_back(make_partition(encoder, subset(data, rows), begin));
    begin = end;
  }
  return parts;
}

inline PartSums sums_of(const std::vector<Bytes>& parts) {
  return xofm::sums_of([&parts](const std::function<void(ByteView)>& visit) {
    for (const Bytes& part : parts) visit(part);
  });
}

// Level by level over all results at once.
inline Bytes slow_tree_sum(std::vector<Bytes> results) {
  while (results.size() > 1) {
    std::vector<Bytes> above;
    for (std::size_t i = 0; i < results.size(); i += 2) {
      above.push_back(i + 1 < results.size() ? merge_results(results[i], results[i + 1]) : results[i]);
    }
    results = std::move(above);
  }
  return results.empty() ? Bytes() : results.front();
}

}  // namespace xofm::test_support
