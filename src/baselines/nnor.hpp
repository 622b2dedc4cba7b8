// The network of NNOR and what it minimises.
#pragma once

#include "baselines/layers.hpp"
#include "baselines/method.hpp"

namespace xofm::baselines {

class NnorNetwork {
 public:
  NnorNetwork(Eigen::Index feature_count, Eigen::Index hidden_count, int class_count);

  Eigen::Index parameter_count() const { return output_.end(); }
  std::vector<double> start(detail::Random& random) const;

  // Mean over the objects (columns) of the cross-entropies of all outputs, plus decay / 2 times the sum of squared
  // weights (biases are free). Writes the gradient.
  double loss(const Eigen::MatrixXd& objects, std::span<const int> labels, double decay,
              std::span<const double> parameters, std::span<double> gradient);
  std::vector<int> predict(const Eigen::MatrixXd& objects, std::span<const double> parameters) const;

 private:
  Affine hidden_, output_;
  Eigen::MatrixXd hidden_values_, outputs_, hidden_gradient_;  // of loss: their memory is used again
};

}  // namespace xofm::baselines
