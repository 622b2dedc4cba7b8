// One cell of two numeric attributes, between two stops of each: the score is bilinear, the cost linear.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/explain/effects.hpp"

namespace xofm::detail {

// A value that an attribute may be given.
struct Stop {
  double value;
  double cost;
  Effect effect;
};

inline double between(const Stop& near, const Stop& far, double share) {
  return share == 1 ? far.value : near.value + share * (far.value - near.value);
}

// At the corners: near is where the cost is least.
struct CellScores {
  double near;
  double far_a;
  double far_b;
  double far;
};

struct ChangeCell {
  std::size_t a;
  std::size_t b;
  const Stop& near_a;
  const Stop& far_a;
  const Stop& near_b;
  const Stop& far_b;
  CellScores scores;
};

// Shares of the cell's sides, in [0, 1].
struct CellPoint {
  double a;
  double b;
};

// The points of the cell with this score that can be the cheapest, cheapest first; width_a and width_b are the cost of
// crossing the cell. With s = A + B p + C q + D p q they lie on an edge, or where the level line touches a line of
// equal cost: (B + D q) / width_a = (C + D p) / width_b; since (B + D q)(C + D p) = D (s - A) + B C, that is two
// points.
std::vector<CellPoint> level_points(const CellScores& scores, double score, double width_a, double width_b);

}  // namespace xofm::detail
