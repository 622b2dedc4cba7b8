// ELMOR: Deng, Zheng, Lian, Chen and Wang, "Ordinal extreme learning machine", Neurocomputing 74(1-3), 2010; the
// variant with one network for all thresholds.
//
// A hidden layer of sigmoid nodes h_l(x) = 1 / (1 + exp(-(a_l'x + b_l))) whose weights are drawn once, a_l uniform on
// [-range, range], b_l on [0, 1], and never trained. (Range is 1 in the usual code, for features scaled to [-1, 1];
// ours are standardised and reach further, so a smaller range is tried too.) Class k of H has the code word T_kj = -1
// for j < k, +1 for j >= k, j = 1 .. H-1; the outputs f(x) = B'h(x) fit the rows' code words by least squares,
//
//   minimise  (1/n) |h B - T|^2 + ridge |B|^2,
//
// and a row gets the class of the code word nearest by exponential loss, sum_j exp(-T_kj f_j(x)), so that outputs out
// of order do no harm. Cost: n nodes^2 + nodes^3 / 3.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "baselines/constant_predictor.hpp"
#include "baselines/method.hpp"
#include "baselines/present_classes.hpp"
#include "core/base/random.hpp"

namespace xofm::baselines {
namespace {

using Eigen::Index;

double code(Index rank, Index output) { return output < rank ? -1 : 1; }

class HiddenLayer {
 public:
  HiddenLayer(Index feature_count, Index node_count, double weight_range, std::uint64_t seed)
      : weights_(feature_count, node_count), biases_(node_count) {
    detail::Random random(seed);
    for (Index l = 0; l < node_count; ++l) {
      for (Index j = 0; j < feature_count; ++j) weights_(j, l) = weight_range * (2 * random.uniform() - 1);
      biases_[l] = random.uniform();
    }
  }
  Eigen::MatrixXd operator()(const Eigen::MatrixXd& features) const {
    return (1 + (-((features * weights_).rowwise() + biases_)).array().exp()).inverse();
  }

 private:
  Eigen::MatrixXd weights_;  // one column per node
  Eigen::RowVectorXd biases_;
};

class ElmorPredictor : public Predictor {
 public:
  ElmorPredictor(HiddenLayer hidden, Eigen::MatrixXd output_weights, std::vector<int> classes)
      : hidden_(std::move(hidden)), output_weights_(std::move(output_weights)), classes_(std::move(classes)) {}

  std::vector<int> predict(const Eigen::MatrixXd& features) const override {
    const Eigen::MatrixXd outputs = hidden_(features) * output_weights_;
    std::vector<int> labels;
    for (Index i = 0; i < outputs.rows(); ++i) {
      std::size_t best = 0;
      double best_loss = std::numeric_limits<double>::infinity();
      for (std::size_t rank = 0; rank < classes_.size(); ++rank) {
        double loss = 0;
        for (Index j = 0; j < outputs.cols(); ++j) loss += std::exp(-code(static_cast<Index>(rank), j) * outputs(i, j));
        if (loss < best_loss) {
          best = rank;
          best_loss = loss;
        }
      }
      labels.push_back(classes_[best]);
    }
    return labels;
  }

 private:
  HiddenLayer hidden_;
  Eigen::MatrixXd output_weights_;  // one row per node, one column per threshold
  std::vector<int> classes_;        // those that have rows, ascending
};

class Elmor : public Method {
 public:
  std::string name() const override { return "ELMOR"; }

  std::vector<Axis> grid() const override {
    return {{"node_count", {300, 100}}, {"weight_range", {1, 0.3}}, {"ridge", {1e-3, 1e-4, 1e-5, 1e-2, 1e-6}}};
  }

  std::unique_ptr<Predictor> fit(const Examples& examples, const Setting& setting,
                                 const Effort& effort) const override {
    if (effort.is_over() || nothing_to_learn(examples)) return median_predictor(examples.labels);
    const PresentClasses present(examples.labels);
    const Index row_count = examples.features.rows();
    HiddenLayer hidden(examples.features.cols(), std::lround(setting[0]), setting[1], effort.seed);
    Eigen::MatrixXd targets(row_count, present.count() - 1);
    for (Index i = 0; i < row_count; ++i) {
      for (Index j = 0; j < targets.cols(); ++j) targets(i, j) = code(present.ranks[static_cast<std::size_t>(i)], j);
    }
    const Eigen::MatrixXd h = hidden(examples.features);
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(h.cols(), h.cols());
    gram.selfadjointView<Eigen::Lower>().rankUpdate(h.transpose());
    gram.diagonal().array() += setting[2] * static_cast<double>(row_count);
    Eigen::MatrixXd output_weights = gram.selfadjointView<Eigen::Lower>().llt().solve(h.transpose() * targets);
    return std::make_unique<ElmorPredictor>(std::move(hidden), std::move(output_weights), present.classes);
  }
};

}  // namespace

std::unique_ptr<Method> make_elmor() { return std::make_unique<Elmor>(); }

}  // namespace xofm::baselines
