// Random labelled problems of the shapes that break things: equal scores, absent classes, one class, zero weights.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "core/base/random.hpp"

namespace xofm::test_support {

struct RandomProblemOptions {
  std::size_t row_count = 100;
  int class_count = 5;
  int score_level_count = 0;  // scores take at most that many different values; 0: any number
  double absent_share = 0;    // chance of a class to have no rows; at least one class stays
  double signal = 0.7;        // 0: labels at random; 1: labels follow the scores
  double score_offset = 0;    // the scores lie in offset + [0, spread)
  double score_spread = 1;
  double zero_weight_share = 0.1;
};

struct RandomProblem {
  int class_count = 0;
  std::vector<double> scores;
  std::vector<int> labels;
  std::vector<double> weights;  // in {0} and [0.5, 2)
};

inline RandomProblem random_problem(const RandomProblemOptions& options, detail::Random& random) {
  std::vector<int> present;
  for (int h = 0; h < options.class_count; ++h) {
    if (random.uniform() >= options.absent_share) present.push_back(h);
  }
  if (present.empty()) {
    present.push_back(static_cast<int>(random.below(static_cast<std::uint64_t>(options.class_count))));
  }
  RandomProblem problem;
  problem.class_count = options.class_count;
  for (std::size_t i = 0; i < options.row_count; ++i) {
    double share = random.uniform();
    if (options.score_level_count > 0) {
      share = std::floor(share * options.score_level_count) / options.score_level_count;
    }
    const double source = random.uniform() < options.signal ? share : random.uniform();
    const auto rank = static_cast<std::size_t>(source * static_cast<double>(present.size()));
    problem.scores.push_back(options.score_offset + options.score_spread * share);
    problem.labels.push_back(present[rank]);
    problem.weights.push_back(random.uniform() < options.zero_weight_share ? 0.0 : 0.5 + 1.5 * random.uniform());
  }
  return problem;
}

}  // namespace xofm::test_support
