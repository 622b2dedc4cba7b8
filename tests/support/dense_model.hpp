// The model as the paper writes it: the attribute vector Phi with all its entries (Definition 1), the double sum of
// Equation 4, the gradient of Section 3.3. O(coordinates^2) a row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "xofm/dataset.hpp"
#include "xofm/encoder.hpp"
#include "xofm/parameters.hpp"

namespace xofm::test_support {

// Definition 1 for ascending knots: 1 beyond the segment, a fraction inside, 0 before.
inline std::vector<double> definition_1(std::span<const double> knots, double x) {
  std::vector<double> phi;
  for (std::size_t k = 1; k < knots.size(); ++k) {
    if (x > knots[k]) {
      phi.push_back(1);
    } else if (knots[k - 1] <= x) {
      phi.push_back((x - knots[k - 1]) / (knots[k] - knots[k - 1]));
    } else {
      phi.push_back(0);
    }
  }
  return phi;
}

// One attribute's run of Phi. Decreasing: Definition 1 on the mirrored scale. Levels, special values, missing: one
// entry each. A missing value must have been expected.
inline std::vector<double> dense_run(const AttributeEncoder& attribute, double x) {
  std::vector<double> phi;
  const bool is_special = std::find(attribute.special.begin(), attribute.special.end(), x) != attribute.special.end();
  if (attribute.kind == AttributeKind::categorical) {
    for (int c = 0; c < attribute.level_count; ++c) phi.push_back(x == c ? 1 : 0);
  } else if (attribute.knots.size() == 1 || std::isnan(x) || is_special) {
    phi.assign(static_cast<std::size_t>(attribute.segment_count()), 0.0);
  } else if (attribute.direction == Direction::decreasing) {
    std::vector<double> mirrored;
    for (std::size_t k = attribute.knots.size(); k-- > 0;) mirrored.push_back(-attribute.knots[k]);
    phi = definition_1(mirrored, -x);
  } else {
    phi = definition_1(attribute.knots, x);
  }
  for (const double value : attribute.special) phi.push_back(x == value ? 1 : 0);
  if (attribute.has_missing) phi.push_back(std::isnan(x) ? 1 : 0);
  return phi;
}

inline std::vector<double> dense_phi(const Encoder& encoder, const Dataset& data, std::size_t row) {
  std::vector<double> phi;
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    const auto run = dense_run(encoder.attributes[j], data.columns[j][row]);
    phi.insert(phi.end(), run.begin(), run.end());
  }
  return phi;
}

// Equation 4.
inline double dense_score(const Parameters& parameters, std::span<const double> phi) {
  const auto k = static_cast<std::size_t>(parameters.factor_count);
  double score = 0;
  for (std::size_t n = 0; n < phi.size(); ++n) score += parameters.increments[n] * phi[n];
  for (std::size_t n1 = 0; n1 < phi.size(); ++n1) {
    for (std::size_t n2 = n1 + 1; n2 < phi.size(); ++n2) {
      double product = 0;
      for (std::size_t f = 0; f < k; ++f) product += parameters.factors[n1 * k + f] * parameters.factors[n2 * k + f];
      score += product * phi[n1] * phi[n2];
    }
  }
  return score;
}

// The size of the terms that the fast form adds up: rounding is relative to it, not to the score.
inline double score_scale(const Parameters& parameters, std::span<const double> phi) {
  const auto k = static_cast<std::size_t>(parameters.factor_count);
  double scale = 0;
  for (std::size_t n = 0; n < phi.size(); ++n) scale += std::abs(parameters.increments[n] * phi[n]);
  for (std::size_t f = 0; f < k; ++f) {
    double sum = 0;
    for (std::size_t n = 0; n < phi.size(); ++n) sum += std::abs(parameters.factors[n * k + f] * phi[n]);
    scale += sum * sum;
  }
  return scale;
}

// dU/du_n = Phi_n; dU/dv_nf = Phi_n sum_r v_rf Phi_r - v_nf Phi_n^2. Increments, then factors row by row.
inline std::vector<double> dense_gradient(const Parameters& parameters, std::span<const double> phi) {
  const auto k = static_cast<std::size_t>(parameters.factor_count);
  std::vector<double> gradient(phi.begin(), phi.end());
  for (std::size_t n = 0; n < phi.size(); ++n) {
    for (std::size_t f = 0; f < k; ++f) {
      double sum = 0;
      for (std::size_t r = 0; r < phi.size(); ++r) sum += parameters.factors[r * k + f] * phi[r];
      gradient.push_back(phi[n] * sum - parameters.factors[n * k + f] * phi[n] * phi[n]);
    }
  }
  return gradient;
}

}  // namespace xofm::test_support
