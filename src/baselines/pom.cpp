// POM: the proportional odds model, logit P(y <= l) = t_l - w.x (McCullagh 1980, Regression models for ordinal data),
// by maximum likelihood with a small ridge (linear_thresholds.hpp). The class with the greatest probability wins.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "baselines/linear_thresholds.hpp"

namespace xofm::baselines {

namespace {

double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))); }

class PomPredictor : public Predictor {
 public:
  explicit PomPredictor(LinearThresholds model) : model_(std::move(model)) {}

  std::vector<int> predict(const Eigen::MatrixXd& features) const override {
    const Eigen::VectorXd scores = features * model_.weights;
    std::vector<int> predicted;
    for (const double score : scores) {
      std::size_t best = 0;
      double best_value = -std::numeric_limits<double>::infinity();
      for (std::size_t rank = 0; rank < model_.classes.size(); ++rank) {
        const double value = log_probability(static_cast<Eigen::Index>(rank), score);
        if (value <= best_value) continue;
        best = rank;
        best_value = value;
      }
      predicted.push_back(model_.classes[best]);
    }
    return predicted;
  }

 private:
  double log_probability(Eigen::Index rank, double score) const {
    const Eigen::VectorXd& limits = model_.thresholds;
    const bool has_below = rank > 0, has_above = rank < limits.size();
    double value = 0;
    if (has_above) value -= softplus(score - limits[rank]);
    if (has_below) value -= softplus(limits[rank - 1] - score);
    if (has_above && has_below) value += std::log(-std::expm1(limits[rank - 1] - limits[rank]));
    return value;
  }

  LinearThresholds model_;
};

class Pom : public Method {
 public:
  std::string name() const override { return "POM"; }
  std::vector<Axis> grid() const override { return {{"ridge", {1e-4, 1e-3, 1e-5, 1e-2, 1e-6, 1e-1}}}; }
  std::unique_ptr<Predictor> fit(const Examples& examples, const Setting& setting,
                                 const Effort& effort) const override {
    return std::make_unique<PomPredictor>(
        fit_linear_thresholds(examples, ThresholdLoss::proportional_odds, setting.at(0), effort));
  }
};

}  // namespace

std::unique_ptr<Method> make_pom() { return std::make_unique<Pom>(); }

}  // namespace xofm::baselines
