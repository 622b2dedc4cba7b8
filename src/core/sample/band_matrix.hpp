// Symmetric matrices with two diagonals beside the main one: what curves on knots have in place of full ones.
// Everything costs O(size).
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/base/random.hpp"

namespace xofm::detail {

class BandMatrix {
 public:
  explicit BandMatrix(std::size_t size) : rows_(size) {}

  std::size_t size() const { return rows_.size(); }
  // (row, row - back), back 0 .. 2.
  double& at(std::size_t row, std::size_t back) { return rows_[row][back]; }
  double at(std::size_t row, std::size_t back) const { return rows_[row][back]; }

  void add(const BandMatrix& other, double factor) {
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t b = 0; b < 3; ++b) rows_[i][b] += factor * other.rows_[i][b];
    }
  }

  // x'Ax.
  double form(std::span<const double> x) const {
    double sum = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      sum += rows_[i][0] * x[i] * x[i];
      for (std::size_t b = 1; b <= 2 && b <= i; ++b) sum += 2 * rows_[i][b] * x[i] * x[i - b];
    }
    return sum;
  }

  // Becomes L of A = LL'; A must be positive definite.
  void factorize() {
    for (std::size_t i = 0; i < size(); ++i) {
      auto& row = rows_[i];
      if (i >= 2) row[2] /= rows_[i - 2][0];
      if (i >= 1) row[1] = (row[1] - (i >= 2 ? row[2] * rows_[i - 1][1] : 0.0)) / rows_[i - 1][0];
      row[0] = std::sqrt(row[0] - row[1] * row[1] - row[2] * row[2]);
    }
  }

  // Of L: log det A.
  double log_determinant() const {
    double sum = 0;
    for (const auto& row : rows_) sum += 2 * std::log(row[0]);
    return sum;
  }

  // Of L: a draw from the normal distribution with mean A^-1 b and precision A. It takes the place of b.
  void draw(std::span<double> b, Random& random) const {
    for (std::size_t i = 0; i < size(); ++i) {
      for (std::size_t k = 1; k <= 2 && k <= i; ++k) b[i] -= rows_[i][k] * b[i - k];
      b[i] /= rows_[i][0];
    }
    for (double& y : b) y += random.normal();
    for (std::size_t i = size(); i-- > 0;) {
      for (std::size_t k = 1; k <= 2 && i + k < size(); ++k) b[i] -= rows_[i + k][k] * b[i + k];
      b[i] /= rows_[i][0];
    }
  }

 private:
  std::vector<std::array<double, 3>> rows_;
};

}  // namespace xofm::detail
