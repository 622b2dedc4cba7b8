// The purified view by its definition: means over the training rows, one pair of rows at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "support/dense_model.hpp"
#include "xofm/explain.hpp"

namespace xofm::test_support {

// One attribute's run of Phi in the order of segment_products: segments by ascending knots.
inline std::vector<double> reading_run(const Model& model, std::size_t j, double value) {
  const AttributeEncoder& encoder = model.encoder.attributes[j];
  std::vector<double> phi = dense_run(encoder, value);
  if (encoder.direction == Direction::decreasing) std::reverse(phi.begin(), phi.begin() + encoder.segment_count());
  return phi;
}

// Sum of Phi_n1 Phi_n2 <v_n1, v_n2> over the coordinates of two attributes.
inline double slow_raw_pair(const Model& model, std::size_t a, double x, std::size_t b, double y) {
  const PairGrid grid = segment_products(model, a, b);
  const auto phi_a = reading_run(model, a, x);
  const auto phi_b = reading_run(model, b, y);
  double sum = 0;
  for (std::size_t n = 0; n < phi_a.size(); ++n) {
    for (std::size_t l = 0; l < phi_b.size(); ++l) sum += phi_a[n] * phi_b[l] * grid.values[n][l];
  }
  return sum;
}

class SlowPurification {
 public:
  SlowPurification(const Model& model, const Dataset& training) : model_(model), training_(training) {
    for (const double w : training.weights) total_ += w;
    for (std::size_t a = 0; a < training.attribute_count(); ++a) {
      base += mean_over(a, [&](double x) { return alone(a, x); });
      for (std::size_t b = a + 1; b < training.attribute_count(); ++b) base += pair_mean(a, b);
    }
  }

  double surface(std::size_t a, double x, std::size_t b, double y) const {
    return slow_raw_pair(model_, a, x, b, y) - mean_along(a, x, b) - mean_along(b, y, a) + pair_mean(a, b);
  }

  double curve(std::size_t a, double x) const {
    double value = alone(a, x) - mean_over(a, [&](double other) { return alone(a, other); });
    for (std::size_t b = 0; b < training_.attribute_count(); ++b) {
      if (b != a) value += mean_along(a, x, b) - pair_mean(a, b);
    }
    return value;
  }

  double base = 0;

 private:
  template <class Function>
  double mean_over(std::size_t j, const Function& function) const {
    double sum = 0;
    for (std::size_t i = 0; i < training_.row_count(); ++i) {
      sum += training_.weights[i] / total_ * function(training_.columns[j][i]);
    }
    return sum;
  }

  // The score of the attribute's own coordinates, all others empty (Equation 4).
  double alone(std::size_t a, double x) const {
    std::vector<double> phi(model_.encoder.coordinate_count());
    const auto run = dense_run(model_.encoder.attributes[a], x);
    std::copy(run.begin(), run.end(), phi.begin() + model_.encoder.offsets[a]);
    return dense_score(model_.parameters, phi);
  }

  double mean_along(std::size_t a, double x, std::size_t b) const {
    return mean_over(b, [&](double y) { return slow_raw_pair(model_, a, x, b, y); });
  }

  double pair_mean(std::size_t a, std::size_t b) const {
    return mean_over(a, [&](double x) { return mean_along(a, x, b); });
  }

  const Model& model_;
  const Dataset& training_;
  double total_ = 0;
};

}  // namespace xofm::test_support
