// What the neural rivals are made of. Objects are columns; all parameters of a network lie in one flat row of numbers,
// in which every layer has its place, so that optimizers and gradient checks need to know nothing of layers. Results go
// to matrices of the caller, who keeps their memory.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "core/base/random.hpp"

namespace xofm::baselines {

// x -> weights * x + bias.
struct Affine {
  Eigen::Index input_count = 0;
  Eigen::Index output_count = 0;
  Eigen::Index offset = 0;  // of the weights (column-major) among the parameters; the bias follows

  Eigen::Index weight_count() const { return input_count * output_count; }
  Eigen::Index end() const { return offset + weight_count() + output_count; }

  Eigen::Map<const Eigen::MatrixXd> weights(std::span<const double> parameters) const {
    return {parameters.data() + offset, output_count, input_count};
  }
  Eigen::Map<const Eigen::VectorXd> bias(std::span<const double> parameters) const {
    return {parameters.data() + offset + weight_count(), output_count};
  }
  Eigen::Map<Eigen::MatrixXd> weights(std::span<double> parameters) const {
    return {parameters.data() + offset, output_count, input_count};
  }
  Eigen::Map<Eigen::VectorXd> bias(std::span<double> parameters) const {
    return {parameters.data() + offset + weight_count(), output_count};
  }

  // Normal weights of standard deviation spread / sqrt(input_count); bias 0.
  void start(std::span<double> parameters, double spread, detail::Random& random) const;
  void apply(std::span<const double> parameters, const Eigen::Ref<const Eigen::MatrixXd>& x,
             Eigen::MatrixXd& output) const;
  // Adds the derivatives by the parameters, given those by the output.
  void add_gradient(const Eigen::Ref<const Eigen::MatrixXd>& x, const Eigen::MatrixXd& output_gradient,
                    std::span<double> gradient) const;
  // The derivatives by x.
  void back(std::span<const double> parameters, const Eigen::MatrixXd& output_gradient,
            Eigen::MatrixXd& x_gradient) const;
};

// A convolution of width 3 along `length` places, zeros beyond the ends, is an affine map of the patches around each
// place: a column of values at a place -> the three columns of a patch, one above the other. Columns are the places of
// the first object, then those of the second, ...
void to_patches(const Eigen::Ref<const Eigen::MatrixXd>& values, Eigen::Index length, Eigen::MatrixXd& patches);
// The transpose of that map: sums up what the patches say about a place.
void from_patches(const Eigen::MatrixXd& patches, Eigen::Index length, Eigen::MatrixXd& values);

// The convolutional part of CNNOR: one object's `length` features -> convolution, convolution, dense layer, with
// max(0, .) after each.
class Tower {
 public:
  Tower(Eigen::Index length, Eigen::Index filter_count, Eigen::Index output_count);

  Eigen::Index output_count() const { return dense_.output_count; }
  Eigen::Index parameter_count() const { return dense_.end(); }
  void start(std::span<double> parameters, detail::Random& random) const;

  // One evaluation, kept for the gradient. Used again and again, since fresh memory costs as much as the numbers.
  struct Pass {
    Eigen::MatrixXd first_patches, first, second_patches, second;
    Eigen::MatrixXd output;           // one column per object
    Eigen::MatrixXd output_gradient;  // to be filled in before add_gradient, which spoils it
    Eigen::MatrixXd first_gradient, second_patches_gradient, second_gradient;
  };
  void run(std::span<const double> parameters, const Eigen::MatrixXd& objects, Pass& pass) const;
  void add_gradient(std::span<const double> parameters, Pass& pass, std::span<double> gradient) const;

 private:
  Eigen::Index length_;
  Affine first_, second_, dense_;
};

// Adam (Kingma and Ba 2015) with decoupled weight decay (Loshchilov and Hutter 2019).
class Adam {
 public:
  explicit Adam(std::size_t parameter_count) : mean_(parameter_count), square_(parameter_count) {}
  void step(std::span<double> parameters, std::span<const double> gradient, double rate, double decay);

 private:
  std::vector<double> mean_, square_;
  double mean_share_ = 1;    // what the zeros at the start still weigh
  double square_share_ = 1;  // likewise
};

}  // namespace xofm::baselines
