#include "core/tune/select.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "core/assign/reference.hpp"
#include "core/base/parallel.hpp"

namespace xofm::detail {

namespace {

constexpr std::size_t first_picks = 3;    // the best by themselves: a start that luck cannot choose
constexpr std::size_t pick_count = 12;    // in all
constexpr std::size_t most_choices = 30;  // the best by themselves, from which the others are picked

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

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

// Each recipe once, at the number of epochs that suited it best.
std::vector<std::size_t> best_stations(std::span<const Rehearsed> rehearsed, const std::vector<std::size_t>& sorted) {
  std::vector<std::size_t> kept;
  for (const std::size_t c : sorted) {
    const auto same = [&](std::size_t other) {
      Recipe recipe = rehearsed[other].recipe;
      recipe.max_epochs = rehearsed[c].recipe.max_epochs;
      return is_same_model(recipe, rehearsed[c].recipe);
    };
    if (std::none_of(kept.begin(), kept.end(), same)) kept.push_back(c);
  }
  return kept;
}

// Adds one member to the sums.
void add_scores(const std::vector<std::vector<double>>& scores, std::vector<std::vector<double>>& sums) {
  if (sums.empty()) {
    sums = scores;
    return;
  }
  for (std::size_t f = 0; f < sums.size(); ++f) {
    for (std::size_t i = 0; i < sums[f].size(); ++i) sums[f][i] += scores[f][i];
  }
}

// Errors of the classes that a reading gives to each row, from what the other folds say.
std::vector<double> reading_errors(const Stage& stage, Aim metric, const std::vector<std::vector<double>>& scores,
                                   const std::vector<double>& unseen, const Reading& reading) {
  const Dataset& data = stage.data;
  const int class_count = data.schema.class_count();
  std::vector<double> errors(data.row_count());
  AssignmentOptions options = stage.base.assignment;
  options.rule = reading.rule;
  options.aim = metric;
  options.reference_scores = reading.reference_scores;
  for (int fold = 0; fold < stage.fold_count; ++fold) {
    const std::vector<double>& seen = scores[static_cast<std::size_t>(fold)];
    std::vector<double> training_scores;
    std::vector<double> unseen_scores;
    std::vector<int> labels;
    std::vector<double> weights;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (stage.folds[i] == fold) continue;
      training_scores.push_back(seen[i]);
      unseen_scores.push_back(unseen[i]);
      labels.push_back(data.labels[i]);
      if (!data.weights.empty()) weights.push_back(data.weights[i]);
    }
    const Assignment assignment =
        fit_assignment(training_scores, unseen_scores, labels, weights, class_count, stage.base.margin, options);
    const Assigner assigner(assignment);
    std::vector<double> support(static_cast<std::size_t>(class_count));
    std::vector<double> probabilities(static_cast<std::size_t>(class_count));
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (stage.folds[i] != fold) continue;
      const int distance = std::abs(assigner.assign(unseen[i], support, probabilities).label - data.labels[i]);
      errors[i] = metric == Aim::mae ? distance : std::min(distance, 1);
    }
  }
  return errors;
}

}  // namespace

Excess excess(const std::vector<double>& a, const std::vector<double>& b) {
  const auto count = static_cast<double>(a.size());
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += a[i] - b[i];
    squares += (a[i] - b[i]) * (a[i] - b[i]);
  }
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(squares / count - mean * mean, 0.0) / count)};
}

Judgement judge(const Stage& stage, Aim metric, std::span<const double> unseen_scores) {
  constexpr double least_probability = 1e-12;
  const Dataset& data = stage.data;
  const auto class_count = static_cast<std::size_t>(data.schema.class_count());
  Assignment assignment;
  assignment.reference = make_reference(unseen_scores, data.labels, data.weights, data.schema.class_count(),
                                        stage.base.assignment.reference_limit);
  assignment.calibration = calibrate(assignment.reference);
  const Assigner assigner(assignment);
  std::vector<double> probabilities(class_count);
  Judgement judgement;
  for (std::size_t i = 0; i < unseen_scores.size(); ++i) {
    if (std::isnan(unseen_scores[i])) continue;
    const int label = data.labels[i];
    assigner.probabilities(unseen_scores[i], probabilities);
    const auto likeliest = std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin();
    judgement.accuracy += likeliest == label ? 1 : 0;
    judgement.mae += std::abs(median_class(probabilities) - label);
    judgement.row_losses.push_back(
        metric == Aim::mae ? ranked_probability_score(probabilities, label)
                           : -std::log(std::max(probabilities[static_cast<std::size_t>(label)], least_probability)));
  }
  const auto count = static_cast<double>(judgement.row_losses.size());
  judgement.accuracy /= count;
  judgement.mae /= count;
  judgement.loss = mean_of(judgement.row_losses);
  return judgement;
}

