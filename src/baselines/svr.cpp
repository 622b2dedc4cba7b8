#include "baselines/svr.hpp"

#include <libsvm/svm.h>

#include <algorithm>
#include <cmath>

#include "baselines/constant_predictor.hpp"
#include "baselines/rbf_kernel.hpp"

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

// Rows as libsvm takes them: lists of index and value, ended by index -1.
class Nodes {
 public:
  // The features as they are. Zeros need not be left out.
  static Nodes of_features(const Eigen::MatrixXd& features) { return Nodes(features, 1); }
  // A kernel that is known: index 0 has the number of the row, from 1.
  static Nodes of_kernel(const Eigen::MatrixXd& kernel) {
    Nodes nodes(kernel, 0);
    for (Eigen::Index i = 0; i < kernel.rows(); ++i) nodes.row(i)->value = static_cast<double>(i) + 1;
    return nodes;
  }
  svm_node* row(Eigen::Index i) { return nodes_.data() + static_cast<std::size_t>(i) * width_; }

 private:
  Nodes(const Eigen::MatrixXd& values, int first_index)
      : width_(static_cast<std::size_t>(values.cols()) + 2 - static_cast<std::size_t>(first_index)),
        nodes_(static_cast<std::size_t>(values.rows()) * width_) {
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
      svm_node* node = row(i);
      for (int index = first_index; index <= values.cols(); ++index) {
        *node++ = {.index = index, .value = index > 0 ? values(i, index - 1) : 0};
      }
      *node = {.index = -1, .value = 0};
    }
  }

  std::size_t width_;
  std::vector<svm_node> nodes_;
};

struct FreeModel {
  void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
};

class SvrPredictor : public Predictor {
 public:
  SvrPredictor(const Examples& examples, const SvrOptions& options)
      : class_count_(examples.class_count), gamma_(options.gamma) {
    const Eigen::Index row_count = examples.features.rows();
    const bool is_known = row_count <= options.most_rows_with_known_kernel;
    Nodes nodes = is_known ? Nodes::of_kernel(rbf_kernel(examples.features, examples.features.transpose(), gamma_))
                           : Nodes::of_features(examples.features);
    svm_parameter parameter = {};
    parameter.svm_type = EPSILON_SVR;
    parameter.kernel_type = is_known ? PRECOMPUTED : RBF;
    parameter.gamma = gamma_;
    parameter.C = options.cost;
    parameter.p = options.epsilon;
    parameter.eps = stop_tolerance;
    parameter.cache_size = cache_megabytes;
    parameter.shrinking = 1;
    std::vector<double> targets(examples.labels.begin(), examples.labels.end());
    std::vector<svm_node*> rows;
    for (Eigen::Index i = 0; i < row_count; ++i) rows.push_back(nodes.row(i));
    const svm_problem problem = {.l = static_cast<int>(rows.size()), .y = targets.data(), .x = rows.data()};
    const std::unique_ptr<svm_model, FreeModel> model(svm_train(&problem, &parameter));
    support_.resize(examples.features.cols(), model->l);
    coefficients_.resize(model->l);
    for (int i = 0; i < model->l; ++i) {
      support_.col(i) = examples.features.row(model->sv_indices[i] - 1).transpose();
      coefficients_[i] = model->sv_coef[0][i];
    }
    rho_ = model->rho[0];
  }

  std::vector<int> predict(const Eigen::MatrixXd& features) const override {
    const Eigen::VectorXd values = rbf_kernel(features, support_, gamma_) * coefficients_;
    std::vector<int> labels;
    for (const double value : values) {
      labels.push_back(static_cast<int>(std::clamp(std::round(value - rho_), 0.0, class_count_ - 1.0)));
    }
    return labels;
  }

 private:
  int class_count_;
  double gamma_;
  Eigen::MatrixXd support_;  // one column each
  Eigen::VectorXd coefficients_;
  double rho_ = 0;
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
    const double feature_count = std::max(1.0, static_cast<double>(examples.features.cols()));
    return fit_svr(examples, {.gamma = setting[0] / feature_count, .cost = setting[1], .epsilon = setting[2]});
  }
};

}  // namespace

std::unique_ptr<Predictor> fit_svr(const Examples& examples, const SvrOptions& options) {
  silence_libsvm();
  return std::make_unique<SvrPredictor>(examples, options);
}

std::unique_ptr<Method> make_svr() { return std::make_unique<Svr>(); }

}  // namespace xofm::baselines
