// Algorithm 1 to the letter, on dense vectors: lines 5-10 for every pair of the list, all parameters at once.
// With monotone attributes (Section 3.5): increments are squares of free numbers, factors are cut off at zero.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/optimize/constraints.hpp"
#include "support/dense_model.hpp"

namespace xofm::test_support {

struct SlowSgdOptions {
  double margin = 1;
  double learning_rate = 0.01;
  double increment_penalty = 0;
  double factor_penalty = 0;
};

// d l^2 / d theta of the pair: 2 l (dU(lower) - dU(higher)).
inline std::vector<double> slow_pair_gradient(const Parameters& parameters, std::span<const double> higher,
                                              std::span<const double> lower, double margin) {
  const double miss = std::max(0.0, dense_score(parameters, lower) - dense_score(parameters, higher) + margin);
  std::vector<double> gradient = dense_gradient(parameters, lower);
  const std::vector<double> other = dense_gradient(parameters, higher);
  for (std::size_t n = 0; n < gradient.size(); ++n) gradient[n] = 2 * miss * (gradient[n] - other[n]);
  return gradient;
}

// One step. `roots` are the free numbers of bounded increments; weight multiplies the pair's loss, not the penalties.
inline void slow_sgd_step(Parameters& parameters, std::vector<double>& roots, std::span<const double> higher,
                          std::span<const double> lower, double weight, const SlowSgdOptions& options,
                          const detail::Constraints& constraints) {
  const std::vector<double> gradient = slow_pair_gradient(parameters, higher, lower, options.margin);
  const std::size_t count = parameters.increments.size();
  for (std::size_t n = 0; n < count; ++n) {
    double& u = parameters.increments[n];
    const double slope = weight * gradient[n] + 2 * options.increment_penalty * u;
    if (constraints.increments[n] == detail::Bound::free) u -= options.learning_rate * slope;
    if (constraints.increments[n] == detail::Bound::not_negative) {
      roots[n] -= options.learning_rate * slope * 2 * roots[n];
      u = roots[n] * roots[n];
    }
  }
  for (std::size_t i = 0; i < parameters.factors.size(); ++i) {
    double& v = parameters.factors[i];
    const double slope = weight * gradient[count + i] + 2 * options.factor_penalty * v;
    if (constraints.factors[i] == detail::Bound::zero) continue;
    v -= options.learning_rate * slope;
    if (constraints.factors[i] == detail::Bound::not_negative) v = std::max(v, 0.0);
  }
}

}  // namespace xofm::test_support
