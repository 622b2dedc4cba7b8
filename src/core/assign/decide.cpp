#include "core/assign/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "xofm/error.hpp"

namespace xofm {

namespace {

void need(bool condition, const std::string& message) {
  if (!condition) throw Error(ErrorCode::invalid_option, message);
}

int cheapest_class(const std::vector<std::vector<double>>& costs, std::span<const double> probabilities) {
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t decided = 0; decided < probabilities.size(); ++decided) {
    double expected = 0;
    for (std::size_t truth = 0; truth < probabilities.size(); ++truth) {
      expected += probabilities[truth] * costs[truth][decided];
    }
    if (!(expected < least)) continue;
    least = expected;
    best = static_cast<int>(decided);
  }
  return best;
}

}  // namespace

int detail::decide(const Assignment& assignment, int label, const ClassInterval& interval,
                   std::span<const double> probabilities) {
  const Decision& decision = assignment.decision;
  if (decision.least_probability > 0 &&
      *std::max_element(probabilities.begin(), probabilities.end()) < decision.least_probability) {
    return no_class;
  }
  if (decision.most_classes > 0) {
    const auto [lowest, highest] = covering_interval(assignment, probabilities, decision.coverage);
    if (highest - lowest + 1 > decision.most_classes) return no_class;
  }
  if (!decision.costs.empty()) return cheapest_class(decision.costs, probabilities);
  if (decision.preference == Preference::lower) return interval.lowest;
  if (decision.preference == Preference::higher) return interval.highest;
  return label;
}

void check_decision(const Assignment& assignment) {
  const Decision& decision = assignment.decision;
  const std::size_t classes = assignment.reference.classes.size();
  if (!decision.costs.empty()) {
    need(decision.preference == Preference::none,
         "costs and a preference are two ways to decide; leave one of them out");
    need(
        decision.costs.size() == classes,
        fmt::format("costs has {} rows; there must be one for each of the {} classes", decision.costs.size(), classes));
    for (std::size_t h = 0; h < classes; ++h) {
      const auto& row = decision.costs[h];
      need(row.size() == classes,
           fmt::format("costs of true class {} has {} numbers; there must be {}", h, row.size(), classes));
      const auto bad = std::find_if(row.begin(), row.end(), [](double cost) { return !std::isfinite(cost); });
      need(bad == row.end(),
           fmt::format("costs of true class {} holds {}; a cost is a finite number", h, bad == row.end() ? 0.0 : *bad));
    }
  }
  need(decision.least_probability >= 0 && decision.least_probability <= 1,
       fmt::format("least_probability is {}; it must be 0 to 1", decision.least_probability));
  need(decision.most_classes >= 0, fmt::format("most_classes is {}; it must be 0 or more", decision.most_classes));
  if (decision.most_classes == 0) return;
  const std::vector<double> even(classes, 1.0 / static_cast<double>(classes));
  static_cast<void>(covering_interval(assignment, even, decision.coverage));  // refuses what cannot be promised
}

DecisionMetrics judge_decisions(const Decision& decision, std::span<const int> labels, std::span<const int> classes) {
  DecisionMetrics metrics{.row_count = classes.size(), .mean_cost = std::nan("")};
  double cost = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] == no_class) continue;
    ++metrics.decided_count;
    if (!decision.costs.empty()) {
      cost += decision.costs[static_cast<std::size_t>(labels[i])][static_cast<std::size_t>(classes[i])];
    }
  }
  if (!decision.costs.empty() && metrics.decided_count > 0) {
    metrics.mean_cost = cost / static_cast<double>(metrics.decided_count);
  }
  return metrics;
}

}  // namespace xofm
