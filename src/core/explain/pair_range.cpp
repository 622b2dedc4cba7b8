#include "core/explain/pair_range.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/parallel.hpp"

namespace xofm::detail {

namespace {

bool is_stronger(const PairStrength& a, const PairStrength& b) {
  if (a.range != b.range) return a.range > b.range;
  return std::pair(a.first, a.second) < std::pair(b.first, b.second);
}

}  // namespace

double product_range(const std::vector<std::vector<double>>& first, const std::vector<std::vector<double>>& second) {
  double least = HUGE_VAL;
  double greatest = -HUGE_VAL;
  for (const auto& x : first) {
    for (const auto& y : second) {
      const double product = dot(x, y);
      least = std::min(least, product);
      greatest = std::max(greatest, product);
    }
  }
  return greatest - least;
}

PairRanges::PairRanges(const Effects& effects) {
  for (std::size_t j = 0; j < effects.attribute_count(); ++j) {
    const auto deviations = stop_deviations(effects, j);
    length_ = deviations.empty() ? 0 : deviations.front().size();
    Table& table = tables_.emplace_back();
    table.stop_count = deviations.size();
    table.values.resize(length_ * table.stop_count);
    double longest = 0;
    for (std::size_t stop = 0; stop < deviations.size(); ++stop) {
      longest = std::max(longest, dot(deviations[stop], deviations[stop]));
      for (std::size_t f = 0; f < length_; ++f) table.values[f * table.stop_count + stop] = deviations[stop][f];
    }
    longest_.push_back(std::sqrt(longest));
  }
  by_length_.resize(tables_.size());
  std::iota(by_length_.begin(), by_length_.end(), 0);
  std::stable_sort(by_length_.begin(), by_length_.end(),
                   [&](std::size_t a, std::size_t b) { return longest_[a] > longest_[b]; });
}

double PairRanges::range(std::size_t first, std::size_t second) const {
  const Table& a = tables_[first];
  const Table& b = tables_[second];
  double least = HUGE_VAL;
  double greatest = -HUGE_VAL;
  thread_local std::vector<double> products;
  products.resize(b.stop_count);
  for (std::size_t stop = 0; stop < a.stop_count; ++stop) {
    std::fill(products.begin(), products.end(), 0.0);
    for (std::size_t f = 0; f < length_; ++f) {
      const double x = a.values[f * a.stop_count + stop];
      const double* const y = b.values.data() + f * b.stop_count;
      for (std::size_t i = 0; i < products.size(); ++i) products[i] += x * y[i];
    }
    for (const double product : products) {
      least = std::min(least, product);
      greatest = std::max(greatest, product);
    }
  }
  return greatest - least;
}

std::vector<PairStrength> PairRanges::strongest(const std::vector<std::pair<std::size_t, std::size_t>>& pairs) const {
  std::vector<PairStrength> result;
  result.reserve(pairs.size());
  for (const auto& [a, b] : pairs) result.push_back({a, b, range(a, b)});
  std::stable_sort(result.begin(), result.end(),
                   [](const PairStrength& x, const PairStrength& y) { return x.range > y.range; });
  return result;
}

void PairRanges::add_pairs(std::size_t first, std::size_t end, double least, std::vector<PairStrength>& found) const {
  constexpr double rounding = 1 + 1e-9;
  const std::size_t a = by_length_[first];
  for (std::size_t second = first + 1; second < end; ++second) {
    const std::size_t b = by_length_[second];
    if (2 * longest_[a] * longest_[b] * rounding < least) return;
    const double strength = range(std::min(a, b), std::max(a, b));
    if (strength >= least) found.push_back({std::min(a, b), std::max(a, b), strength});
  }
}

std::vector<PairStrength> PairRanges::strongest_of_all(std::size_t count) const {
  if (count == 0) return {};
  // The pairs of a few attributes with long deviations tell how strong a pair must be at least.
  const auto needed = static_cast<std::size_t>(std::ceil(std::sqrt(2.0 * static_cast<double>(count))));
  const std::size_t few = std::min(by_length_.size(), 2 * needed + 30);
  std::vector<PairStrength> found;
  for (std::size_t i = 0; i < few; ++i) add_pairs(i, few, 0, found);
  std::sort(found.begin(), found.end(), is_stronger);
  const double least = found.size() < count ? 0 : found[count - 1].range;

  const std::size_t block_count = block_count_for(by_length_.size(), 16, 256);
  std::vector<std::vector<PairStrength>> blocks(block_count);
  parallel_for(block_count, [&](std::size_t block) {
    const Range range = block_range(by_length_.size(), block_count, block);
    for (std::size_t i = range.begin; i < range.end; ++i) add_pairs(i, by_length_.size(), least, blocks[block]);
  });
  found.clear();
  for (const auto& block : blocks) found.insert(found.end(), block.begin(), block.end());
  std::sort(found.begin(), found.end(), is_stronger);
  if (found.size() > count) found.resize(count);
  return found;
}

}  // namespace xofm::detail
