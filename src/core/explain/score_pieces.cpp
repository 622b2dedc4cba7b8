#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/assign/sigmoid.hpp"
#include "xofm/explain.hpp"

namespace xofm {

namespace {

constexpr double greatest = std::numeric_limits<double>::max();

// Numbers in their order, counted: neighbours differ by one, both zeros are 0.
std::int64_t rank_of(double x) {
  const auto bits = std::bit_cast<std::int64_t>(x);
  return bits < 0 ? std::numeric_limits<std::int64_t>::min() - bits : bits;
}

double of_rank(std::int64_t rank) { return rank < 0 ? -std::bit_cast<double>(-rank) : std::bit_cast<double>(rank); }

double before(double x) { return of_rank(rank_of(x) - 1); }

// The first number after `low` for which a condition holds that, once true, stays true; it is false at `low` and true
// at `high`. What rounding makes of the condition is found to the last bit, so every piece has closed ends.
template <class Condition>
double first_number(double low, double high, const Condition& holds) {
  std::int64_t no = rank_of(low);
  std::int64_t yes = rank_of(high);
  while (no + 1 < yes) {
    const std::int64_t middle = (no & yes) + ((no ^ yes) >> 1);  // their mean, without overflow
    (holds(of_rank(middle)) ? yes : no) = middle;
  }
  return of_rank(yes);
}

// Where the class of an interval's end can change: at the ends of the classes' scores.
void add_class_ends(const Reference& reference, std::vector<double>& starts) {
  for (const auto& points : reference.classes) {
    if (points.empty()) continue;
    starts.push_back(points.front().score);
    starts.push_back(of_rank(rank_of(points.back().score) + 1));
  }
}

// By support, the class can change only where the score enters or leaves the range of a class, or passes a reference
// score by more than the margin.
std::vector<double> support_starts(const Assignment& assignment) {
  std::vector<double> starts;
  add_class_ends(assignment.reference, starts);
  const double margin = assignment.margin;
  for (const auto& points : assignment.reference.classes) {
    for (const ReferencePoint& point : points) {
      const double p = point.score;
      const auto is_above = [&](double score) { return score - p > margin; };
      const auto is_not_below = [&](double score) { return !(p - score > margin); };
      if (is_above(greatest)) starts.push_back(first_number(p, greatest, is_above));
      if (!is_not_below(-greatest)) starts.push_back(first_number(-greatest, p, is_not_below));
    }
  }
  return starts;
}

// Scores at which a user's decision is looked at: `starts`, where a rule or an interval can change, and between them
// 1/64 of a logistic unit apart as far as probabilities change at all. A piece narrower than that may be missed.
std::vector<double> decision_grid(const Assignment& assignment, std::vector<double> starts) {
  constexpr double step = 1.0 / 64;
  constexpr double reach = 40;  // the logistic function is 0 or 1 beyond
  const Calibration& calibration = assignment.calibration;
  for (std::size_t i = starts.size(); i-- > 0;) starts.push_back(before(starts[i]));
  for (const double threshold : calibration.thresholds) {
    if (!(std::abs(threshold) < detail::absent_threshold)) continue;
    for (double away = -reach; away <= reach; away += step) starts.push_back((threshold + away) / calibration.slope);
  }
  for (const double end : {-greatest, greatest}) starts.push_back(end);
  std::erase_if(starts, [](double score) { return !(std::abs(score) <= greatest); });
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
  return starts;
}

// The first scores of all pieces that a grid of scores shows: wherever two neighbours differ, the change between them
// is found to the last bit, and the rest of the way looked at again.
template <class Label>
std::vector<double> changes_between(const std::vector<double>& grid, const Label& label) {
  std::vector<double> starts;
  int last = label(grid.front());
  for (std::size_t i = 1; i < grid.size(); ++i) {
    const int next = label(grid[i]);
    for (double from = grid[i - 1]; last != next;) {
      from = first_number(from, grid[i], [&](double score) { return label(score) != last; });
      starts.push_back(from);
      last = label(from);
    }
  }
  return starts;
}

}  // namespace

std::vector<ScorePiece> score_pieces(const Assignment& assignment) {
  const Assigner assigner(assignment);
  std::vector<double> support(assignment.reference.classes.size());
  std::vector<double> probabilities(support.size());
  const auto label = [&](double score) { return assigner.assign(score, support, probabilities).label; };

  std::vector<double> starts;
  if (assignment.decision.is_given()) {
    Assignment by_rule = assignment;
    by_rule.decision = {};
    for (const ScorePiece& piece : score_pieces(by_rule)) starts.push_back(piece.lowest);
    add_class_ends(assignment.reference, starts);
    starts = changes_between(decision_grid(assignment, std::move(starts)), label);
  } else if (assignment.options.rule == AssignmentRule::support) {
    starts = support_starts(assignment);
  } else {
    // The other rules never lower the class as the score rises: cuts and medians by definition, the mode because
    // P(h + 1) / P(h) of a proportional-odds model rises with the score.
    const int top = label(greatest);
    for (int h = label(-greatest) + 1; h <= top; ++h) {
      starts.push_back(first_number(-greatest, greatest, [&](double score) { return label(score) >= h; }));
    }
  }
  starts.push_back(-greatest);
  std::sort(starts.begin(), starts.end());
  std::vector<ScorePiece> pieces;
  for (const double start : starts) {
    const int h = label(start);
    if (!pieces.empty() && pieces.back().label == h) continue;
    if (!pieces.empty()) pieces.back().highest = before(start);
    pieces.push_back({start, greatest, h});
  }
  return pieces;
}

}  // namespace xofm
