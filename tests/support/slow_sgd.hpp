// Algorithm 1 to the letter, on dense vectors: lines 5-10 for every pair of the list, all parameters at once. Adagrad
// and Adam by their definitions, from all gradients other than zero that a parameter has ever had. With monotone
// attributes (Section 3.5): increments are squares of free numbers, factors are cut off at zero.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/optimize/constraints.hpp"
#include "support/dense_model.hpp"
#include "xofm/optimize.hpp"

namespace xofm::test_support {

struct SlowSgdOptions {
  double margin = 1;
  StepRule step = StepRule::constant;
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

// [parameter]: its gradients so far.
using GradientHistory = std::vector<std::vector<double>>;

inline double slow_step(const SlowSgdOptions& options, std::vector<double>& history, double gradient) {
  if (options.step == StepRule::constant) return options.learning_rate * gradient;
  if (gradient == 0) return 0;
  history.push_back(gradient);
  const auto fading = [&](double memory, int power) {
    double sum = 0;
    double weights = 0;
    for (std::size_t i = 0; i < history.size(); ++i) {
      const double weight = std::pow(memory, static_cast<double>(history.size() - 1 - i));
      sum += weight * std::pow(history[i], power);
      weights += weight;
    }
    return options.step == StepRule::adagrad ? sum : sum / weights;
  };
  if (options.step == StepRule::adagrad) return options.learning_rate * gradient / (std::sqrt(fading(1, 2)) + 1e-8);
  return options.learning_rate * fading(0.9, 1) / (std::sqrt(fading(0.999, 2)) + 1e-8);
}

// One step. `roots` are the free numbers of bounded increments; weight multiplies the pair's loss, not the penalties.
inline void slow_sgd_step(Parameters& parameters, std::vector<double>& roots, GradientHistory& history,
                          std::span<const double> higher, std::span<const double> lower, double weight,
                          const SlowSgdOptions& options, const detail::Constraints& constraints) {
  const std::vector<double> gradient = slow_pair_gradient(parameters, higher, lower, options.margin);
  const std::size_t count = parameters.increments.size();
  for (std::size_t n = 0; n < count; ++n) {
    double& u = parameters.increments[n];
    const double slope = weight * gradient[n] + 2 * options.increment_penalty * u;
    if (constraints.increments[n] == detail::Bound::free) u -= slow_step(options, history[n], slope);
    if (constraints.increments[n] == detail::Bound::not_negative) {
      roots[n] -= slow_step(options, history[n], slope * 2 * roots[n]);
      u = roots[n] * roots[n];
    }
  }
  for (std::size_t i = 0; i < parameters.factors.size(); ++i) {
    double& v = parameters.factors[i];
    const double slope = weight * gradient[count + i] + 2 * options.factor_penalty * v;
    if (constraints.factors[i] == detail::Bound::zero) continue;
    v -= slow_step(options, history[count + i], slope);
    if (constraints.factors[i] == detail::Bound::not_negative) v = std::max(v, 0.0);
  }
}

}  // namespace xofm::test_support
