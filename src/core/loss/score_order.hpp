// Rows in ascending order of their scores.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace xofm::detail {

struct ScoredRow {
  double score;
  std::uint32_t row;
};

// Ascending by score, equal scores by row number, so the order is unique. Fixed blocks are sorted in parallel and
// merged in pairs.
std::vector<ScoredRow> sort_by_score(std::span<const double> scores);

}  // namespace xofm::detail
