// What a method falls back to that is out of time before it has learned anything.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "baselines/method.hpp"

namespace xofm::baselines {

class ConstantPredictor : public Predictor {
 public:
  explicit ConstantPredictor(int label) : label_(label) {}
  std::vector<int> predict(const Eigen::MatrixXd& features) const override {
    return std::vector<int>(static_cast<std::size_t>(features.rows()), label_);
  }

 private:
  int label_;
};

// The median class: of all constants the one with the least mean absolute error.
inline std::unique_ptr<Predictor> median_predictor(std::vector<int> labels) {
  const auto middle = labels.begin() + static_cast<std::ptrdiff_t>(labels.size() / 2);
  std::nth_element(labels.begin(), middle, labels.end());
  return std::make_unique<ConstantPredictor>(*middle);
}

}  // namespace xofm::baselines
