// Draws from the distributions that the Gibbs sampler needs, the same on every machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/random.hpp"

namespace xofm::detail {

// log(Phi(high) - Phi(low)) of the standard normal, from the side where neither is near 1.
inline double log_normal_share(double low, double high) {
  constexpr double least = 1e-300;
  const auto upper = [](double x) { return 0.5 * std::erfc(x / std::numbers::sqrt2); };
  const double share = low + high > 0 ? upper(low) - upper(high) : upper(-high) - upper(-low);
  return std::log(std::max(share, least));
}

// A standard normal number between low and high, either of which may be infinite, by rejection (Robert 1995).
inline double truncated_normal(double low, double high, Random& random) {
  if (high < 0) return -truncated_normal(-high, -low, random);
  if (low <= 0) {
    constexpr double narrow = 2.5066282746310002;  // sqrt(2 pi): uniform numbers are then accepted as often
    if (high - low < narrow) {
      while (true) {
        const double z = low + (high - low) * random.uniform();
        if (random.uniform() < std::exp(-z * z / 2)) return z;
      }
    }
    while (true) {
      const double z = random.normal();
      if (z >= low && z <= high) return z;
    }
  }
  // In the tail: exponential numbers from `low` on, or, if the interval is short, uniform ones.
  const double rate = (low + std::sqrt(low * low + 4)) / 2;
  const bool is_short = high - low < 1 / rate;
  while (true) {
    const double u = 1 - random.uniform();
    const double z = is_short ? low + (high - low) * (1 - u) : low - std::log(u) / rate;
    if (z > high) continue;
    const double away = z - rate;
    const double log_acceptance = is_short ? (low * low - z * z) / 2 : -away * away / 2;
    if (std::log(1 - random.uniform()) < log_acceptance) return z;
  }
}

// The next number of a chain whose distribution has this log density, by slice sampling: stepping out, then shrinking
// (Neal 2003).
template <class LogDensity>
double slice_sample(double x, double width, const LogDensity& log_density, Random& random) {
  constexpr int most_steps = 50;
  const double level = log_density(x) + std::log(1 - random.uniform());
  double left = x - width * random.uniform();
  double right = left + width;
  int left_steps = static_cast<int>(random.below(most_steps));
  int right_steps = most_steps - 1 - left_steps;
  while (left_steps-- > 0 && log_density(left) > level) left -= width;
  while (right_steps-- > 0 && log_density(right) > level) right += width;
  while (true) {
    const double next = left + (right - left) * random.uniform();
    if (log_density(next) > level || next == x) return next;
    (next < x ? left : right) = next;
  }
}

}  // namespace xofm::detail
