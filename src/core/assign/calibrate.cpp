#include <algorithm>
#include <cmath>

#include "core/assign/reference.hpp"
#include "core/assign/sigmoid.hpp"
#include "xofm/assign.hpp"
#include "xofm/optimize.hpp"

namespace xofm {

namespace {

// Negative mean log-likelihood of the proportional-odds model over standardised scores t. Free parameters:
//   log slope; first threshold; logarithms of the steps from one threshold to the next.
struct OddsObjective {
  struct Point {
    double t;
    int label;
    double weight;
  };
  std::vector<Point> points;
  std::vector<double> shares;  // of the classes; each label keeps 1 - smoothing, the rest goes by the shares
  double smoothing = 0;
  double total = 0;

  double operator()(std::span<const double> x, std::span<double> gradient) const {
    const std::size_t classes = shares.size();
    const double slope = std::exp(x[0]);
    std::vector<double> thresholds(classes - 1);
    for (std::size_t h = 0; h + 1 < classes; ++h)
      thresholds[h] = h == 0 ? x[1] : thresholds[h - 1] + std::exp(x[h + 1]);
    std::vector<double> threshold_slopes(classes - 1, 0.0);
    double slope_gradient = 0;
    double value = 0;
    for (const Point& point : points) {
      for (std::size_t h = 0; h < classes; ++h) {
        const double target = (static_cast<int>(h) == point.label ? 1 - smoothing : 0.0) + smoothing * shares[h];
        if (target == 0) continue;
        // P(h) = F(a) - F(b), a = slope t - threshold below the class, b = slope t - threshold above it.
        const double a = h == 0 ? HUGE_VAL : slope * point.t - thresholds[h - 1];
        const double b = h + 1 == classes ? -HUGE_VAL : slope * point.t - thresholds[h];
        const double probability = std::max(detail::sigmoid_difference(a, b), 1e-300);
        const double w = target * point.weight / total;
        value -= w * std::log(probability);
        const double da = h == 0 ? 0.0 : -w * detail::sigmoid_slope(a) / probability;
        const double db = h + 1 == classes ? 0.0 : w * detail::sigmoid_slope(b) / probability;
        slope_gradient += (da + db) * point.t;
        if (h > 0) threshold_slopes[h - 1] -= da;
        if (h + 1 < classes) threshold_slopes[h] -= db;
      }
    }
    gradient[0] = slope_gradient * slope;
    double suffix = 0;
    for (std::size_t h = classes - 1; h-- > 0;) {
      suffix += threshold_slopes[h];
      gradient[h + 1] = h == 0 ? suffix : suffix * std::exp(x[h + 1]);
    }
    return value;
  }
};

}  // namespace

Calibration calibrate(const Reference& reference) {
  OddsObjective objective;
  const std::size_t classes = reference.classes.size();
  objective.shares.resize(classes);
  double mean = 0;
  for (std::size_t h = 0; h < classes; ++h) {
    for (const auto& point : reference.classes[h]) {
      objective.points.push_back({point.score, static_cast<int>(h), point.weight});
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

  // One pseudo-observation per class, spread over the classes: absent ones get their little too. It is never heavier
  // than the mean point: weights that sum to 1 would drown in it.
  const double pseudo_weight = std::min(1.0, objective.total / static_cast<double>(objective.points.size()));
  const double pseudo = pseudo_weight * static_cast<double>(classes);
  objective.smoothing = pseudo / (objective.total + pseudo);
  for (double& share : objective.shares) share = (share + pseudo_weight) / (objective.total + pseudo);

  // Start from the thresholds that give the class shares at slope 1.
  std::vector<double> start(classes, 0.0);
  double below = 0;
  double previous = 0;
  for (std::size_t h = 0; h + 1 < classes; ++h) {
    below += objective.shares[h];
    const double threshold = std::log(below / (1 - below));
    start[h + 1] = h == 0 ? threshold : std::log(std::max(threshold - previous, 1e-3));
    previous = threshold;
  }
  const Minimum minimum = minimize_lbfgs(std::ref(objective), start, {}, 200, 1e-9);

  Calibration calibration;
  calibration.slope = std::exp(minimum.point[0]) / spread;
  double threshold = 0;
  for (std::size_t h = 0; h + 1 < classes; ++h) {
    threshold = h == 0 ? minimum.point[1] : threshold + std::exp(minimum.point[h + 1]);
    calibration.thresholds.push_back(threshold + calibration.slope * mean);
  }
  return calibration;
}

}  // namespace xofm
