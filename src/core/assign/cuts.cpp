#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "core/assign/reference.hpp"
#include "xofm/assign.hpp"

namespace xofm {

// cost[h] = least error of the scores so far with the last one in class h or lower. Going up the scores, the next score
// is put into class h on top of the best assignment that ended in h or lower. Equal scores are taken together: a
// cut cannot pass between them.
std::vector<double> optimal_cuts(const Reference& reference, Aim aim) {
  const std::vector<detail::LabelledPoint> points = detail::merge_classes(reference);
  const std::size_t classes = reference.classes.size();
  const auto error = [&](std::size_t truth, std::size_t assigned) {
    const double distance =
        truth > assigned ? static_cast<double>(truth - assigned) : static_cast<double>(assigned - truth);
    return aim == Aim::mae ? distance : std::min(distance, 1.0);
  };

  std::vector<double> distinct;
  std::vector<double> cost(classes, 0.0);
  std::vector<std::uint8_t> from;  // per distinct score and class: the class of the score before on the best way here
  std::vector<double> step(classes);
  for (std::size_t i = 0; i < points.size();) {
    std::fill(step.begin(), step.end(), 0.0);
    distinct.push_back(points[i].score);
    for (; i < points.size() && points[i].score == distinct.back(); ++i) {
      for (std::size_t h = 0; h < classes; ++h) {
        step[h] += points[i].weight * error(static_cast<std::size_t>(points[i].label), h);
      }
    }
    std::size_t best = 0;
    for (std::size_t h = 0; h < classes; ++h) {
      if (cost[h] < cost[best]) best = h;
      from.push_back(static_cast<std::uint8_t>(best));
      step[h] += cost[best];
    }
    cost = step;
  }

  // Walk back, noting at which score each class begins. A class that the best assignment leaves out at either end stays
  // out: its cut lies beyond all scores.
  std::vector<double> cuts(classes - 1);
  auto h = static_cast<std::size_t>(std::min_element(cost.begin(), cost.end()) - cost.begin());
  const auto place_cuts = [&](std::size_t low, std::size_t high, double at) {
    for (std::size_t c = low; c < high; ++c) cuts[c] = at;
  };
  place_cuts(h, classes - 1, std::numeric_limits<double>::max());
  for (std::size_t s = distinct.size(); s-- > 0;) {
    const std::size_t before = from[s * classes + h];
    if (s == 0) {
      place_cuts(0, h, std::numeric_limits<double>::lowest());
    } else if (before < h) {
      const double middle = std::midpoint(distinct[s - 1], distinct[s]);
      place_cuts(before, h, middle > distinct[s - 1] ? middle : distinct[s]);
    }
    h = before;
  }
  return cuts;
}

}  // namespace xofm
