// Slow twins of assignment: Definitions 4 and 5 object by object, and cuts by trying them all.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "xofm/assign.hpp"

namespace xofm::test_support {

struct Scored {
  std::vector<double> scores;
  std::vector<int> labels;
  std::vector<double> weights;  // empty: 1
  int class_count = 2;

  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
};

struct SlowInterval {
  int left;   // L of Definition 4, classes from 0
  int right;  // R
};

inline SlowInterval slow_interval(const Scored& training, double score) {
  SlowInterval interval{0, training.class_count - 1};
  for (std::size_t i = 0; i < training.scores.size(); ++i) {
    if (training.weight(i) == 0) continue;
    if (training.scores[i] <= score) interval.left = std::max(interval.left, training.labels[i]);
    if (training.scores[i] >= score) interval.right = std::min(interval.right, training.labels[i]);
  }
  return interval;
}

inline std::vector<double> slow_support(const Scored& training, double score, double margin) {
  std::vector<double> support;
  for (int h = 0; h < training.class_count; ++h) {
    double right_side = 0, others = 0;
    for (std::size_t i = 0; i < training.scores.size(); ++i) {
      if (training.labels[i] == h) continue;
      others += training.weight(i);
      const double lead = training.labels[i] < h ? score - training.scores[i] : training.scores[i] - score;
      if (lead > margin) right_side += training.weight(i);
    }
    support.push_back(right_side / others);
  }
  return support;
}

inline int class_by_cuts(std::span<const double> cuts, double score) {
  int label = 0;
  for (const double cut : cuts) label += score >= cut ? 1 : 0;
  return label;
}

inline double cuts_error(const Scored& data, std::span<const double> cuts, Aim aim) {
  double error = 0;
  for (std::size_t i = 0; i < data.scores.size(); ++i) {
    const int distance = std::abs(class_by_cuts(cuts, data.scores[i]) - data.labels[i]);
    error += data.weight(i) * (aim == Aim::mae ? distance : std::min(distance, 1));
  }
  return error;
}

// Least error over all ascending cuts at a score or above all. O(scores^(classes - 1)).
inline double slow_least_error(const Scored& data, Aim aim) {
  std::vector<double> places = data.scores;
  places.push_back(std::numeric_limits<double>::infinity());
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  double least = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> chosen(static_cast<std::size_t>(data.class_count) - 1, 0);
  for (;;) {
    std::vector<double> cuts;
    for (const std::size_t place : chosen) cuts.push_back(places[place]);
    if (std::is_sorted(cuts.begin(), cuts.end())) least = std::min(least, cuts_error(data, cuts, aim));
    std::size_t digit = 0;
    while (digit < chosen.size() && ++chosen[digit] == places.size()) chosen[digit++] = 0;
    if (digit == chosen.size()) return least;
  }
}

}  // namespace xofm::test_support
