// SVR: epsilon-support vector regression (Smola and Schoelkopf 2004) with the kernel exp(-gamma |x - x'|^2), on the
// class numbers 0 .. H-1 as if they were measured; a prediction is rounded and clipped. Solved by libsvm (Chang and Lin
// 2011).
//
// libsvm cannot be interrupted: time is asked for once, before the fit. What bounds the time of a fit is the largest
// cost of the grid.
#include <libsvm/svm.h>

#include <algorithm>
#include <cmath>

#include "baselines/constant_predictor.hpp"
#include "baselines/method.hpp"

namespace xofm::baselines {
namespace {

constexpr double stop_tolerance = 1e-2;  // of libsvm's optimality conditions; labels are 1 apart
constexpr double cache_megabytes = 64;   // the kernel of 4,000 rows in single precision

// libsvm has one printing function per process, its default writes to stdout. Set once and for good: setting it around
// each fit would be a data race between threads.
void silence_libsvm() {
  [[maybe_unused]] static const bool silent = [] {
    svm_set_print_string_function([](const char*) {});
    return true;
  }();
}

// Rows as libsvm takes them: pairs of index and value, ended by index -1. Zeros need not be left out.
class Nodes {
 public:
  explicit Nodes(const Eigen::MatrixXd& features)
      : width_(static_cast<std::size_t>(features.cols()) + 1),
        nodes_(static_cast<std::size_t>(features.rows()) * width_) {
    for (Eigen::Index i = 0; i < features.rows(); ++i) {
      for (Eigen::Index j = 0; j < features.cols(); ++j) {
        row(i)[j] = {.index = static_cast<int>(j) + 1, .value = features(i, j)};
      }
      row(i)[features.cols()] = {.index = -1, .value = 0};
    }
  }
  svm_node* row(Eigen::Index i) { return nodes_.data() + static_cast<std::size_t>(i) * width_; }

 private:
  std::size_t width_;
  std::vector<svm_node> nodes_;
};

struct FreeModel {
  void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
};

class SvrPredictor : public Predictor {
 public:
  SvrPredictor(const Examples& examples, const svm_parameter& parameter)
      : class_count_(examples.class_count), nodes_(examples.features) {
    std::vector<double> targets(examples.labels.begin(), examples.labels.end());
    std::vector<svm_node*> rows;
    for (Eigen::Index i = 0; i < examples.features.rows(); ++i) rows.push_back(nodes_.row(i));
    const svm_problem problem = {.l = static_cast<int>(rows.size()), .y = targets.data(), .x = rows.data()};
    model_.reset(svm_train(&problem, &parameter));
  }

  std::vector<int> predict(const Eigen::MatrixXd& features) const override {
    Nodes nodes(features);
    std::vector<int> labels;
    for (Eigen::Index i = 0; i < features.rows(); ++i) {
      const double value = svm_predict(model_.get(), nodes.row(i));
      labels.push_back(static_cast<int>(std::clamp(std::round(value), 0.0, class_count_ - 1.0)));
    }
    return labels;
  }

 private:
  int class_count_;
  Nodes nodes_;  // the model's support vectors point into it
  std::unique_ptr<svm_model, FreeModel> model_;
};

class Svr : public Method {
 public:
  std::string name() const override { return "SVR"; }

  // gamma is given times the number of features: standardised rows are about 2 * features apart.
  std::vector<Axis> grid() const override {
    return {{"gamma_times_features", {1, 0.3, 0.1, 3}}, {"cost", {5, 50}}, {"epsilon", {0.3, 0.1}}};
  }

  std::unique_ptr<Predictor> fit(const Examples& examples, const Setting& setting,
                                 const Effort& effort) const override {
    if (effort.is_over()) return median_predictor(examples.labels);
    silence_libsvm();
    svm_parameter parameter = {};
    parameter.svm_type = EPSILON_SVR;
    parameter.kernel_type = RBF;
    parameter.gamma = setting[0] / std::max(1.0, static_cast<double>(examples.features.cols()));
    parameter.C = setting[1];
    parameter.p = setting[2];
    parameter.eps = stop_tolerance;
    parameter.cache_size = cache_megabytes;
    parameter.shrinking = 1;
    return std::make_unique<SvrPredictor>(examples, parameter);
  }
};

}  // namespace

std::unique_ptr<Method> make_svr() { return std::make_unique<Svr>(); }

}  // namespace xofm::baselines
