// The parts of OFMHS (ofmhs.cpp), apart for the tests.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "baselines/method.hpp"

namespace xofm::baselines {

// The score of a row is main'x + x' pairs x; its rank is the number of thresholds below.
struct OrdinalFm {
  Eigen::VectorXd main;
  Eigen::MatrixXd pairs;  // symmetric
  Eigen::VectorXd thresholds;

  Eigen::VectorXd scores(const Eigen::MatrixXd& features) const;
};

// Mean over rows of sum_k log(1 + exp(-s (threshold_k - score))), s = 1 for rows of rank k or less and -1 for the rest.
// Writes the derivatives by all entries, those of `pairs` taken apart: their matrix is symmetric too.
double ordinal_loss(const Eigen::MatrixXd& features, const std::vector<int>& ranks, const OrdinalFm& model,
                    OrdinalFm& gradient);

// argmin over v of strength |v| + |v - point|^2 / 2 for each row v of a matrix, |v| the length.
Eigen::MatrixXd shrink_rows(const Eigen::MatrixXd& point, double strength);

// argmin over symmetric V of strength |V|_* + |V - point|^2 / 2, |V|_* the sum of absolute eigenvalues.
Eigen::MatrixXd shrink_spectrum(const Eigen::MatrixXd& point, double strength);

struct OfmhsOptions {
  double sparsity = 0.01;
  double low_rank = 0.01;
  int max_steps = 100;
  double tolerance = 1e-3;  // of the copies' disagreement and of their last move, relative to the parameters
};

// ordinal_loss + sparsity * sum_j |(main_j, pairs_j.)| + low_rank * |pairs|_*.
double ofmhs_objective(const Eigen::MatrixXd& features, const std::vector<int>& ranks, const OrdinalFm& model,
                       const OfmhsOptions& options);

// Ranks 0 .. rank_count - 1, each with rows.
OrdinalFm fit_ofmhs(const Eigen::MatrixXd& features, const std::vector<int>& ranks, int rank_count,
                    const OfmhsOptions& options, const Effort& effort = {});

}  // namespace xofm::baselines
