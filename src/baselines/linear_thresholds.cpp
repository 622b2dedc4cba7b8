#include "baselines/linear_thresholds.hpp"

#include <algorithm>
#include <cmath>

#include "xofm/optimize.hpp"

namespace xofm::baselines {

namespace {

constexpr int max_epochs = 2000;
constexpr double tolerance = 1e-11;  // leaves the coefficients of POM within 1e-5 of R's

}  // namespace

LinearThresholdsObjective::LinearThresholdsObjective(const Examples& examples, const PresentClasses& present,
                                                     ThresholdLoss loss, double ridge)
    : features_(examples.features), present_(present), loss_(loss), ridge_(ridge), row_counts_(present.classes.size()) {
  for (const int rank : present.ranks) ++row_counts_[static_cast<std::size_t>(rank)];
}

std::vector<double> LinearThresholdsObjective::start() const {
  std::vector<double> point(static_cast<std::size_t>(features_.cols()));
  double below = 0;
  auto above = static_cast<double>(features_.rows());
  double last = 0;
  for (int l = 0; l < present_.threshold_count(); ++l) {
    const double count = row_counts_[static_cast<std::size_t>(l)];
    below += count;
    above -= count;
    const double threshold = std::log(below / above);
    point.push_back(has_gaps() && l > 0 ? std::log(threshold - last) : threshold);
    last = threshold;
  }
  return point;
}

Eigen::VectorXd LinearThresholdsObjective::thresholds(std::span<const double> point) const {
  Eigen::VectorXd result =
      Eigen::Map<const Eigen::VectorXd>(point.data() + features_.cols(), present_.threshold_count());
  if (!has_gaps()) return result;
  for (Eigen::Index l = 1; l < result.size(); ++l) result[l] = result[l - 1] + std::exp(result[l]);
  return result;
}

double LinearThresholdsObjective::operator()(std::span<const double> point, std::span<double> gradient) const {
  const auto row_count = static_cast<double>(features_.rows());
  const Eigen::Map<const Eigen::VectorXd> weights(point.data(), features_.cols());
  const Eigen::VectorXd limits = thresholds(point);
  Eigen::VectorXd scores = features_ * weights;  // becomes the derivative with respect to the scores
  Eigen::VectorXd slopes = Eigen::VectorXd::Zero(limits.size());
  double value = 0;
  for (Eigen::Index i = 0; i < scores.size(); ++i) {
    const Eigen::Index rank = present_.ranks[static_cast<std::size_t>(i)];
    const bool all = loss_ == ThresholdLoss::all;
    const Eigen::Index first = all ? 0 : std::max<Eigen::Index>(rank - 1, 0);
    const Eigen::Index last = all ? limits.size() : std::min(rank + 1, limits.size());
    double slope = 0;
    for (Eigen::Index l = first; l < last; ++l) {
      const double sign = l < rank ? 1 : -1;
      const double margin = sign * (scores[i] - limits[l]);
      const double small = std::exp(-std::abs(margin));
      value += std::max(-margin, 0.0) + std::log1p(small);
      const double pull = -sign * (margin > 0 ? small : 1.0) / (1 + small);
      slope += pull;
      slopes[l] -= pull;
    }
    scores[i] = slope;
  }

  Eigen::Map<Eigen::VectorXd> weight_slopes(gradient.data(), features_.cols());
  Eigen::Map<Eigen::VectorXd> limit_slopes(gradient.data() + features_.cols(), limits.size());
  weight_slopes = features_.transpose() * scores / row_count + ridge_ * weights;
  if (has_gaps()) {
    // A gap moves its threshold and all above it.
    for (Eigen::Index l = limits.size() - 1; l > 0; --l) {
      const double gap = limits[l] - limits[l - 1];
      const double count = row_counts_[static_cast<std::size_t>(l)];
      value -= count * std::log(-std::expm1(-gap));
      slopes[l - 1] += slopes[l];
      slopes[l] =
          (slopes[l] - count / std::expm1(gap)) * std::exp(point[static_cast<std::size_t>(features_.cols() + l)]);
    }
  }
  limit_slopes = slopes / row_count;
  return value / row_count + ridge_ / 2 * weights.squaredNorm();
}

LinearThresholds LinearThresholdsObjective::model(std::span<const double> point) const {
  return {.weights = Eigen::Map<const Eigen::VectorXd>(point.data(), features_.cols()),
          .thresholds = thresholds(point),
          .classes = present_.classes};
}

LinearThresholds fit_linear_thresholds(const Examples& examples, ThresholdLoss loss, double ridge,
                                       const Effort& effort) {
  const PresentClasses present(examples.labels);
  const LinearThresholdsObjective objective(examples, present, loss, ridge);
  if (present.threshold_count() == 0) return objective.model(objective.start());
  const Minimum minimum = minimize_lbfgs(objective, objective.start(), {}, max_epochs, tolerance,
                                         [&](int, double) { return !effort.is_over(); });
  LinearThresholds model = objective.model(minimum.point);
  model.objective = minimum.objective;
  return model;
}

}  // namespace xofm::baselines
