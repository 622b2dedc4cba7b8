#include "core/encode/knots.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace xofm::detail {

namespace {

// The distinct values, ascending, and how often each is there.
struct Tally {
  std::vector<double> values;
  std::vector<double> counts;
};

Tally tally(const std::vector<double>& sorted) {
  Tally tally;
  for (const double value : sorted) {
    if (tally.values.empty() || value > tally.values.back()) {
      tally.values.push_back(value);
      tally.counts.push_back(0);
    }
    ++tally.counts.back();
  }
  return tally;
}

}  // namespace

std::vector<double> equal_width_knots(double lowest, double greatest, int segment_count) {
  if (!(lowest < greatest)) return {lowest};
  std::vector<double> knots;
  for (int k = 0; k <= segment_count; ++k) {
    // std::lerp is exact at both ends and does not overflow; a scale too fine to divide keeps fewer knots.
    const double knot = std::lerp(lowest, greatest, static_cast<double>(k) / segment_count);
    if (knots.empty() || knot > knots.back()) knots.push_back(knot);
  }
  return knots;
}

std::vector<double> quantile_knots(const std::vector<double>& sorted, int segment_count) {
  auto [values, counts] = tally(sorted);
  if (values.size() <= static_cast<std::size_t>(segment_count) + 1) return values;

  // Cap the mass of frequent values at one part; each round makes the parts smaller, so a few rounds settle it.
  double total = static_cast<double>(sorted.size());
  for (int round = 0; round < 20; ++round) {
    const double part = total / segment_count;
    double capped_total = 0;
    for (double& count : counts) capped_total += count = std::min(count, part);
    if (capped_total > total * (1 - 1e-9)) break;
    total = capped_total;
  }

  std::vector<double> knots = {values.front()};
  double passed = 0;
  for (std::size_t i = 1; i + 1 < values.size(); ++i) {
    passed += counts[i - 1];
    // Mass up to the middle of this value, in parts: a knot whenever it has reached the next whole number.
    const double reached = (passed + counts[i] / 2) / total * segment_count;
    if (reached >= static_cast<double>(knots.size()) && static_cast<int>(knots.size()) < segment_count) {
      knots.push_back(values[i]);
    }
  }
  knots.push_back(values.back());
  return knots;
}

void add_spikes(std::vector<double>& knots, const std::vector<double>& sorted, double share) {
  constexpr double times = 5;  // as frequent as the values beside it, at least: not just a round number among others
  const auto [values, counts] = tally(sorted);
  const double least = share * static_cast<double>(sorted.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t from = i > 0 ? i - 1 : i;
    const std::size_t to = std::min(i + 1, values.size() - 1);
    const double beside = std::max(from < i ? counts[from] : 0, to > i ? counts[to] : 0);
    if (counts[i] < least || counts[i] < times * beside) continue;
    knots.insert(knots.end(), values.begin() + static_cast<std::ptrdiff_t>(from),
                 values.begin() + static_cast<std::ptrdiff_t>(to) + 1);
  }
  std::sort(knots.begin(), knots.end());
  knots.erase(std::unique(knots.begin(), knots.end()), knots.end());
}

}  // namespace xofm::detail
