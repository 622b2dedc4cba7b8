#include "core/evaluate/fold_validation.hpp"

#include "xofm/validate.hpp"

namespace xofm::detail {

namespace {

TrialResult trial_of(const Folds& folds, std::size_t fold, std::span<const double> unseen, double margin,
                     const AssignmentOptions& options) {
  const Dataset& data = folds.data();
  const auto class_count = static_cast<std::size_t>(data.schema.class_count());
  TrialResult trial;
  trial.rows = folds.rows(fold);
  std::vector<std::size_t> others;
  for (std::size_t f = 0; f < folds.count(); ++f) {
    if (f == fold && !folds.is_held_out()) continue;
    others.insert(others.end(), folds.rows(f).begin(), folds.rows(f).end());
  }
  std::vector<double> scores;
  for (const std::size_t i : others) scores.push_back(unseen[i]);
  const Dataset rows = subset(data, others);
  const Assignment assignment =
      fit_assignment(scores, scores, rows.labels, rows.weights, data.schema.class_count(), margin, options);
  const Assigner assigner(assignment);
  std::vector<double> support(class_count);
  trial.predictions.probabilities.resize(trial.rows.size() * class_count);
  for (std::size_t i = 0; i < trial.rows.size(); ++i) {
    const double score = unseen[trial.rows[i]];
    const std::span<double> probabilities(&trial.predictions.probabilities[i * class_count], class_count);
    trial.labels.push_back(data.labels[trial.rows[i]]);
    trial.predictions.scores.push_back(score);
    trial.predictions.classes.push_back(assigner.assign(score, support, probabilities).label);
  }
  trial.metrics = evaluate(data.schema.class_count(), trial.labels, trial.predictions.classes, trial.predictions.scores,
                           trial.predictions.probabilities);
  return trial;
}

}  // namespace

ValidationSummary validate_folds(const Folds& folds, std::span<const double> unseen, double margin,
                                 const AssignmentOptions& options) {
  const auto classes = static_cast<std::size_t>(folds.data().schema.class_count());
  ValidationSummary summary;
  summary.confusion.assign(classes, std::vector<std::size_t>(classes));
  std::vector<TrialResult> trials;
  for (std::size_t f = 0; f < folds.count(); ++f) {
    trials.push_back(trial_of(folds, f, unseen, margin, options));
    for (std::size_t a = 0; a < classes; ++a) {
      for (std::size_t b = 0; b < classes; ++b) summary.confusion[a][b] += trials.back().metrics.confusion[a][b];
    }
  }
  summary.trial_count = trials.size();
  summary.metrics = summarize(trials);
  return summary;
}

}  // namespace xofm::detail
