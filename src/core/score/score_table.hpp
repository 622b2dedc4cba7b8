// Scores of encoded rows and their gradient, in O(attributes * factors) a row, whatever the number of segments.
//
//   U = sum_n u_n Phi_n + sum_{n1 < n2} <v_n1, v_n2> Phi_n1 Phi_n2                            (paper, Equation 4)
//     = sum_n u_n Phi_n + 1/2 ( |sum_n Phi_n v_n|^2 - sum_n Phi_n^2 |v_n|^2 )                 (Rendle 2010)
//
// Per attribute Phi is a run of ones, one fraction, zeros; with sums over the coordinates before each one, an
// attribute contributes base + fraction * step to u.Phi and to the factor sum, whichever segment it is in. The gradient
// is the mirror image: each row adds to the sums of its own coordinates only, and one suffix sum per attribute
// spreads them to the coordinates before.
#pragma once

#include <span>
#include <vector>

#include "core/base/parallel.hpp"
#include "xofm/encoder.hpp"
#include "xofm/parameters.hpp"

namespace xofm::detail {

class ScoreTable {
 public:
  ScoreTable(const Encoder& encoder, int factor_count);

  // Takes new parameters: increments, and factors row by row with the factor_count given above.
  void load(std::span<const double> increments, std::span<const double> factors);

  // scores[i] for the rows in range.
  void score(const EncodedRows& rows, Range range, std::span<double> scores) const;

  // Gradient of sum_i row_weights[i] * U(x_i) with respect to increments and factors (both overwritten).
  // Rows are taken in fixed blocks and added up in order: the same bits for any number of threads.
  void gradient(const EncodedRows& rows, std::span<const double> row_weights, std::span<double> increments,
                std::span<double> factors) const;

  // The same in parts: rows of any origin are added to `sum_count` sums, which are then made the gradient.
  std::size_t sum_count() const { return table_.size(); }
  void add_gradient(const EncodedRows& rows, Range range, std::span<const double> row_weights,
                    std::span<double> sums) const;
  void spread(std::span<const double> sums, std::span<double> increments, std::span<double> factors) const;

 private:
  // Cells of one coordinate in table_:  base, step, bend, -, base of each factor, step of each factor; an attribute
  // at (coordinate, f) adds base + f * (step + f * bend) to the score outside the factor sum.
  // Cells in a gradient sum:  g, g f, g f^2, -, g S of each factor, g f S of each factor.
  template <int Padded, class Fraction>
  void score_rows(const EncodedRows& rows, const Fraction* fractions, Range range, double* scores) const;
  template <int Padded, class Fraction>
  void gradient_rows(const EncodedRows& rows, const Fraction* fractions, Range range, const double* row_weights,
                     double* sums) const;

  const Encoder* encoder_;
  int factor_count_;
  int padded_;  // factor_count_ rounded up so that the inner loops have a known length
  std::size_t stride_;
  std::vector<double> table_;
  std::vector<double> squared_norms_;  // |v_n|^2
  std::vector<double> loaded_factors_;
};

// Scores of all rows under the parameters, on all threads.
std::vector<double> score_rows(const Encoder& encoder, const Parameters& parameters, const EncodedRows& rows);

}  // namespace xofm::detail
