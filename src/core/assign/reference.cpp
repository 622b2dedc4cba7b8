#include "core/assign/reference.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/parallel.hpp"

namespace xofm::detail {

namespace {

void thin(std::vector<ReferencePoint>& points, std::size_t limit) {
  if (points.size() <= limit) return;
  std::vector<ReferencePoint> kept = {points.front()};
  const std::size_t inner = points.size() - 2;
  const std::size_t group_count = limit - 2;
  for (std::size_t group = 0; group < group_count; ++group) {
    const Range range = block_range(inner, group_count, group);
    ReferencePoint middle = points[1 + (range.begin + range.end) / 2];
    middle.weight = 0;
    for (std::size_t i = range.begin; i < range.end; ++i) middle.weight += points[1 + i].weight;
    kept.push_back(middle);
  }
  // With room for two points only, they share what lies between them.
  if (group_count == 0) {
    for (std::size_t i = 1; i + 1 < points.size(); ++i) {
      (i < points.size() / 2 ? kept.front() : points.back()).weight += points[i].weight;
    }
  }
  kept.push_back(points.back());
  points = std::move(kept);
}

}  // namespace

Reference make_reference(std::span<const double> scores, std::span<const int> labels, std::span<const double> weights,
                         int class_count, int limit) {
  Reference reference;
  reference.classes.resize(static_cast<std::size_t>(class_count));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    if (weight > 0 && !std::isnan(scores[i]))
      reference.classes[static_cast<std::size_t>(labels[i])].push_back({scores[i], weight, i + 1});
  }
  parallel_for(reference.classes.size(), [&](std::size_t h) {
    auto& points = reference.classes[h];
    std::sort(points.begin(), points.end(), [](const ReferencePoint& a, const ReferencePoint& b) {
      return a.score < b.score || (a.score == b.score && a.row < b.row);
    });
    thin(points, static_cast<std::size_t>(limit));
  });
  return reference;
}

std::vector<LabelledPoint> merge_classes(const Reference& reference) {
  std::vector<LabelledPoint> merged;
  for (std::size_t h = 0; h < reference.classes.size(); ++h) {
    for (const auto& point : reference.classes[h]) merged.push_back({point.score, point.weight, static_cast<int>(h)});
  }
  std::sort(merged.begin(), merged.end(), [](const LabelledPoint& a, const LabelledPoint& b) {
    return a.score < b.score || (a.score == b.score && a.label < b.label);
  });
  return merged;
}

}  // namespace xofm::detail
