#include "core/assign/conformity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "xofm/error.hpp"

namespace xofm {

std::vector<double> conformity(std::span<const double> probabilities) {
  const std::size_t classes = probabilities.size();
  std::size_t median = 0;
  for (double below = probabilities[0]; below < 0.5 && median + 1 < classes;) below += probabilities[++median];
  std::vector<double> before(classes, 0.0);
  std::size_t low = median;
  std::size_t high = median;
  double mass = probabilities[median];
  while (low > 0 || high + 1 < classes) {
    const bool down = high + 1 == classes || (low > 0 && probabilities[low - 1] >= probabilities[high + 1]);
    const std::size_t next = down ? --low : ++high;
    before[next] = std::min(mass, 1.0);
    mass += probabilities[next];
  }
  return before;
}

ClassInterval covering_interval(const Assignment& assignment, std::span<const double> probabilities, double coverage) {
  if (!(coverage > 0 && coverage < 1)) {
    throw Error(ErrorCode::invalid_option, fmt::format("coverage is {}; it must lie between 0 and 1", coverage));
  }
  if (assignment.conformity.empty()) {
    throw Error(
        ErrorCode::invalid_model,
        "the model can promise no coverage: its probabilities come from rows that it was trained on, or it was edited "
        "since; train it with a search, with bag_count above 1 or with reference_scores out_of_sample");
  }
  // The ceil((n + 1) * coverage)-th of n values; beyond the last one all classes are needed.
  const auto count = static_cast<double>(assignment.conformity.size());
  const auto rank = static_cast<std::size_t>(std::ceil((count + 1) * coverage));
  const int top = static_cast<int>(probabilities.size()) - 1;
  if (rank > assignment.conformity.size()) return {0, top};
  const double bound = assignment.conformity[rank - 1];
  const std::vector<double> before = conformity(probabilities);
  ClassInterval interval{top, 0};
  for (int h = 0; h <= top; ++h) {
    if (before[static_cast<std::size_t>(h)] > bound) continue;
    interval.lowest = std::min(interval.lowest, h);
    interval.highest = h;
  }
  return interval;
}

namespace detail {

void add_conformity(const Calibration& calibration, std::span<const double> unseen_scores, std::span<const int> labels,
                    std::span<const std::size_t> rows, std::vector<double>& values) {
  Assignment assignment;
  assignment.calibration = calibration;
  const Assigner assigner(assignment);
  std::vector<double> probabilities(calibration.thresholds.size() + 1);
  for (const std::size_t i : rows) {
    if (std::isnan(unseen_scores[i])) continue;
    assigner.probabilities(unseen_scores[i], probabilities);
    values[i] = conformity(probabilities)[static_cast<std::size_t>(labels[i])];
  }
}

std::vector<double> conformity_quantiles(std::span<const double> all, std::span<const double> weights) {
  std::vector<std::pair<double, double>> values;  // with weights
  double total = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    if (std::isnan(all[i]) || !(weight > 0)) continue;
    values.emplace_back(all[i], weight);
    total += weight;
  }
  std::sort(values.begin(), values.end());
  const std::size_t count = std::min<std::size_t>(values.size(), 1000);
  std::vector<double> quantiles;
  quantiles.reserve(count);
  std::size_t i = 0;
  double sum = values.empty() ? 0.0 : values.front().second;
  for (std::size_t q = 1; q <= count; ++q) {
    // The least value with a share of q / count at or below it; rounding of the sums must not skip one.
    const double wanted = total * (static_cast<double>(q) / static_cast<double>(count)) * (1 - 1e-12);
    while (sum < wanted && i + 1 < values.size()) sum += values[++i].second;
    quantiles.push_back(values[i].first);
  }
  return quantiles;
}

}  // namespace detail

}  // namespace xofm
