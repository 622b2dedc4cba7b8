#include "baselines/layers.hpp"

#include <algorithm>
#include <cmath>

namespace xofm::baselines {

using Eigen::Index;
using Eigen::Map;
using Eigen::MatrixXd;

void Affine::start(std::span<double> parameters, double spread, detail::Random& random) const {
  const double deviation = spread / std::sqrt(static_cast<double>(std::max<Index>(input_count, 1)));
  for (double& weight :
       parameters.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(weight_count()))) {
    weight = deviation * random.normal();
  }
  bias(parameters).setZero();
}

MatrixXd Affine::apply(std::span<const double> parameters, const Eigen::Ref<const MatrixXd>& x) const {
  MatrixXd output(output_count, x.cols());
  output.noalias() = weights(parameters) * x;
  output.colwise() += bias(parameters);
  return output;
}

void Affine::add_gradient(const Eigen::Ref<const MatrixXd>& x, const MatrixXd& output_gradient,
                          std::span<double> gradient) const {
  weights(gradient).noalias() += output_gradient * x.transpose();
  bias(gradient) += output_gradient.rowwise().sum();
}

MatrixXd Affine::back(std::span<const double> parameters, const MatrixXd& output_gradient) const {
  return weights(parameters).transpose() * output_gradient;
}

MatrixXd patches(const Eigen::Ref<const MatrixXd>& values, Index length) {
  const Index height = values.rows();
  MatrixXd result = MatrixXd::Zero(3 * height, values.cols());
  result.middleRows(height, height) = values;
  for (Index start = 0; start < values.cols(); start += length) {
    result.block(0, start + 1, height, length - 1) = values.middleCols(start, length - 1);
    result.block(2 * height, start, height, length - 1) = values.middleCols(start + 1, length - 1);
  }
  return result;
}

MatrixXd from_patches(const MatrixXd& patches, Index length) {
  const Index height = patches.rows() / 3;
  MatrixXd values = patches.middleRows(height, height);
  for (Index start = 0; start < values.cols(); start += length) {
    values.middleCols(start, length - 1) += patches.block(0, start + 1, height, length - 1);
    values.middleCols(start + 1, length - 1) += patches.block(2 * height, start, height, length - 1);
  }
  return values;
}

Tower::Tower(Index length, Index filter_count, Index output_count)
    : length_(length),
      first_{.input_count = 3, .output_count = filter_count},
      second_{.input_count = 3 * filter_count, .output_count = filter_count, .offset = first_.end()},
      dense_{.input_count = filter_count * length, .output_count = output_count, .offset = second_.end()} {}

// Half of the values are cut off by max(0, .), hence weights of variance 2 / input_count (He et al. 2015).
void Tower::start(std::span<double> parameters, detail::Random& random) const {
  for (const Affine& layer : {first_, second_, dense_}) layer.start(parameters, std::sqrt(2.0), random);
}

Tower::Pass Tower::run(std::span<const double> parameters, const MatrixXd& objects) const {
  Pass pass;
  pass.first_patches = patches(Map<const MatrixXd>(objects.data(), 1, objects.size()), length_);
  pass.first = first_.apply(parameters, pass.first_patches).cwiseMax(0);
  pass.second_patches = patches(pass.first, length_);
  pass.second = second_.apply(parameters, pass.second_patches).cwiseMax(0);
  const Map<const MatrixXd> flat(pass.second.data(), dense_.input_count, objects.cols());
  pass.output = dense_.apply(parameters, flat).cwiseMax(0);
  return pass;
}

void Tower::add_gradient(std::span<const double> parameters, const Pass& pass, MatrixXd output_gradient,
                         std::span<double> gradient) const {
  const auto cut = [](MatrixXd& by_output, const MatrixXd& output) {
    by_output.array() *= (output.array() > 0).cast<double>();
  };
  cut(output_gradient, pass.output);
  const Map<const MatrixXd> flat(pass.second.data(), dense_.input_count, pass.output.cols());
  dense_.add_gradient(flat, output_gradient, gradient);
  MatrixXd by_second = dense_.back(parameters, output_gradient);
  by_second.resize(pass.second.rows(), pass.second.cols());  // the same numbers, place by place again
  cut(by_second, pass.second);
  second_.add_gradient(pass.second_patches, by_second, gradient);
  MatrixXd by_first = from_patches(second_.back(parameters, by_second), length_);
  cut(by_first, pass.first);
  first_.add_gradient(pass.first_patches, by_first, gradient);
}

void Adam::step(std::span<double> parameters, std::span<const double> gradient, double rate, double decay) {
  constexpr double mean_memory = 0.9, square_memory = 0.999, least_size = 1e-8;
  mean_share_ *= mean_memory;
  square_share_ *= square_memory;
  for (std::size_t n = 0; n < parameters.size(); ++n) {
    mean_[n] += (1 - mean_memory) * (gradient[n] - mean_[n]);
    square_[n] += (1 - square_memory) * (gradient[n] * gradient[n] - square_[n]);
    const double size = std::sqrt(square_[n] / (1 - square_share_)) + least_size;
    parameters[n] -= rate * (mean_[n] / (1 - mean_share_) / size + decay * parameters[n]);
  }
}

}  // namespace xofm::baselines
