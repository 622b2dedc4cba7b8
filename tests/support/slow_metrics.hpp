// Slow twins of the metrics: the definitions, pair by pair, O(n^2).
#pragma once

#include <cstddef>
#include <span>

#include "xofm/metrics.hpp"

namespace xofm::test_support {

inline PairCounts slow_count_pairs(std::span<const int> labels, std::span<const double> scores) {
  PairCounts pairs;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int label_sign = (labels[i] > labels[j]) - (labels[i] < labels[j]);
      const int score_sign = (scores[i] > scores[j]) - (scores[i] < scores[j]);
      if (label_sign == 0 && score_sign == 0) {
        ++pairs.both_tied;
      } else if (label_sign == 0) {
        ++pairs.label_tied;
      } else if (score_sign == 0) {
        ++pairs.score_tied;
      } else if (label_sign == score_sign) {
        ++pairs.concordant;
      } else {
        ++pairs.discordant;
      }
    }
  }
  return pairs;
}

// Expected disagreement as the mean over all pairs of one row's label with another's (or its own) prediction.
inline double slow_quadratic_weighted_kappa(std::span<const int> labels, std::span<const int> predicted) {
  const auto row_count = static_cast<double>(labels.size());
  double observed = 0, expected = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    observed += (labels[i] - predicted[i]) * (labels[i] - predicted[i]);
    for (std::size_t j = 0; j < labels.size(); ++j) {
      expected += (labels[i] - predicted[j]) * (labels[i] - predicted[j]) / row_count;
    }
  }
  return expected == 0 ? Metrics::undefined : 1 - observed / expected;
}

}  // namespace xofm::test_support
