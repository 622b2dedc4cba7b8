#include "io/export/class_steps.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>

namespace xofm::detail {

namespace {

// Doubles in ascending order as integers in ascending order, without gaps.
std::int64_t rank_of(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}
double with_rank(std::int64_t rank) {
  return std::bit_cast<double>(rank >= 0 ? rank : std::numeric_limits<std::int64_t>::min() - rank);
}

struct Steps {
  std::function<int(double)> label;
  ClassSteps found;

  // The changes above `low`, up to `high`.
  void between(std::int64_t low, int at_low, std::int64_t high, int at_high) {
    if (at_low == at_high) return;
    if (low + 1 == high) {
      found.starts.push_back(with_rank(high));
      found.classes.push_back(at_high);
      return;
    }
    const std::int64_t middle = std::midpoint(low, high);
    const int at_middle = label(with_rank(middle));
    between(low, at_low, middle, at_middle);
    between(middle, at_middle, high, at_high);
  }
};

// Where the rule may change its mind.
std::vector<double> candidates(const Assignment& assignment) {
  std::vector<double> places;
  switch (assignment.options.rule) {
    case AssignmentRule::support:
      for (const auto& points : assignment.reference.classes) {
        for (const ReferencePoint& point : points) {
          for (const double shift : {-assignment.margin, 0.0, assignment.margin}) places.push_back(point.score + shift);
        }
      }
      break;
    case AssignmentRule::threshold:
      places = assignment.options.aim == Aim::mae ? assignment.mae_cuts : assignment.accuracy_cuts;
      break;
    case AssignmentRule::probability: {
      // In units of the logistic function; beyond 40 from all thresholds only strays are left.
      constexpr double reach = 40;
      constexpr double step = 0.0625;
      for (const double threshold : assignment.calibration.thresholds) {
        for (double t = -reach; t <= reach; t += step) {
          places.push_back((threshold + t) / assignment.calibration.slope);
        }
      }
      break;
    }
  }
  return places;
}

}  // namespace

ClassSteps class_steps(const Assignment& assignment) {
  constexpr double lowest = std::numeric_limits<double>::lowest();
  constexpr double highest = std::numeric_limits<double>::max();
  std::vector<double> places = candidates(assignment);
  std::erase_if(places, [](double place) { return !std::isfinite(place); });
  places.push_back(lowest);
  places.push_back(highest);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  // Also between two places: a class may hold at one of them alone.
  std::vector<double> tests = {lowest};
  for (std::size_t i = 1; i < places.size(); ++i) {
    tests.push_back(std::midpoint(places[i - 1], places[i]));
    tests.push_back(places[i]);
  }
  const Assigner assigner(assignment);
  const std::size_t class_count = assignment.reference.classes.size();
  std::vector<double> support(class_count);
  std::vector<double> probabilities(class_count);
  Steps steps{[&](double score) { return assigner.assign(score, support, probabilities).label; }, {}};
  int last = steps.label(lowest);
  steps.found.classes.push_back(last);
  for (std::size_t i = 1; i < tests.size(); ++i) {
    const int next = steps.label(tests[i]);
    steps.between(rank_of(tests[i - 1]), last, rank_of(tests[i]), next);
    last = next;
  }
  return std::move(steps.found);
}

}  // namespace xofm::detail
