// The form without a sort. Scores are counted into bins, per class the sums of 1, r and r^2 (r: distance from the bin's
// lower edge); what every object finds among them is in pair_edges.hpp. Bins are 1 / 1024 of the margin at most.
// O(N + bins H^2).
#include "core/loss/score_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/parallel.hpp"
#include "core/loss/pair_edges.hpp"
#include "xofm/loss.hpp"

namespace xofm {

namespace {

using detail::BinGrid;
using detail::Edge;
using detail::Found;
using detail::Moments;

struct Binning {
  double least;
  double inverse_width;
  double width;
  std::size_t count;

  std::size_t bin_of(double score) const {
    return static_cast<std::size_t>(std::clamp((score - least) * inverse_width, 0.0, static_cast<double>(count - 1)));
  }
  double lower_edge(std::size_t bin) const { return least + static_cast<double>(bin) * width; }
};

// [bin * classes + class]: a few fixed blocks of rows, each with its own bins, as many as 64 MB allow; then their sums.
std::vector<Moments> fill_bins(const Binning& bins, std::span<const double> scores,
                               std::span<const std::uint8_t> labels, std::span<const double> weights,
                               std::size_t classes) {
  constexpr std::size_t most_bytes = std::size_t{64} << 20;
  const std::size_t cells = bins.count * classes;
  const std::size_t affordable = std::clamp<std::size_t>(most_bytes / (cells * sizeof(Moments)), 1, 8);
  const std::size_t fill_count = detail::block_count_for(scores.size(), 65536, affordable);
  std::vector<std::vector<Moments>> parts(fill_count);
  detail::parallel_for(fill_count, [&](std::size_t block) {
    auto& part = parts[block];
    part.resize(cells);
    const auto [begin, end] = detail::block_range(scores.size(), fill_count, block);
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t bin = bins.bin_of(scores[i]);
      const double r = scores[i] - bins.lower_edge(bin);
      const double w = weights.empty() ? 1.0 : weights[i];
      Moments& cell = part[bin * classes + labels[i]];
      cell.weight += w;
      cell.first += w * r;
      cell.second += w * r * r;
    }
  });
  const std::size_t merge_count = detail::block_count_for(cells, 8192, 16);
  detail::parallel_for(merge_count, [&](std::size_t block) {
    const auto [begin, end] = detail::block_range(cells, merge_count, block);
    for (std::size_t part = 1; part < fill_count; ++part) {
      for (std::size_t c = begin; c < end; ++c) {
        parts[0][c].weight += parts[part][c].weight;
        parts[0][c].first += parts[part][c].first;
        parts[0][c].second += parts[part][c].second;
      }
    }
  });
  return std::move(parts[0]);
}

}  // namespace

detail::BinGrid::BinGrid(std::span<const double> scores, double margin) {
  const std::size_t block_count = block_count_for(scores.size(), 65536, 16);
  std::vector<std::pair<double, double>> extremes(block_count, {scores[0], scores[0]});
  parallel_for(block_count, [&](std::size_t block) {
    const auto [begin, end] = block_range(scores.size(), block_count, block);
    auto [low, high] = extremes[block];
    for (std::size_t i = begin; i < end; ++i) {
      low = std::min(low, scores[i]);
      high = std::max(high, scores[i]);
    }
    extremes[block] = {low, high};
  });
  least = greatest = scores[0];
  for (const auto& [low, high] : extremes) {
    least = std::min(least, low);
    greatest = std::max(greatest, high);
  }
  width = margin / 1024;
  count = std::floor((greatest - least) / width) + 1;
}

double PairLoss::histogram(std::span<const double> scores, std::span<double> derivative) const {
  const BinGrid grid(scores, margin_);
  // One empty bin more at either end: what lies beyond the scores is found there, with nothing left to guess. Half a
  // bin of clearance, so that rounding puts no score into them.
  const Binning bins{grid.least - 1.5 * grid.width, 1 / grid.width, grid.width,
                     static_cast<std::size_t>(grid.count) + 3};
  const auto classes = static_cast<std::size_t>(class_count_);
  const std::size_t row_count = scores.size();

  const std::vector<Moments> filled = fill_bins(bins, scores, labels_, weights_, classes);
  std::vector<Edge> lower;
  std::vector<Edge> upper;
  detail::parallel_for(2, [&](std::size_t side) {
    (side == 1 ? upper : lower) = detail::edges_of(bins.width, filled, between_, classes, side == 1);
  });

  // Look every object up from both sides.
  const std::size_t block_count = detail::block_count_for(row_count, 16384, 16);
  std::vector<double> losses(block_count);
  detail::parallel_for(block_count, [&](std::size_t block) {
    const auto [begin, end] = detail::block_range(row_count, block_count, block);
    double loss = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double a = scores[i] + margin_;
      const double b = scores[i] - margin_;
      const std::size_t a_bin = bins.bin_of(a);
      const std::size_t b_bin = bins.bin_of(b);
      const Found as_lower =
          detail::look_up(lower[a_bin * classes + labels_[i]], std::max(a - bins.lower_edge(a_bin), 0.0), bins.width);
      const Found as_upper = detail::look_up(upper[b_bin * classes + labels_[i]],
                                             std::max(bins.lower_edge(b_bin + 1) - b, 0.0), bins.width);
      const double w = weight(i);
      loss += w * as_lower.second;
      derivative[i] = 2 * w * (as_lower.first - as_upper.first);
    }
    losses[block] = loss;
  });
  double loss = 0;
  for (const double part : losses) loss += part;
  return loss;
}

}  // namespace xofm
