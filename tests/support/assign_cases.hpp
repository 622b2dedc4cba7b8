// Scored objects to assign by, and a way to ask about one score.
#pragma once

#include <cmath>
#include <vector>

#include "core/base/random.hpp"
#include "support/slow_assign.hpp"
#include "xofm/assign.hpp"

namespace xofm::test_support {

// Shares of weights: sums of at most some hundred numbers near 1.
inline constexpr double share_tolerance = 1e-13;

inline Assignment fit(const Scored& data, double margin = 1, const AssignmentOptions& options = {}) {
  return fit_assignment(data.scores, {}, data.labels, data.weights, data.class_count, margin, options);
}

// Random sizes; ties in half of them, weights in half, sometimes absent classes; at least two classes.
inline Scored random_scored(std::uint64_t seed, std::size_t most_rows = 80, int most_classes = 5) {
  detail::Random random(seed);
  Scored data;
  data.class_count = static_cast<int>(2 + random.below(static_cast<std::uint64_t>(most_classes) - 1));
  const std::size_t size = 2 + random.below(most_rows);
  const bool ties = random.below(2) == 0, weighted = random.below(2) == 0;
  const auto absent = static_cast<int>(random.below(8));
  for (std::size_t i = 0; i < size; ++i) {
    int label = static_cast<int>(random.below(static_cast<std::uint64_t>(data.class_count)));
    if (label == absent) label = 0;
    if (i < 2) label = i == 0 ? 0 : data.class_count - 1;
    const double score = 0.7 * label + random.normal();
    data.scores.push_back(ties ? std::round(2 * score) / 2 : score);
    data.labels.push_back(label);
    if (weighted) data.weights.push_back(0.2 + random.uniform());
  }
  return data;
}

// Places worth asking about: at the scores, at the margin from them, between, outside.
inline std::vector<double> probes(const Scored& data, double margin, detail::Random& random) {
  std::vector<double> places = {-100, 100};
  for (const double score : data.scores) {
    for (const double place : {score, score - margin, score + margin}) places.push_back(place);
  }
  for (int i = 0; i < 20; ++i) places.push_back(6 * random.uniform() - 2);
  return places;
}

struct Answer {
  AssignedRow row;
  std::vector<double> support, probabilities;
};

inline Answer ask(const Assignment& assignment, double score) {
  const std::size_t classes = assignment.reference.classes.size();
  Answer answer{{}, std::vector<double>(classes), std::vector<double>(classes)};
  answer.row = Assigner(assignment).assign(score, answer.support, answer.probabilities);
  return answer;
}

inline Scored concordant_six() { return {{0, 1, 2, 3, 4, 5}, {0, 0, 1, 1, 2, 2}, {}, 3}; }

}  // namespace xofm::test_support