Selection select_blend(const Stage& stage, Aim metric, std::span<const Rehearsed> rehearsed,
                       std::span<const double> losses, const Kind& kind, std::size_t most_parts) {
  std::vector<std::size_t> choices;
  for (std::size_t c = 0; c < rehearsed.size(); ++c) {
    if (admits(kind, rehearsed[c].recipe)) choices.push_back(c);
  }
  std::stable_sort(choices.begin(), choices.end(), [&](std::size_t a, std::size_t b) { return losses[a] < losses[b]; });
  choices = best_stations(rehearsed, choices);
  if (choices.size() > most_choices) choices.resize(most_choices);
  Selection selection;
  if (choices.empty()) return selection;
  std::vector<std::size_t> parts;  // different picks
  std::vector<std::vector<double>> sums;
  std::vector<double> unseen;  // their sum
  const auto take = [&](std::size_t choice) {
    selection.picks.push_back(choice);
    if (std::find(parts.begin(), parts.end(), choice) == parts.end()) parts.push_back(choice);
    add_scores(rehearsed[choice].scores, sums);
    unseen = stage.unseen_scores(sums);
  };
  for (std::size_t c = 0; c < std::min({first_picks, most_parts, choices.size()}); ++c) take(choices[c]);
  while (most_parts > 1 && selection.picks.size() < pick_count) {
    std::vector<double> with(choices.size(), HUGE_VAL);
    parallel_for(choices.size(), [&](std::size_t c) {
      const bool is_new = std::find(parts.begin(), parts.end(), choices[c]) == parts.end();
      if (is_new && parts.size() >= most_parts) return;
      std::vector<double> mean = stage.unseen_scores(rehearsed[choices[c]].scores);
      const auto count = static_cast<double>(selection.picks.size() + 1);
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = (mean[i] + unseen[i]) / count;
      with[c] = judge(stage, metric, mean).loss;
    });
    take(choices[static_cast<std::size_t>(std::min_element(with.begin(), with.end()) - with.begin())]);
  }
  for (auto& scores : sums) {
    for (double& score : scores) score /= static_cast<double>(selection.picks.size());
  }
  selection.scores = std::move(sums);
  selection.judgement = judge(stage, metric, stage.unseen_scores(selection.scores));
  return selection;
}

std::size_t choose_kind(std::span<const Selection> selections, bool prefer_simple) {
  std::size_t best = selections.size();
  for (std::size_t s = 0; s < selections.size(); ++s) {
    if (selections[s].picks.empty()) continue;
    if (best == selections.size() || selections[s].judgement.loss < selections[best].judgement.loss) best = s;
  }
  if (!prefer_simple) return best;
  for (std::size_t s = 0; s < best; ++s) {
    if (selections[s].picks.empty()) continue;
    const auto [mean, error] = excess(selections[s].judgement.row_losses, selections[best].judgement.row_losses);
    if (mean <= error) return s;
  }
  return best;
}

Reading choose_reading(const Stage& stage, Aim metric, const std::vector<std::vector<double>>& scores,
                       std::span<const Reading> readings) {
  const std::vector<double> unseen = stage.unseen_scores(scores);
  std::vector<std::vector<double>> errors(readings.size());
  parallel_for(readings.size(),
               [&](std::size_t r) { errors[r] = reading_errors(stage, metric, scores, unseen, readings[r]); });
  const auto best =
      static_cast<std::size_t>(std::min_element(errors.begin(), errors.end(),
                                                [](const auto& a, const auto& b) { return mean_of(a) < mean_of(b); }) -
                               errors.begin());
  const auto [mean, error] = excess(errors.front(), errors[best]);
  return mean <= error ? readings.front() : readings[best];
}

}  // namespace xofm::detail
