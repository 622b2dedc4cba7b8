#include "core/student/project.hpp"

#include <algorithm>
#include <cmath>

#include "xofm/optimize.hpp"

namespace xofm::detail {

std::vector<double> project(const Design& design, const Targets& targets, const PairLoss* loss,
                            const ProjectOptions& options, std::vector<double> start) {
  const std::size_t count = design.weight_count();
  if (count == 0) return {};
  start.resize(count, 0.0);
  // Each weight is measured by the root of how much of the rows depends on it: near the minimum all count alike.
  std::vector<double> scale = design.masses(targets.weights);
  for (double& s : scale) s = 1 / std::sqrt(s + 1e-3);
  std::vector<double> bounds = design.lower_bounds();
  std::vector<double> weights(count);
  std::vector<double> scores(design.row_count());
  std::vector<double> derivative(design.row_count());
  std::vector<double> loss_derivative(loss != nullptr ? loss->row_count() : 0);
  const Objective objective = [&](std::span<const double> point, std::span<double> gradient) {
    for (std::size_t n = 0; n < count; ++n) weights[n] = point[n] * scale[n];
    design.apply(weights, scores);
    double value = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double miss = scores[i] - targets.scores[i];
      value += options.pull * targets.weights[i] * miss * miss;
      derivative[i] = 2 * options.pull * targets.weights[i] * miss;
    }
    if (loss != nullptr) {
      const std::span<const double> labelled(scores.data(), loss->row_count());
      const LossForm form = loss->suits_histogram(labelled) ? LossForm::histogram : LossForm::sweep;
      value += (*loss)(labelled, loss_derivative, form);
      for (std::size_t i = 0; i < loss_derivative.size(); ++i) derivative[i] += loss_derivative[i];
    }
    design.transpose(derivative, gradient);
    value += design.add_roughness(options.roughness, weights, gradient);
    for (std::size_t n = 0; n < count; ++n) gradient[n] *= scale[n];
    return value;
  };
  for (std::size_t n = 0; n < count; ++n) start[n] /= scale[n];
  Minimum minimum = minimize_lbfgs(objective, std::move(start), bounds, options.max_passes, options.tolerance,
                                   [&](int, double) { return !options.go_on || options.go_on(); });
  for (std::size_t n = 0; n < count; ++n) {
    minimum.point[n] *= scale[n];
    if (!bounds.empty()) minimum.point[n] = std::max(minimum.point[n], bounds[n]);
  }
  return minimum.point;
}

}  // namespace xofm::detail
