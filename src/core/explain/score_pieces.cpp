#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

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

// By support, the class can change only where the score enters or leaves the range of a class, or passes a reference
// score by more than the margin.
std::vector<double> support_starts(const Assignment& assignment) {
  std::vector<double> starts;
  const double margin = assignment.margin;
  for (const auto& points : assignment.reference.classes) {
    if (points.empty()) continue;
    starts.push_back(points.front().score);
    starts.push_back(of_rank(rank_of(points.back().score) + 1));
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

}  // namespace

std::vector<ScorePiece> score_pieces(const Assignment& assignment) {
  const Assigner assigner(assignment);
  std::vector<double> support(assignment.reference.classes.size());
  std::vector<double> probabilities(support.size());
  const auto label = [&](double score) { return assigner.assign(score, support, probabilities).label; };

  std::vector<double> starts;
  if (assignment.options.rule == AssignmentRule::support) {
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
