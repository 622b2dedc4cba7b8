// exp(-gamma |row - point|^2) of every row and every point, the points one column each.
#pragma once

#include <Eigen/Core>

namespace xofm::baselines {

inline Eigen::MatrixXd rbf_kernel(const Eigen::MatrixXd& rows, const Eigen::MatrixXd& points, double gamma) {
  Eigen::MatrixXd values = 2 * rows * points;
  values.colwise() -= rows.rowwise().squaredNorm();
  values.rowwise() -= points.colwise().squaredNorm();
  return (gamma * values.array().min(0)).exp();
}

}  // namespace xofm::baselines
