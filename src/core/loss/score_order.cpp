#include "core/loss/score_order.hpp"

#include <algorithm>
#include <bit>

#include "core/base/parallel.hpp"

namespace xofm::detail {

std::vector<ScoredRow> sort_by_score(std::span<const double> scores) {
  const auto before = [](const ScoredRow& a, const ScoredRow& b) {
    return a.score < b.score || (a.score == b.score && a.row < b.row);
  };
  std::vector<ScoredRow> rows(scores.size());
  const std::size_t block_count = std::bit_floor(block_count_for(scores.size(), 4096, 8));
  std::vector<std::size_t> starts;
  for (std::size_t block = 0; block <= block_count; ++block) {
    starts.push_back(block == block_count ? scores.size() : block_range(scores.size(), block_count, block).begin);
  }
  parallel_for(block_count, [&](std::size_t block) {
    for (std::size_t i = starts[block]; i < starts[block + 1]; ++i) {
      rows[i] = {scores[i], static_cast<std::uint32_t>(i)};
    }
    std::sort(rows.data() + starts[block], rows.data() + starts[block + 1], before);
  });

  for (std::size_t width = 1; width < block_count; width *= 2) {
    parallel_for(block_count / (2 * width), [&](std::size_t pair) {
      ScoredRow* const data = rows.data();
      const std::size_t first = 2 * width * pair;
      std::inplace_merge(data + starts[first], data + starts[first + width], data + starts[first + 2 * width], before);
    });
  }
  return rows;
}

}  // namespace xofm::detail
