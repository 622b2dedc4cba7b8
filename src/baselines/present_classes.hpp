// A class without rows has no place on a scale of thresholds: methods with thresholds work on the classes present.
#pragma once

#include <vector>

#include "baselines/method.hpp"

namespace xofm::baselines {

struct PresentClasses {
  std::vector<int> classes;  // those with rows, ascending
  std::vector<int> ranks;    // per row, the place of its class in `classes`

  int threshold_count() const { return static_cast<int>(classes.size()) - 1; }
};

inline PresentClasses find_present_classes(const Examples& examples) {
  std::vector<int> rank_of(static_cast<std::size_t>(examples.class_count), -1);
  for (const int label : examples.labels) rank_of[static_cast<std::size_t>(label)] = 0;
  PresentClasses present;
  for (int label = 0; label < examples.class_count; ++label) {
    int& rank = rank_of[static_cast<std::size_t>(label)];
    if (rank < 0) continue;
    rank = static_cast<int>(present.classes.size());
    present.classes.push_back(label);
  }
  for (const int label : examples.labels) present.ranks.push_back(rank_of[static_cast<std::size_t>(label)]);
  return present;
}

}  // namespace xofm::baselines
