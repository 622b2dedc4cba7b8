// The pair loss as the paper writes it: a loop over all ordered pairs.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace xofm::testing {

struct SlowLoss {
  double value = 0;
  std::vector<double> derivative;
};

inline SlowLoss slow_pair_loss(std::span<const double> scores, std::span<const int> labels,
                               std::span<const double> weights, double margin,
                               const std::function<double(int high, int low)>& class_weight = {}) {
  SlowLoss loss;
  loss.derivative.assign(scores.size(), 0.0);
  double total = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (labels[i] <= labels[j]) continue;
      const double pair_weight =
          (weights.empty() ? 1.0 : weights[i] * weights[j]) * (class_weight ? class_weight(labels[i], labels[j]) : 1.0);
      total += pair_weight;
      const double miss = scores[j] - scores[i] + margin;
      if (miss <= 0) continue;
      loss.value += pair_weight * miss * miss;
      loss.derivative[i] -= 2 * pair_weight * miss;
      loss.derivative[j] += 2 * pair_weight * miss;
    }
  }
  loss.value /= total;
  for (double& d : loss.derivative) d /= total;
  return loss;
}

}  // namespace xofm::testing
