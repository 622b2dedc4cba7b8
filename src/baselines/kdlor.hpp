// The parts of KDLOR (kdlor.cpp), apart for the tests.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "baselines/method.hpp"

namespace xofm::baselines {

// The point of the simplex (non-negative, sum 1) with the least a'Qa; Q symmetric, positive semidefinite.
Eigen::VectorXd minimize_on_simplex(const Eigen::MatrixXd& q);

struct KdlorOptions {
  double gamma = 1;          // of the kernel exp(-gamma |x - x'|^2)
  double ridge = 1e-3;       // added to the within-class scatter
  int max_landmarks = 1000;  // the direction is a combination of so many rows' images at most
};

// The direction is sum_l coefficients_l phi(landmark_l).
struct Kdlor {
  double gamma = 1;
  Eigen::MatrixXd landmarks;  // one per column
  Eigen::VectorXd coefficients;
  std::vector<double> thresholds;  // ascending, between the classes below
  std::vector<int> classes;        // those that have rows, ascending

  Eigen::VectorXd project(const Eigen::MatrixXd& features) const;
};
Kdlor fit_kdlor(const Examples& examples, const KdlorOptions& options, std::uint64_t seed);

}  // namespace xofm::baselines
