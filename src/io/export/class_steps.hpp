// The class as a step function of the score: whatever the rule, a target need only compare.
#pragma once

#include <vector>

#include "xofm/assign.hpp"

namespace xofm::detail {

// A score has class classes[number of starts at or below it].
struct ClassSteps {
  std::vector<double> starts;  // ascending
  std::vector<int> classes;    // one more
};

// Every rule changes its mind at known places (reference scores and a margin beside them, cuts), or near the thresholds
// of the probabilities; the least double with the next class is found between two of them by bisection.
ClassSteps class_steps(const Assignment& assignment);

}  // namespace xofm::detail
