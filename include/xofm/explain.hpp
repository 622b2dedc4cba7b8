// Stage 8, explain: what the model has learned, in curves and pairs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "xofm/model.hpp"

namespace xofm {

// Score as a function of one attribute, up to a constant.
struct AttributeCurve {
  std::vector<double> values;     // at each knot, by ascending knots; or of each level
  std::optional<double> missing;  // of a missing value, on the same scale

  double range() const;  // greatest minus least of `values`: the paper's importance
};

// The paper's view (its Figure 1): u_j alone, zero at the first knot in the attribute's direction; products apart.
AttributeCurve raw_curve(const Model& model, std::size_t attribute);

// What the attribute does on average: u_j, its products with itself, and its products with the mean of all others over
// the training rows. The least value is zero.
AttributeCurve average_curve(const Model& model, std::size_t attribute);

struct PairStrength {
  std::size_t first = 0;
  std::size_t second = 0;
  double range = 0;  // of the pair's products beyond what average_curve holds, over both attributes' knots and levels
};

// All pairs of attributes, strongest first. O(coordinates^2 * factors).
std::vector<PairStrength> pair_strengths(const Model& model);

}  // namespace xofm
