// The classes that have rows, numbered without gaps: a fold may lack a class, and then it has no mean, no threshold.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "baselines/method.hpp"

namespace xofm::baselines {

struct PresentClasses {
  std::vector<int> classes;  // ascending
  std::vector<int> ranks;    // per row its place in `classes`

  explicit PresentClasses(std::span<const int> labels) : classes(labels.begin(), labels.end()) {
    std::sort(classes.begin(), classes.end());
    classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
    for (const int label : labels) {
      ranks.push_back(static_cast<int>(std::lower_bound(classes.begin(), classes.end(), label) - classes.begin()));
    }
  }

  int count() const { return static_cast<int>(classes.size()); }
  int threshold_count() const { return count() - 1; }
};

// One class or no feature: any constant of that class, or the median, is all there is to learn.
inline bool nothing_to_learn(const Examples& examples) {
  const auto& labels = examples.labels;
  return examples.features.cols() == 0 ||
         std::all_of(labels.begin(), labels.end(), [&](int l) { return l == labels[0]; });
}

}  // namespace xofm::baselines
