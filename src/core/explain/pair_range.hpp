// Purified pair surfaces as products of deviations.
#pragma once

#include <utility>
#include <vector>

#include "core/explain/effects.hpp"
#include "xofm/explain.hpp"

namespace xofm::detail {

// Throws Error{invalid_option} unless the model has u and V.
void need_parameters(const Model& model);

// S_j - E S_j at the attribute's knots or levels, and of a missing value if training had any.
std::vector<std::vector<double>> stop_deviations(const Effects& effects, std::size_t attribute);

// Greatest minus least product of one of the first with one of the second.
double product_range(const std::vector<std::vector<double>>& first, const std::vector<std::vector<double>>& second);

// The deviations of all attributes, laid out for products of many pairs.
class PairRanges {
 public:
  explicit PairRanges(const Effects& effects);

  // Greatest minus least product of a deviation of the first with one of the second.
  double range(std::size_t first, std::size_t second) const;

  // The strongest of the pairs, strongest first; of equally strong ones those that come first.
  std::vector<PairStrength> strongest(const std::vector<std::pair<std::size_t, std::size_t>>& pairs) const;
  // The same of all pairs of attributes. |<x, y>| <= |x| |y|: pairs whose longest deviations are too short are passed
  // over.
  std::vector<PairStrength> strongest_of_all(std::size_t count) const;

 private:
  // Pairs of attributes at these places of `by_length_`, with a range of at least `least`.
  void add_pairs(std::size_t first, std::size_t end, double least, std::vector<PairStrength>& found) const;

  struct Table {
    std::size_t stop_count = 0;
    std::vector<double> values;  // [factor][stop]
  };
  std::size_t length_ = 0;  // of S
  std::vector<Table> tables_;
  std::vector<double> longest_;         // per attribute
  std::vector<std::size_t> by_length_;  // attributes, the longest deviations first
};

}  // namespace xofm::detail
