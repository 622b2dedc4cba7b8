// Scores by class in bins that other rows share without having asked: edges are multiples of the width, and widths are
// a step times a power of two. So histograms of any rows can be added, the finer one made coarser first; no range has
// to be agreed upon before. What is kept is bounded: bins become wider where scores spread far.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/loss/pair_edges.hpp"
#include "core/partition/bytes.hpp"

namespace xofm::detail {

struct ScoreBins {
  static constexpr std::size_t most_cells = std::size_t{1} << 19;  // bins x classes: 12 MB

  double step = 0;         // width at level 0
  std::int32_t level = 0;  // the width is step * 2^level
  std::int64_t first = 0;  // number of the first bin: its lower edge is first * width
  std::uint32_t classes = 0;
  bool is_finite = true;            // false: a score was no number, or too far away to count; then nothing else holds
  std::vector<Moments> cells = {};  // [bin * classes + class]
  // Least number of a row in each cell, UINT64_MAX if none; empty: not asked for.
  std::vector<std::uint64_t> rows = {};
  std::vector<double> least = {};  // score of each class
  std::vector<double> greatest = {};

  double width() const { return std::ldexp(step, level); }
  std::size_t bin_count() const { return cells.size() / classes; }
  double lower_edge(std::size_t bin) const {
    return static_cast<double>(first + static_cast<std::int64_t>(bin)) * width();
  }
};

// The scores of some rows; `first_row` is the number of the first, or none if rows are not asked for.
ScoreBins bin_scores(std::span<const double> scores, std::span<const std::uint8_t> labels,
                     std::span<const double> weights, std::uint32_t classes, double step,
                     std::optional<std::uint64_t> first_row = std::nullopt);

// Adds the scores of other rows, binned by the same step.
void add_bins(ScoreBins& bins, ScoreBins other);

// Of a result of run_partition.
ScoreBins read_score_bins(ByteView result);

void write_bins(ByteWriter& out, const ScoreBins& bins);
ScoreBins read_bins(ByteReader& in);

// Finds for any row what it gains and loses by all pairs that it is in.
class PairSums {
 public:
  // `between`: weight of a pair by its two classes.
  PairSums(const ScoreBins& bins, std::span<const double> between, double margin);

  struct RowSums {
    double loss;   // of the pairs in which the row is the lower object
    double slope;  // derivative of the loss with respect to the score
  };
  RowSums of(double score, std::size_t label) const;

 private:
  std::size_t bin_of(double score) const;
  double lower_edge(std::size_t bin) const;

  std::size_t classes_;
  double margin_;
  double width_;
  std::int64_t first_;  // an empty bin at either end: what lies beyond the scores is found there
  std::size_t count_;
  std::vector<Edge> lower_;
  std::vector<Edge> upper_;
};

}  // namespace xofm::detail
