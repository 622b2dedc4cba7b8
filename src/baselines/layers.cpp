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

void Affine::apply(std::span<const double> parameters, const Eigen::Ref<const MatrixXd>& x, MatrixXd& output) const {
  output.noalias() = weights(parameters) * x;
  output.colwise() += bias(parameters);
}

void Affine::add_gradient(const Eigen::Ref<const MatrixXd>& x, const MatrixXd& output_gradient,
                          std::span<double> gradient) const {
  weights(gradient).noalias() += output_gradient * x.transpose();
  bias(gradient) += output_gradient.rowwise().sum();
}

void Affine::back(std::span<const double> parameters, const MatrixXd& output_gradient, MatrixXd& x_gradient) const {
  x_gradient.noalias() = weights(parameters).transpose() * output_gradient;
}

void to_patches(const Eigen::Ref<const MatrixXd>& values, Index length, MatrixXd& patches) {
  const Index height = values.rows();
  patches.setZero(3 * height, values.cols());
  patches.middleRows(height, height) = values;
  for (Index start = 0; start < values.cols(); start += length) {
    patches.block(0, start + 1, height, length - 1) = values.middleCols(start, length - 1);
    patches.block(2 * height, start, height, length - 1) = values.middleCols(start + 1, length - 1);
  }
}

void from_patches(const MatrixXd& patches, Index length, MatrixXd& values) {
  const Index height = patches.rows() / 3;
  values = patches.middleRows(height, height);
  for (Index start = 0; start < values.cols(); start += length) {
    values.middleCols(start, length - 1) += patches.block(0, start + 1, height, length - 1);
    values.middleCols(start + 1, length - 1) += patches.block(2 * height, start, height, length - 1);
  }
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

void Tower::run(std::span<const double> parameters, const MatrixXd& objects, Pass& pass) const {
  to_patches(Map<const MatrixXd>(objects.data(), 1, objects.size()), length_, pass.first_patches);
  first_.apply(parameters, pass.first_patches, pass.first);
  pass.first = pass.first.cwiseMax(0);
  to_patches(pass.first, length_, pass.second_patches);
  second_.apply(parameters, pass.second_patches, pass.second);
  pass.second = pass.second.cwiseMax(0);
  dense_.apply(parameters, Map<const MatrixXd>(pass.second.data(), dense_.input_count, objects.cols()), pass.output);
  pass.output = pass.output.cwiseMax(0);
}

void Tower::add_gradient(std::span<const double> parameters, Pass& pass, std::span<double> gradient) const {
  const auto cut = [](MatrixXd& by_output, const MatrixXd& output) {
    by_output.array() *= (output.array() > 0).cast<double>();
  };
  cut(pass.output_gradient, pass.output);
  const Map<const MatrixXd> flat(pass.second.data(), dense_.input_count, pass.output.cols());
  dense_.add_gradient(flat, pass.output_gradient, gradient);
  dense_.back(parameters, pass.output_gradient, pass.second_gradient);
  pass.second_gradient.resize(pass.second.rows(), pass.second.cols());  // the same numbers, place by place again
  cut(pass.second_gradient, pass.second);
  second_.add_gradient(pass.second_patches, pass.second_gradient, gradient);
  second_.back(parameters, pass.second_gradient, pass.second_patches_gradient);
  from_patches(pass.second_patches_gradient, length_, pass.first_gradient);
  cut(pass.first_gradient, pass.first);
  first_.add_gradient(pass.first_patches, pass.first_gradient, gradient);
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
