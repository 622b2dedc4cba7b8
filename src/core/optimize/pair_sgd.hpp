// The paper's Algorithm 1: stochastic gradient descent, one ordered pair at a time.
//
// Kept as the paper has it, as the yardstick for the full-gradient way. Every ordered pair comes once per epoch, in
// a seeded random order that is never stored; one pair is one simultaneous step of all parameters. With monotone
// attributes: increments are squares of free numbers, factors are projected after each step (Section 3.5).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/optimize/constraints.hpp"
#include "core/optimize/objective.hpp"
#include "xofm/encoder.hpp"
#include "xofm/optimize.hpp"
#include "xofm/parameters.hpp"

namespace xofm::detail {

// The ordered pairs (higher, lower) by number, without a list of them.
class OrderedPairs {
 public:
  // Rows of weight zero are in no pair; weights empty means 1 for all.
  OrderedPairs(std::span<const int> labels, int class_count, std::span<const double> weights = {});

  struct Pair {
    std::uint32_t higher;
    std::uint32_t lower;
  };
  std::uint64_t count() const { return starts_.back(); }
  Pair operator[](std::uint64_t number) const;

 private:
  struct Block {  // all pairs of two classes
    const std::vector<std::uint32_t>* higher;
    const std::vector<std::uint32_t>* lower;
  };
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<Block> blocks_;
  std::vector<std::uint64_t> starts_;  // first pair of each block, and the total
};

struct SgdProblem {
  const Encoder& encoder;
  const EncodedRows& rows;
  std::span<const int> labels;
  std::span<const double> weights;  // empty: all 1
  const PairLoss& loss;             // for the margin and the weights of class pairs
  Penalties penalties;
  const Constraints& constraints;
};

// `evaluate` is called after each epoch for the exact objective; the best epoch's parameters are returned as a point
// (increments, then factors). The callback gets the epochs done (fractions within an epoch) and the best objective.
Minimum minimize_sgd(const SgdProblem& problem, Parameters start, const OptimizerOptions& options, int max_epochs,
                     const Objective& evaluate, const std::function<bool(double, double)>& progress = {});

}  // namespace xofm::detail
