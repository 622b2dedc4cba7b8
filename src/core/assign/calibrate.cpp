#include <algorithm>
#include <cmath>

#include "core/assign/reference.hpp"
#include "core/assign/sigmoid.hpp"
#include "xofm/assign.hpp"
#include "xofm/optimize.hpp"

namespace xofm {

namespace {

// Negative mean log-likelihood of proportional odds over standardised scores t, where a row may also be a stray: its
// class then comes from the shares, whatever its score. Without strays a single row far from its like would flatten the
// probabilities of all others. Free parameters:
//   log slope; first cut; logarithms of the steps from one cut to the next; thresholds are slope * cuts.
struct OddsObjective {
  struct Point {
    double t;
    std::size_t label;
    double weight;
  };
  std::vector<Point> points;
  double total = 0;            // weight of the points
  std::vector<double> shares;  // of the classes
  double stray_share = 0;
  std::vector<double> start;  // the parameters are held near it, as by a normal prior of this precision:
  double precision = 0;

  std::vector<double> cuts(std::span<const double> x) const {
    std::vector<double> cuts;
    for (std::size_t h = 1; h < x.size(); ++h) cuts.push_back(h == 1 ? x[h] : cuts.back() + std::exp(x[h]));
    return cuts;
  }

  double operator()(std::span<const double> x, std::span<double> gradient) const {
    const double slope = std::exp(x[0]);
    const std::vector<double> cuts = this->cuts(x);
    std::vector<double> cut_slopes(cuts.size(), 0.0);
    double value = 0;
    double slope_gradient = 0;
    for (const Point& point : points) {
      // P(h) = F(a) - F(b), a = slope (t - cut below the class), b = slope (t - cut above it).
      const std::size_t h = point.label;
      const bool has_cut_below = h > 0;
      const bool has_cut_above = h < cuts.size();
      const double a = has_cut_below ? slope * (point.t - cuts[h - 1]) : HUGE_VAL;
      const double b = has_cut_above ? slope * (point.t - cuts[h]) : -HUGE_VAL;
      const double probability = (1 - stray_share) * detail::sigmoid_difference(a, b) + stray_share * shares[h];
      const double w = point.weight / total;
      value -= w * std::log(probability);
      const double factor = w * (1 - stray_share) / probability;
      if (has_cut_below) {
        const double da = -factor * detail::sigmoid_slope(a);
        slope_gradient += da * a;
        cut_slopes[h - 1] -= da * slope;
      }
      if (has_cut_above) {
        const double db = factor * detail::sigmoid_slope(b);
        slope_gradient += db * b;
        cut_slopes[h] -= db * slope;
      }
    }
    gradient[0] = slope_gradient;
    double suffix = 0;
    for (std::size_t h = cuts.size(); h > 0; --h) {
      suffix += cut_slopes[h - 1];
      gradient[h] = h == 1 ? suffix : suffix * std::exp(x[h]);
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double away = x[i] - start[i];
      value += precision / 2 * away * away;
      gradient[i] += precision * away;
    }
    return value;
  }
};

}  // namespace

namespace {

// Of classes that all have rows.
Calibration calibrate_present(const Reference& reference) {
  OddsObjective objective;
  const std::size_t classes = reference.classes.size();
  objective.shares.resize(classes);
  double mean = 0;
  for (std::size_t h = 0; h < classes; ++h) {
    for (const auto& point : reference.classes[h]) {
      objective.points.push_back({point.score, h, point.weight});
      objective.shares[h] += point.weight;
      mean += point.weight * point.score;
    }
    objective.total += objective.shares[h];
  }
  mean /= objective.total;
  double variance = 0;
  for (const auto& point : objective.points) variance += point.weight * (point.t - mean) * (point.t - mean);
  // Scores that differ by rounding alone are all equal.
  const double deviation = std::sqrt(variance / objective.total);
  const double spread = deviation > 1e-12 * std::max(1.0, std::abs(mean)) ? deviation : 1.0;
  for (auto& point : objective.points) point.t = (point.t - mean) / spread;

  // One stray per class. It is never heavier than the mean point: weights that sum to 1 would drown in it.
  const double stray_weight = std::min(1.0, objective.total / static_cast<double>(objective.points.size()));
  const double strays = stray_weight * static_cast<double>(classes);
  objective.stray_share = strays / (objective.total + strays);
  for (double& share : objective.shares) share = (share + stray_weight) / (objective.total + strays);

  // Start from a fair slope and the cuts that would give the class shares if the scores were normal (nearly so: the
  // logistic quantile is 1.7 times the normal one). The prior weighs as much as one point and allows a factor of e^2
  // either way: it only matters where the data say nothing, as on separable scores.
  constexpr double prior_spread = 2;
  objective.precision = stray_weight / objective.total / (prior_spread * prior_spread);
  objective.start = {std::log(3.0)};
  double below = 0;
  double previous = 0;
  for (std::size_t h = 0; h + 1 < classes; ++h) {
    below += objective.shares[h];
    const double cut = std::log(below / (1 - below)) / 1.7;
    objective.start.push_back(h == 0 ? cut : std::log(std::max(cut - previous, 1e-3)));
    previous = cut;
  }
  const Minimum minimum = minimize_lbfgs(std::ref(objective), objective.start, {}, 200, 1e-9);

  Calibration calibration;
  const double slope = std::exp(minimum.point[0]);
  calibration.slope = slope / spread;
  for (const double cut : objective.cuts(minimum.point)) {
    calibration.thresholds.push_back(slope * cut + calibration.slope * mean);
  }
  for (const double share : objective.shares) calibration.floor.push_back(objective.stray_share * share);
  return calibration;
}

}  // namespace

Calibration calibrate(const Reference& reference) {
  constexpr double prior_rows = 0.5;  // of a class without rows, each as heavy as the mean row
  Reference present;
  double total = 0;
  double count = 0;
  for (const auto& points : reference.classes) {
    if (points.empty()) continue;
    present.classes.push_back(points);
    for (const auto& point : points) total += point.weight;
    count += static_cast<double>(points.size());
  }
  Calibration calibration = calibrate_present(present);
  const std::size_t absent_count = reference.classes.size() - present.classes.size();
  if (absent_count == 0) return calibration;
  // An absent class has no place on the score: whatever the score, it gets its prior.
  const double weight = prior_rows * std::min(1.0, total / count);
  const double absent_share = weight / (total + weight * static_cast<double>(absent_count));
  Calibration all{.slope = calibration.slope, .thresholds = {}, .floor = {}};
  std::size_t passed = 0;  // present classes
  for (std::size_t h = 0; h < reference.classes.size(); ++h) {
    const bool is_present = !reference.classes[h].empty();
    all.floor.push_back(is_present ? (1 - absent_share * static_cast<double>(absent_count)) * calibration.floor[passed]
                                   : absent_share);
    passed += is_present ? 1 : 0;
    if (h + 1 == reference.classes.size()) break;
    all.thresholds.push_back(passed == 0                        ? -detail::absent_threshold
                             : passed == present.classes.size() ? detail::absent_threshold
                                                                : calibration.thresholds[passed - 1]);
  }
  return all;
}

}  // namespace xofm
