#include "xofm/assign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/assign/conformity.hpp"
#include "core/assign/decide.hpp"
#include "core/assign/reference.hpp"
#include "core/assign/sigmoid.hpp"
#include "xofm/error.hpp"

namespace xofm {

namespace {

// What probabilities are fitted to. The model is a little better than the refits that leave a row out, since it has
// learned from more rows and averages more refits, and not as good as on its own training rows: the truth lies between,
// nearer to the unseen rows (compare Efron's .632 estimate of an error, which weighs the two likewise).
Reference pooled(Reference unseen, const Reference& training) {
  constexpr double training_weight = 0.5;
  for (std::size_t h = 0; h < unseen.classes.size(); ++h) {
    for (ReferencePoint point : training.classes[h]) {
      point.weight *= training_weight;
      unseen.classes[h].push_back(point);
    }
  }
  return unseen;
}

// Every row's class is judged by a calibration that it had no part in: on few rows its own would flatter it.
template <class MakeReference>
std::vector<double> conformity_of(std::span<const double> unseen, std::span<const double> training,
                                  std::span<const int> labels, std::span<const double> weights,
                                  const MakeReference& reference_of) {
  constexpr std::size_t few_rows = 5000;
  const std::size_t part_count = unseen.size() <= few_rows ? 5 : 1;
  std::vector<double> values(unseen.size(), std::nan(""));
  for (std::size_t part = 0; part < part_count; ++part) {
    std::vector<double> other_unseen(unseen.begin(), unseen.end());
    std::vector<double> other_training(training.begin(), training.end());
    std::vector<std::size_t> rows;
    for (std::size_t i = part; i < unseen.size(); i += part_count) {
      rows.push_back(i);
      if (part_count > 1) other_unseen[i] = other_training[i] = std::nan("");
    }
    const Calibration calibration = calibrate(pooled(reference_of(other_unseen), reference_of(other_training)));
    detail::add_conformity(calibration, unseen, labels, rows, values);
  }
  return detail::conformity_quantiles(values, weights);
}

}  // namespace

Assignment fit_assignment(std::span<const double> training_scores, std::span<const double> unseen_scores,
                          std::span<const int> labels, std::span<const double> weights, int class_count, double margin,
                          const AssignmentOptions& options) {
  if (!(options.reference_limit >= 2)) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("reference_limit is {}; it must be at least 2", options.reference_limit));
  }
  const auto reference_of = [&](std::span<const double> scores) {
    return detail::make_reference(scores, labels, weights, class_count, options.reference_limit);
  };
  const bool has_unseen = !unseen_scores.empty();
  const bool refer_to_unseen = has_unseen && options.reference_scores != ReferenceScores::training;
  Assignment assignment;
  assignment.options = options;
  assignment.margin = margin;
  assignment.reference_source = refer_to_unseen ? ReferenceScores::out_of_sample : ReferenceScores::training;
  assignment.reference = reference_of(refer_to_unseen ? unseen_scores : training_scores);
  assignment.accuracy_cuts = optimal_cuts(assignment.reference, Aim::accuracy);
  assignment.mae_cuts = optimal_cuts(assignment.reference, Aim::mae);
  if (has_unseen) {
    assignment.calibration = calibrate(pooled(reference_of(unseen_scores), reference_of(training_scores)));
    assignment.conformity = conformity_of(unseen_scores, training_scores, labels, weights, reference_of);
  } else {
    assignment.calibration = calibrate(assignment.reference);
  }
  return assignment;
}

Assigner::Assigner(const Assignment& assignment) : assignment_(&assignment) {
  for (const auto& points : assignment.reference.classes) {
    auto& sums = cumulative_.emplace_back(1, 0.0);
    for (const auto& point : points) sums.push_back(sums.back() + point.weight);
    total_ += sums.back();
  }
  const Calibration& calibration = assignment.calibration;
  const double strays = std::accumulate(calibration.floor.begin(), calibration.floor.end(), 0.0);
  logistic_share_ = 1 - strays;
  // The median is the lowest class h with P(class <= h) >= 1/2, that is F(slope * score - thresholds[h]) <= 1/2 +
  // (what the strays below add more than half of them) / (what is not stray).
  double strays_below = 0;
  for (std::size_t h = 0; h < calibration.thresholds.size(); ++h) {
    if (strays > 0) strays_below += calibration.floor[h];
    const double greatest = std::clamp(0.5 + (strays_below - strays / 2) / logistic_share_, 0.0, 1.0);
    median_cuts_.push_back(calibration.thresholds[h] + std::log(greatest / (1 - greatest)));
  }
}

