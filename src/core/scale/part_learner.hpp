// Training on partitions: the same objective as in memory, from sums over rows that may lie anywhere.
//
// Rows are encoded once, on the union of the knots of all that is to be trained. A recipe's own parameters are written
// on those knots (core/train/average.hpp says how) before they are asked about, and the gradient is brought back by the
// chain rule. There is no sorted sweep across machines: training ends on finer bins, and value and gradient come from
// the same ones.
#pragma once

#include "core/optimize/constraints.hpp"
#include "core/optimize/penalties.hpp"
#include "core/partition/request.hpp"
#include "core/train/learner.hpp"
#include "xofm/partition.hpp"

namespace xofm::detail {

// All partitions, as the driver sees them.
struct PartedRows {
  PartSums sums;
  Encoder encoder;  // by which the rows were encoded
  int class_count = 0;
  Tally tally;  // of all rows
};

// Encoder of no gaps in its numbering; asks for the tally.
PartedRows make_parted_rows(PartSums sums, Encoder encoder, int class_count);

// Weight of a pair of rows of weight 1 by their two classes, divided by the weight of all pairs: [class * classes +
// class].
std::vector<double> pair_shares(const Tally& tally, double margin, PairWeighting weighting);

class PartObjective {
 public:
  // Keeps references.
  PartObjective(const PartedRows& rows, const Encoder& encoder, const Constraints& constraints, const Recipe& recipe,
                double margin, const Penalties& penalties);

  // Point: increments, then factors row by row, on the knots of `encoder`.
  double operator()(std::span<const double> point, std::span<double> gradient) const;

  void set_step(double step) { request_.step = step; }  // width of the bins

 private:
  const PartedRows* rows_;
  const Encoder* encoder_;
  const Constraints* constraints_;
  int factor_count_;
  Penalties penalties_;
  mutable Request request_;
};

// As learn() in core/train/learner.hpp, with the method lbfgs.
Learned learn_parts(const PartedRows& rows, const Encoder& encoder, const TrainOptions& options, const Recipe& recipe,
                    std::uint64_t seed, const ProgressCallback& progress);

// Bins of the first stretch, which brings near, and of the last: shares of the margin.
inline constexpr double coarse_step = 1.0 / 1024;
inline constexpr double fine_step = 1.0 / 8192;

}  // namespace xofm::detail
