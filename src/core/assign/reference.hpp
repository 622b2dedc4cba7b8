// Reference scores: what new objects are compared with.
#pragma once

#include <span>

#include "xofm/assign.hpp"

namespace xofm::detail {

// Sorts the scores per class; a class with more than `limit` objects is thinned to points that stand for equally many
// rows, each the middle object of its group, the least and the greatest standing for themselves.
Reference make_reference(std::span<const double> scores, std::span<const int> labels, std::span<const double> weights,
                         int class_count, int limit);

// All points in ascending order of score (equal scores by class), with their class.
struct LabelledPoint {
  double score;
  double weight;
  int label;
};
std::vector<LabelledPoint> merge_classes(const Reference& reference);

}  // namespace xofm::detail
