// LIT and LAT: linear ordinal regression by the logistic loss at the thresholds next to a row's class, or at all
// thresholds (Rennie and Srebro 2005, Loss functions for preference levels), with ridge (linear_thresholds.hpp).
//
// The class is the number of thresholds at or below the score. The optimal thresholds of LAT are in order, those of LIT
// need not be: counting does not ask for order, and is the same as sorting them first.
#include <utility>

#include "baselines/linear_thresholds.hpp"

namespace xofm::baselines {

namespace {

class CountingPredictor : public Predictor {
 public:
  explicit CountingPredictor(LinearThresholds model) : model_(std::move(model)) {}

  std::vector<int> predict(const Eigen::MatrixXd& features) const override {
    const Eigen::VectorXd scores = features * model_.weights;
    std::vector<int> predicted;
    for (const double score : scores) {
      const auto count = (model_.thresholds.array() <= score).count();
      predicted.push_back(model_.classes[static_cast<std::size_t>(count)]);
    }
    return predicted;
  }

 private:
  LinearThresholds model_;
};

class LogisticThresholds : public Method {
 public:
  LogisticThresholds(std::string name, ThresholdLoss loss) : name_(std::move(name)), loss_(loss) {}

  std::string name() const override { return name_; }
  std::vector<Axis> grid() const override { return {{"ridge", {1e-4, 1e-3, 1e-5, 1e-2, 1e-6, 1e-1}}}; }
  std::unique_ptr<Predictor> fit(const Examples& examples, const Setting& setting,
                                 const Effort& effort) const override {
    return std::make_unique<CountingPredictor>(fit_linear_thresholds(examples, loss_, setting.at(0), effort));
  }

 private:
  std::string name_;
  ThresholdLoss loss_;
};

}  // namespace

std::unique_ptr<Method> make_lit() { return std::make_unique<LogisticThresholds>("LIT", ThresholdLoss::immediate); }
std::unique_ptr<Method> make_lat() { return std::make_unique<LogisticThresholds>("LAT", ThresholdLoss::all); }

}  // namespace xofm::baselines