ClassInterval Assigner::interval(double score) const {
  const auto& classes = assignment_->reference.classes;
  const int top = static_cast<int>(classes.size()) - 1;
  int left = 0;     // L: the best class with an object at or below the score
  int right = top;  // R: the worst class with an object at or above it
  for (int h = 0; h <= top; ++h) {
    const auto& points = classes[static_cast<std::size_t>(h)];
    if (!points.empty() && points.front().score <= score) left = h;
  }
  for (int h = top; h >= 0; --h) {
    const auto& points = classes[static_cast<std::size_t>(h)];
    if (!points.empty() && points.back().score >= score) right = h;
  }
  return {std::min(left, right), std::max(left, right)};
}

void Assigner::support(double score, std::span<double> support) const {
  const auto& classes = assignment_->reference.classes;
  const double margin = assignment_->margin;
  // below(s): weight of class s with score - U > margin; above(s): with U - score > margin.
  const auto below = [&](std::size_t s) {
    const auto end = std::partition_point(classes[s].begin(), classes[s].end(),
                                          [&](const ReferencePoint& point) { return score - point.score > margin; });
    return cumulative_[s][static_cast<std::size_t>(end - classes[s].begin())];
  };
  const auto above = [&](std::size_t s) {
    const auto begin = std::partition_point(classes[s].begin(), classes[s].end(), [&](const ReferencePoint& point) {
      return !(point.score - score > margin);
    });
    return cumulative_[s].back() - cumulative_[s][static_cast<std::size_t>(begin - classes[s].begin())];
  };
  // support[h] = sum of below over the lower classes + sum of above over the higher ones, as shares.
  std::fill(support.begin(), support.end(), 0.0);
  double sum = 0;
  for (std::size_t h = 0; h < classes.size(); ++h) {
    support[h] += sum;
    sum += below(h);
  }
  sum = 0;
  for (std::size_t h = classes.size(); h-- > 0;) {
    support[h] += sum;
    sum += above(h);
  }
  // Rounded sums of weights may exceed their total by a last digit: full support is 1, and a tie of two stays a tie.
  for (std::size_t h = 0; h < classes.size(); ++h) {
    const double others = total_ - cumulative_[h].back();
    support[h] = others > 0 ? std::min(support[h] / others, 1.0) : 0.0;  // 0: one class outweighs all by 2^53
  }
}

void Assigner::probabilities(double score, std::span<double> probabilities) const {
  const Calibration& calibration = assignment_->calibration;
  for (std::size_t h = 0; h < probabilities.size(); ++h) {
    const double a = h == 0 ? HUGE_VAL : calibration.slope * score - calibration.thresholds[h - 1];
    const double b = h + 1 == probabilities.size() ? -HUGE_VAL : calibration.slope * score - calibration.thresholds[h];
    probabilities[h] = logistic_share_ * detail::sigmoid_difference(a, b);
    if (!calibration.floor.empty()) probabilities[h] += calibration.floor[h];
  }
}

AssignedRow Assigner::assign(double score, std::span<double> support, std::span<double> probabilities) const {
  AssignedRow row{score, 0, interval(score)};
  this->support(score, support);
  this->probabilities(score, probabilities);
  switch (assignment_->options.rule) {
    case AssignmentRule::support:
      row.label = row.interval.lowest;
      for (int h = row.interval.lowest + 1; h <= row.interval.highest; ++h) {
        if (support[static_cast<std::size_t>(h)] > support[static_cast<std::size_t>(row.label)]) row.label = h;
      }
      break;
    case AssignmentRule::threshold: {
      const auto& cuts = assignment_->options.aim == Aim::mae ? assignment_->mae_cuts : assignment_->accuracy_cuts;
      row.label = static_cast<int>(std::upper_bound(cuts.begin(), cuts.end(), score) - cuts.begin());
      break;
    }
    case AssignmentRule::probability:
      if (assignment_->options.aim == Aim::accuracy) {
        row.label =
            static_cast<int>(std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin());
      } else {
        // The median. Adding up probabilities instead would let rounding turn it back as the score rises.
        const double position = assignment_->calibration.slope * score;
        row.label = static_cast<int>(std::lower_bound(median_cuts_.begin(), median_cuts_.end(), position) -
                                     median_cuts_.begin());
      }
      break;
  }
  if (assignment_->decision.is_given()) {
    row.label = detail::decide(*assignment_, row.label, row.interval, probabilities);
  }
  return row;
}

}  // namespace xofm
