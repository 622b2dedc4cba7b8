#include "core/data/mix_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/random.hpp"

namespace xofm::detail {

namespace {

constexpr std::size_t looked_at = 10;  // others, of which the nearest is taken

// Ranks in [0, 1], ties at their middle; missing is far from all, and so is each special value.
std::vector<float> ranks(const Column& column, const std::vector<double>& special) {
  std::vector<float> ranks(column.size(), 2.0F);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < column.size(); ++i) {
    const auto at = std::lower_bound(special.begin(), special.end(), column[i]);
    if (at != special.end() && *at == column[i]) {
      ranks[i] = static_cast<float>(4 + 2 * (at - special.begin()));
    } else if (!std::isnan(column[i])) {
      order.push_back(i);
    }
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return column[a] < column[b]; });
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && column[order[end]] == column[order[begin]]) ++end;
    const double middle = (static_cast<double>(begin) + static_cast<double>(end)) / 2;
    for (; begin < end; ++begin) ranks[order[begin]] = static_cast<float>(middle / static_cast<double>(order.size()));
  }
  return ranks;
}

}  // namespace

Dataset mix_rows(const Dataset& data, std::size_t count, std::uint64_t seed) {
  const std::size_t row_count = data.row_count();
  std::vector<std::vector<float>> ranked;
  for (std::size_t j = 0; j < data.columns.size(); ++j) {
    ranked.push_back(ranks(data.columns[j], data.schema.attributes[j].special));
  }
  const auto distance = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t j = 0; j < ranked.size(); ++j) {
      const bool is_level = data.schema.attributes[j].kind == AttributeKind::categorical;
      const double apart = std::abs(ranked[j][a] - ranked[j][b]);
      sum += is_level ? (apart > 0 ? 0.5 : 0) : std::min(apart, 1.0);
    }
    return sum;
  };
  Dataset mixed;
  mixed.schema = data.schema;
  mixed.columns.resize(data.attribute_count());
  Random random(seed, 0x313);
  for (std::size_t made = 0; made < count; ++made) {
    const std::size_t own = made % row_count;
    std::size_t other = own;
    double least = HUGE_VAL;
    for (std::size_t look = 0; look < looked_at; ++look) {
      const std::size_t candidate = random.below(row_count);
      const double apart = distance(own, candidate);
      if (candidate == own || apart >= least) continue;
      least = apart;
      other = candidate;
    }
    for (std::size_t j = 0; j < mixed.columns.size(); ++j) {
      mixed.columns[j].push_back(data.columns[j][random.uniform() < 0.5 ? own : other]);
    }
  }
  return mixed;
}

}  // namespace xofm::detail
