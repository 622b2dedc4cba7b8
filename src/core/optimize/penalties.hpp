// What the objective adds to the loss so that curves and interactions stay simple.
//
//   increment |u|^2 + factor |V|_F^2                                                       (paper, Section 3.4)
//   + smoothness * sum over neighbouring segments of (u_n+1 - u_n)^2 + |v_n+1 - v_n|^2     second differences of curves
//   + sparsity * sum over coordinates of |u_n| + 3 |v_n|                                   few steep segments
//   + pair * sum over attributes of |V_j|                                                  few attributes in pairs
//
// V_j are the factor rows v_n of attribute j. A blur makes norms smooth at zero: |x| stands for sqrt(|x|^2 + blur^2).
// Attributes that the pair penalty has brought near zero are set to zero after training.
#pragma once

#include <span>

#include "xofm/encoder.hpp"
#include "xofm/parameters.hpp"

namespace xofm::detail {

struct Penalties {
  double increment = 0;
  double factor = 0;
  double smoothness = 0;
  double pair = 0;
  double sparsity = 0;
};

inline constexpr double group_blur = 1e-3;
inline constexpr double norm_blur = 1e-2;
// An interaction is a product of two rows, so a row may be long where an increment of the same effect is short.
inline constexpr double factor_sparsity = 3;

// Returns the penalty at the point (increments, then factors row by row) and adds its gradient.
double add_penalties(const Encoder& encoder, int factor_count, const Penalties& penalties,
                     std::span<const double> point, std::span<double> gradient);

// Sets the factors of attributes to zero whose norm the pair penalty has brought to the size of the blur.
void drop_vanished_groups(const Encoder& encoder, const Penalties& penalties, Parameters& parameters);

}  // namespace xofm::detail
