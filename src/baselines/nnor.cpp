// NNOR: J. Cheng, Z. Wang and G. Pollastri, A neural network approach to ordinal regression, IJCNN 2008.
//
// One hidden layer; output k = 1 .. H-1 estimates P(class > k), so class h is coded as h-1 ones, then zeros (the
// paper's code has one more output, which is 1 for every class):
//
//   o = sigmoid(W2 tanh(W1 x + b1) + b2),  loss = relative entropy between code and output, summed over the outputs,
//
// one of the two losses of the paper. The outputs are read from the first on, and the first below 1/2 decides.
// The paper goes down the gradient object by object with a rate to be tuned; here L-BFGS takes the whole gradient, and
// weight decay in place of early stopping keeps the network smooth.
#include "baselines/nnor.hpp"

#include <algorithm>
#include <cmath>

#include "xofm/optimize.hpp"

namespace xofm::baselines {

using Eigen::Index;
using Eigen::MatrixXd;

NnorNetwork::NnorNetwork(Index feature_count, Index hidden_count, int class_count)
    : hidden_{.input_count = feature_count, .output_count = hidden_count},
      output_{.input_count = hidden_count, .output_count = class_count - 1, .offset = hidden_.end()} {}

std::vector<double> NnorNetwork::start(detail::Random& random) const {
  std::vector<double> parameters(static_cast<std::size_t>(parameter_count()));
  hidden_.start(parameters, 1, random);
  output_.start(parameters, 1, random);
  return parameters;
}

namespace {

// 1 - 2 / (1 + e^2x): Eigen has no vectorised tanh of doubles, but the exponential is.
void apply_tanh(MatrixXd& x) { x = 1 - 2 / (1 + (2 * x.array()).exp()); }

}  // namespace

double NnorNetwork::loss(const MatrixXd& objects, std::span<const int> labels, double decay,
                         std::span<const double> parameters, std::span<double> gradient) {
  const double share = 1 / static_cast<double>(labels.size());
  hidden_.apply(parameters, objects, hidden_values_);
  apply_tanh(hidden_values_);
  output_.apply(parameters, hidden_values_, outputs_);

  // Turned so that the code says 1, an output z costs ln(1 + e^-z), with derivative -1 / (1 + e^z).
  const auto turn = [&] {
    for (Index i = 0; i < outputs_.cols(); ++i) {
      outputs_.col(i).tail(outputs_.rows() - labels[static_cast<std::size_t>(i)]) *= -1;
    }
  };
  turn();
  double value = share * ((-outputs_.array().abs()).exp().log1p() - outputs_.array().min(0)).sum();
  outputs_ = -share / (1 + outputs_.array().exp());
  turn();

  std::fill(gradient.begin(), gradient.end(), 0.0);
  output_.add_gradient(hidden_values_, outputs_, gradient);
  output_.back(parameters, outputs_, hidden_gradient_);
  hidden_gradient_.array() *= 1 - hidden_values_.array().square();
  hidden_.add_gradient(objects, hidden_gradient_, gradient);
  for (const Affine& layer : {hidden_, output_}) {
    value += decay / 2 * layer.weights(parameters).squaredNorm();
    layer.weights(gradient) += decay * layer.weights(parameters);
  }
  return value;
}

std::vector<int> NnorNetwork::predict(const MatrixXd& objects, std::span<const double> parameters) const {
  MatrixXd hidden, outputs;
  hidden_.apply(parameters, objects, hidden);
  apply_tanh(hidden);
  output_.apply(parameters, hidden, outputs);
  std::vector<int> classes(static_cast<std::size_t>(objects.cols()), 0);
  for (Index i = 0; i < objects.cols(); ++i) {
    int& h = classes[static_cast<std::size_t>(i)];
    while (h < outputs.rows() && outputs(h, i) >= 0) ++h;
  }
  return classes;
}

namespace {

constexpr int max_evaluations = 150;
constexpr double tolerance = 1e-4;

class Nnor final : public Method {
 public:
  std::string name() const override { return "NNOR"; }

  std::vector<Axis> grid() const override {
    return {{.name = "hidden_count", .values = {20, 10, 40}},
            {.name = "weight_decay", .values = {0.003, 0.01, 0.001, 0.0003}}};
  }

  std::unique_ptr<Predictor> fit(const Examples& examples, const Setting& setting,
                                 const Effort& effort) const override {
    const MatrixXd objects = examples.features.transpose();
    NnorNetwork network(objects.rows(), static_cast<Index>(setting.at(0)), examples.class_count);
    detail::Random random(effort.seed);
    const auto loss = [&](std::span<const double> parameters, std::span<double> gradient) {
      return network.loss(objects, examples.labels, setting.at(1), parameters, gradient);
    };
    Minimum minimum = minimize_lbfgs(loss, network.start(random), {}, max_evaluations, tolerance,
                                     [&](int, double) { return !effort.is_over(); });
    return std::make_unique<Fitted>(network, std::move(minimum.point));
  }

 private:
  struct Fitted final : Predictor {
    Fitted(const NnorNetwork& n, std::vector<double> p) : network(n), parameters(std::move(p)) {}
    std::vector<int> predict(const MatrixXd& features) const override {
      return network.predict(features.transpose(), parameters);
    }
    NnorNetwork network;
    std::vector<double> parameters;
  };
};

}  // namespace

std::unique_ptr<Method> make_nnor() { return std::make_unique<Nnor>(); }

}  // namespace xofm::baselines
