// Which parameters are bounded or fixed, so that monotone attributes stay monotone (paper, Section 3.5; DESIGN.md 3).
//
// The increments of a monotone attribute are not negative. The factors are split: the first `shared` ones are not
// negative and used by all rows, the others are free in sign and zero in the rows of monotone attributes. Then every
// product with a monotone attribute's row is not negative, and free attributes keep signed interactions.
#pragma once

#include <cstdint>
#include <vector>

#include "xofm/encoder.hpp"
#include "xofm/parameters.hpp"

namespace xofm::detail {

enum class Bound : std::uint8_t { free, not_negative, zero };

struct Constraints {
  std::vector<Bound> increments;  // per coordinate
  std::vector<Bound> factors;     // per coordinate and factor
  bool any_bounded = false;

  // The bounds as L-BFGS-B takes them, over increments then factors; empty when there are none.
  std::vector<double> lower_bounds() const;
  // Sets what must be zero to zero and what must not be negative to at least zero.
  void project(Parameters& parameters) const;
};

Constraints find_constraints(const Encoder& encoder, int factor_count);

}  // namespace xofm::detail
