// What an object finds among binned scores: of all pairs that it is in, without visiting one.
//
// Running over the bins gives, at every edge e and for every class, the sums over the partners below e of 1, (e - s),
// (e - s)^2. An object with a = score + margin, t above the edge of its bin, then finds
//   sum (a - s)^2 = S2 + 2 t S1 + t^2 W
// over all full bins in one look-up. Only the partners in the very bin that holds a are unknown; they are taken as
// spread evenly over the bin. Moments about the edges: no cancellation. The upper object's side is the same on mirrored
// scores and classes.
#pragma once

#include <span>
#include <vector>

namespace xofm::detail {

// Of the scores of one class in one bin: sums of 1, r, r^2 (r: distance from the bin's lower edge), weighted.
struct Moments {
  double weight = 0;
  double first = 0;
  double second = 0;
};

// What an object of one class finds at the lower edge of one bin.
struct Edge {
  Moments below;    // of the partners under the edge: sums of 1, (edge - s), (edge - s)^2
  double here = 0;  // weight of the partners in the bin itself
};

// Runs over the bins: upwards for the lower objects (partners: higher classes, lower scores), downwards for the upper.
// `filled` is [bin * classes + class], `between` the weight of a pair by its two classes.
std::vector<Edge> edges_of(double width, std::span<const Moments> filled, std::span<const double> between,
                           std::size_t classes, bool is_upper);

// Sums of (a - s) and (a - s)^2.
struct Found {
  double first;
  double second;
};

// `t`: distance from the edge to a, not negative.
inline Found look_up(const Edge& edge, double t, double width) {
  const double spread = edge.here * t / width;  // partners of this bin that lie within t
  return {edge.below.first + t * (edge.below.weight + spread / 2),
          edge.below.second + t * (2 * edge.below.first + t * (edge.below.weight + spread / 3))};
}

}  // namespace xofm::detail
