#include "core/tune/select.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/parallel.hpp"
#include "core/tune/candidates.hpp"

namespace xofm::detail {

namespace {

constexpr std::size_t first_picks = 3;    // the best by themselves: a start that luck cannot choose
constexpr std::size_t pick_count = 12;    // in all
constexpr std::size_t most_choices = 30;  // the best by themselves, from which the others are picked

// The best candidates, each recipe once, at the number of epochs that suited it best.
std::vector<std::size_t> choices_of(std::span<const Candidate> candidates, std::span<const double> losses) {
  std::vector<std::size_t> sorted(candidates.size());
  for (std::size_t c = 0; c < sorted.size(); ++c) sorted[c] = c;
  std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) { return losses[a] < losses[b]; });
  std::vector<std::size_t> kept;
  for (const std::size_t c : sorted) {
    const auto same = [&](std::size_t other) {
      Recipe recipe = candidates[other].recipe;
      recipe.max_epochs = candidates[c].recipe.max_epochs;
      return is_same_model(recipe, candidates[c].recipe);
    };
    if (kept.size() < most_choices && std::none_of(kept.begin(), kept.end(), same)) kept.push_back(c);
  }
  return kept;
}

// Errors of the classes that a reading gives to each row, from what the other folds say.
Judgement reading_errors(const Folds& folds, const std::vector<std::vector<double>>& scores, double margin,
                         const AssignmentOptions& options) {
  const Dataset& data = folds.data();
  const std::vector<double> unseen = folds.unseen(scores);
  const auto class_count = static_cast<std::size_t>(data.schema.class_count());
  std::vector<double> support(class_count);
  std::vector<double> probabilities(class_count);
  Judgement errors;
  for (std::size_t f = 0; f < folds.count(); ++f) {
    std::vector<double> seen_here;
    std::vector<double> unseen_here;
    for (std::size_t i = 0; i < unseen.size(); ++i) {
      if (folds.fold_of(i) == static_cast<int>(f)) continue;
      seen_here.push_back(scores[f][i]);
      unseen_here.push_back(unseen[i]);
    }
    const Dataset& learning = folds.learning(f);
    const Assignment assignment = fit_assignment(seen_here, unseen_here, learning.labels, learning.weights,
                                                 data.schema.class_count(), margin, options);
    const Assigner assigner(assignment);
    for (const std::size_t i : folds.rows(f)) {
      const int distance = std::abs(assigner.assign(unseen[i], support, probabilities).label - data.labels[i]);
      errors.row_losses.push_back(options.aim == Aim::mae ? distance : std::min(distance, 1));
      errors.row_weights.push_back(data.weights.empty() ? 1.0 : data.weights[i]);
    }
  }
  errors.loss = weighted_mean(errors.row_losses, errors.row_weights);
  return errors;
}

}  // namespace

Selection select(std::span<const Candidate> candidates, std::span<const double> losses, const Dataset& data,
                 const AssignmentOptions& options, std::size_t most_parts) {
  const std::vector<std::size_t> choices = choices_of(candidates, losses);
  Selection selection;
  std::vector<std::size_t> parts;  // different picks
  std::vector<double> sum(data.row_count());
  const auto take = [&](std::size_t choice) {
    selection.picks.push_back(choice);
    if (std::find(parts.begin(), parts.end(), choice) == parts.end()) parts.push_back(choice);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += candidates[choice].unseen[i];
  };
  for (std::size_t c = 0; c < std::min({first_picks, most_parts, choices.size()}); ++c) take(choices[c]);
  while (most_parts > 1 && selection.picks.size() < pick_count) {
    std::vector<double> with(choices.size(), HUGE_VAL);
    parallel_for(choices.size(), [&](std::size_t c) {
      const bool is_new = std::find(parts.begin(), parts.end(), choices[c]) == parts.end();
      if (is_new && parts.size() >= most_parts) return;
      std::vector<double> mean = candidates[choices[c]].unseen;
      const auto count = static_cast<double>(selection.picks.size() + 1);
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = (mean[i] + sum[i]) / count;
      with[c] = judge(mean, data, options).loss;
    });
    take(choices[static_cast<std::size_t>(std::min_element(with.begin(), with.end()) - with.begin())]);
  }
  for (double& score : sum) score /= static_cast<double>(selection.picks.size());
  selection.judgement = judge(sum, data, options);
  selection.unseen = std::move(sum);
  return selection;
}

std::vector<Reading> readings_of(const SearchSpace& space) {
  std::vector<Reading> readings;
  for (const ReferenceScores source : space.reference_scores) {
    for (const AssignmentRule rule : space.rules) {
      // Probabilities come from unseen rows whatever the reference.
      const bool is_again = rule == AssignmentRule::probability && !readings.empty();
      if (!is_again) readings.push_back({rule, source});
    }
  }
  return readings;
}

Reading choose_reading(const Folds& folds, const std::vector<std::vector<double>>& scores, double margin,
                       const AssignmentOptions& options, std::span<const Reading> readings) {
  std::vector<Judgement> errors(readings.size());
  parallel_for(readings.size(), [&](std::size_t r) {
    AssignmentOptions own = options;
    own.rule = readings[r].rule;
    own.reference_scores = readings[r].reference_scores;
    errors[r] = reading_errors(folds, scores, margin, own);
  });
  const auto least = std::min_element(errors.begin(), errors.end(),
                                      [](const Judgement& a, const Judgement& b) { return a.loss < b.loss; });
  const auto [mean, error] = excess(errors.front(), *least);
  return mean <= error ? readings.front() : readings[static_cast<std::size_t>(least - errors.begin())];
}

}  // namespace xofm::detail
