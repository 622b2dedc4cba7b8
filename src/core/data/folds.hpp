// Rows class by class, drawn anew, and dealt into folds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "xofm/dataset.hpp"

namespace xofm::detail {

// [class]: its rows, ascending. Labels lie in 0 .. class_count-1.
std::vector<std::vector<std::size_t>> rows_by_class(std::span<const int> labels, int class_count);

// A fold number 0 .. fold_count-1 per row, each class spread evenly over the folds.
std::vector<int> stratified_folds(std::span<const int> labels, int class_count, int fold_count, std::uint64_t seed);

// As many rows as there are, drawn with replacement class by class.
std::vector<std::size_t> draw_rows(std::span<const int> labels, int class_count, std::uint64_t seed,
                                   std::uint64_t draw);

// The rows, and the folds that they are in: fit f learns from the rows outside fold f.
class Folds {
 public:
  static constexpr int in_none = -1;

  // Keeps a pointer to the rows. `is_held_out`: only the first of the folds is ever left out, the rows of the others
  // are always learned from.
  Folds(const Dataset& data, int fold_count, std::uint64_t seed, bool is_held_out = false);

  const Dataset& data() const { return *data_; }
  std::size_t count() const { return learning_.size(); }
  int fold_of(std::size_t row) const { return fold_of_row_[row]; }
  bool is_held_out() const { return is_held_out_; }
  const Dataset& learning(std::size_t fold) const { return learning_[fold]; }           // the rows outside it
  const std::vector<std::size_t>& rows(std::size_t fold) const { return rows_[fold]; }  // those in it
  // The rows' weights, zero in the fold.
  const std::vector<double>& weights(std::size_t fold) const { return weights_[fold]; }

 private:
  const Dataset* data_;
  bool is_held_out_;
  std::vector<int> fold_of_row_;
  std::vector<Dataset> learning_;
  std::vector<std::vector<std::size_t>> rows_;
  std::vector<std::vector<double>> weights_;
};

}  // namespace xofm::detail
