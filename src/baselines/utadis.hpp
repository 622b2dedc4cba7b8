// UTADIS: an additive value with a monotone piecewise linear function per feature, and thresholds between classes.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "baselines/method.hpp"

namespace xofm::baselines {

// 0 at the worst value met in learning, rising by increments[k] over the k-th of equally wide segments.
struct ValueFunction {
  double worst = 0;
  double scale = 0;  // segments per unit of the feature, negative if less is better; 0: constant
  std::vector<double> increments;

  // How much of segment k lies between the worst value and x: 0 .. 1. Values beyond the range count as its end.
  double fill(double x, std::size_t k) const;
  double operator()(double x) const;
};

struct Utadis {
  std::vector<ValueFunction> functions;  // one per feature
  std::vector<double> thresholds;        // between neighbouring classes of `classes`, at least 1 apart
  std::vector<int> classes;              // those with rows, ascending

  double value(const Eigen::MatrixXd& features, Eigen::Index row) const;
};

inline constexpr double utadis_penalty = 1e-4;  // on the sum of increments, per row

Utadis fit_utadis(const Examples& examples, int segment_count, const Effort& effort = {});

}  // namespace xofm::baselines
