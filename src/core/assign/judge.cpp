#include "core/assign/judge.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/assign/reference.hpp"

namespace xofm::detail {

namespace {

// Ranked probability score: sum over the cuts of the squared miss of P(y <= h).
double ranked_probability_score(std::span<const double> probabilities, int label) {
  double below = 0;
  double sum = 0;
  for (std::size_t h = 0; h + 1 < probabilities.size(); ++h) {
    below += probabilities[h];
    const double miss = below - (label <= static_cast<int>(h) ? 1.0 : 0.0);
    sum += miss * miss;
  }
  return sum;
}

int median_class(std::span<const double> probabilities) {
  double below = 0;
  for (std::size_t h = 0; h < probabilities.size(); ++h) {
    below += probabilities[h];
    if (below >= 0.5) return static_cast<int>(h);
  }
  return static_cast<int>(probabilities.size()) - 1;
}

}  // namespace

Judgement judge(std::span<const double> unseen_scores, const Dataset& data, const AssignmentOptions& options) {
  constexpr double least_probability = 1e-12;
  const int class_count = data.schema.class_count();
  Assignment assignment;
  assignment.reference = make_reference(unseen_scores, data.labels, data.weights, class_count, options.reference_limit);
  assignment.calibration = calibrate(assignment.reference);
  const Assigner assigner(assignment);
  std::vector<double> probabilities(static_cast<std::size_t>(class_count));
  Judgement judgement;
  double total = 0;
  for (std::size_t i = 0; i < unseen_scores.size(); ++i) {
    if (std::isnan(unseen_scores[i])) continue;
    const int label = data.labels[i];
    const double weight = data.weights.empty() ? 1.0 : data.weights[i];
    assigner.probabilities(unseen_scores[i], probabilities);
    const auto likeliest = std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin();
    const double loss = options.aim == Aim::mae
                            ? ranked_probability_score(probabilities, label)
                            : -std::log(std::max(probabilities[static_cast<std::size_t>(label)], least_probability));
    judgement.accuracy += likeliest == label ? weight : 0;
    judgement.mae += weight * std::abs(median_class(probabilities) - label);
    judgement.loss += weight * loss;
    judgement.row_losses.push_back(loss);
    judgement.row_weights.push_back(weight);
    total += weight;
  }
  judgement.accuracy /= total;
  judgement.mae /= total;
  judgement.loss /= total;
  return judgement;
}

Excess excess(const Judgement& a, const Judgement& b) {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < a.row_losses.size(); ++i) {
    sum += a.row_weights[i] * (a.row_losses[i] - b.row_losses[i]);
    total += a.row_weights[i];
  }
  const double mean = sum / total;
  double squares = 0;
  for (std::size_t i = 0; i < a.row_losses.size(); ++i) {
    const double miss = a.row_weights[i] * (a.row_losses[i] - b.row_losses[i] - mean);
    squares += miss * miss;
  }
  return {mean, std::sqrt(squares) / total};
}

}  // namespace xofm::detail
