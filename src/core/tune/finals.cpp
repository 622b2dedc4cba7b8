#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "core/base/parallel.hpp"
#include "core/base/random.hpp"
#include "core/tune/candidates.hpp"
#include "core/tune/search.hpp"
#include "xofm/validate.hpp"

namespace xofm::detail {

namespace {

constexpr std::size_t most_finalists = 10;
// Standard errors by which another must beat the start. The best of ten that are equally good leads by 1.5 on average.
constexpr double clear_lead = 2;

// What a finalist did on each repeat's folds.
struct Finalist {
  TriedOptions candidate;
  std::vector<std::vector<FoldOutcome>> repeats;  // [repeat][fold]
  std::size_t reading = 0;
};

struct Finals {
  const Search& search;
  std::vector<Reading> readings;
  std::vector<std::vector<Fold>> folds;  // [repeat]
  std::vector<Finalist> finalists;

  // One round of folds is enough to compare; the model will have several.
  int bag_count() const { return std::min(search.options.bag_count, search.base.assignment.fold_count); }

  std::vector<Fold> new_folds() const {
    return make_folds(search.data, search.options.fold_count, mix(search.options.seed) + folds.size() + 1);
  }
  ProgressCallback watch_progress() const {
    return [this](const Progress&) { return search.watch.tick(); };
  }
  // Nothing for tasks that were not finished before the search had to stop.
  void run(std::vector<std::optional<FoldOutcome>>& outcomes,
           const std::function<FoldOutcome(std::size_t)>& task) const {
    Watch& watch = search.watch;
    parallel_for(outcomes.size(), [&](std::size_t t) {
      if (!watch.tick()) return;
      FoldOutcome outcome = task(t);
      watch.add(outcome.passes * (search.options.fold_count - 1.0) / search.options.fold_count);
      if (watch.may_go_on()) outcomes[t] = std::move(outcome);
    });
  }

  Errors errors_of(const Finalist& finalist, std::size_t reading) const {
    Errors errors;
    for (std::size_t repeat = 0; repeat < finalist.repeats.size(); ++repeat) {
      for (std::size_t f = 0; f < folds[repeat].size(); ++f) {
        errors.add(finalist.repeats[repeat][f].classes[reading], folds[repeat][f].labels);
      }
    }
    return errors;
  }

  // Sets each finalist's best reading and figures.
  void judge() {
    for (Finalist& finalist : finalists) {
      std::optional<double> best;
      for (std::size_t r = 0; r < readings.size(); ++r) {
        const Errors errors = errors_of(finalist, r);
        if (best && errors.loss(search.options.metric) >= *best) continue;
        best = errors.loss(search.options.metric);
        record(errors, readings[r], finalist.candidate);
        finalist.reading = r;
      }
      finalist.candidate.repeat_count = static_cast<int>(finalist.repeats.size());
    }
    std::stable_sort(finalists.begin(), finalists.end(), [&](const Finalist& a, const Finalist& b) {
      if (a.repeats.size() != b.repeats.size()) return a.repeats.size() > b.repeats.size();
      return loss_of(a.candidate, search.options.metric) < loss_of(b.candidate, search.options.metric);
    });
  }

  // All finalists on new folds; those that could not be finished stay as they were.
  void play() {
    const std::size_t count = finalists.size();
    folds.push_back(new_folds());
    const std::vector<Fold>& round = folds.back();
    std::vector<std::optional<FoldOutcome>> outcomes(count * round.size());
    run(outcomes, [&](std::size_t task) {
      TrainOptions own = search.options_of(finalists[task / round.size()].candidate);
      own.bag_count = bag_count();
      return compete(round[task % round.size()], own, readings, watch_progress());
    });
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<FoldOutcome> mine;
      for (std::size_t f = 0; f < round.size(); ++f) {
        auto& outcome = outcomes[i * round.size() + f];
        if (outcome) mine.push_back(std::move(*outcome));
      }
      if (mine.size() == round.size()) finalists[i].repeats.push_back(std::move(mine));
    }
    std::erase_if(finalists, [](const Finalist& finalist) { return finalist.repeats.empty(); });
    judge();
  }

  // Mean loss of each row over the repeats.
  std::vector<double> row_losses(const Finalist& finalist) const {
    std::vector<double> losses(search.data.row_count(), 0.0);
    const auto repeat_count = static_cast<double>(finalist.repeats.size());
    for (std::size_t repeat = 0; repeat < finalist.repeats.size(); ++repeat) {
      for (std::size_t f = 0; f < folds[repeat].size(); ++f) {
        const Fold& fold = folds[repeat][f];
        const std::vector<int>& classes = finalist.repeats[repeat][f].classes[finalist.reading];
        for (std::size_t i = 0; i < fold.rows.size(); ++i) {
          const int distance = std::abs(classes[i] - fold.labels[i]);
          losses[fold.rows[i]] += (search.options.metric == Aim::mae ? distance : std::min(distance, 1)) / repeat_count;
        }
      }
    }
    return losses;
  }

  // Of the first finalist's losses minus the second's, row by row: mean and standard error.
  std::pair<double, double> difference(const Finalist& first, const Finalist& second) const {
    const std::vector<double> a = row_losses(first);
    const std::vector<double> b = row_losses(second);
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

  // The best of many on the same folds owes part of its lead to luck. So it must beat the start clearly, else the start
  // stays; and the simplest that is not worse than that one by a standard error is taken.
  std::size_t choose() {
    const std::size_t rivals = rival_count();
    std::size_t chosen = 0;
    for (std::size_t c = 0; c < rivals; ++c) {
      const auto [mean, error] = difference(finalists[c], finalists.front());
      finalists[c].candidate.standard_error = error;
      if (is_same_model(finalists[c].candidate, starting_candidate(search.options.space)) &&
          mean <= clear_lead * error) {
        chosen = c;
      }
    }
    if (!search.options.prefer_simple) return chosen;
    const std::size_t target = chosen;
    for (std::size_t c = 0; c < rivals; ++c) {
      const auto [mean, error] = difference(finalists[c], finalists[target]);
      if (mean <= error && is_simpler(finalists[c].candidate, finalists[chosen].candidate)) chosen = c;
    }
    return chosen;
  }

  // As many repeats as the best one: only then can two be compared row by row.
  std::size_t rival_count() const {
    const auto end = std::find_if(finalists.begin(), finalists.end(), [&](const Finalist& finalist) {
      return finalist.repeats.size() != finalists.front().repeats.size();
    });
    return static_cast<std::size_t>(end - finalists.begin());
  }

  // The reading of the scores that suits all finalists about as good as the winner: less of a gamble than the one that
  // was best for the winner alone.
  void settle_reading(Finalist& winner) {
    std::vector<const Finalist*> near;
    for (std::size_t c = 0; c < rival_count(); ++c) {
      const auto [mean, error] = difference(finalists[c], winner);
      if (mean <= error) near.push_back(&finalists[c]);
    }
    std::optional<double> best;
    for (std::size_t r = 0; r < readings.size(); ++r) {
      double loss = 0;
      for (const Finalist* finalist : near) loss += errors_of(*finalist, r).loss(search.options.metric);
      if (best && loss >= *best) continue;
      best = loss;
      winner.reading = r;
    }
    record(errors_of(winner, winner.reading), readings[winner.reading], winner.candidate);
  }

  // The model's own options on folds that had no part in the choice.
  ValidationSummary validate(const TrainOptions& options) const {
    const std::vector<Fold> round = new_folds();
    const Reading reading{options.assignment.rule, options.assignment.reference_scores};
    std::vector<std::optional<FoldOutcome>> outcomes(round.size());
    run(outcomes, [&](std::size_t f) { return compete(round[f], options, {&reading, 1}, watch_progress()); });
    ValidationSummary summary;
    const int class_count = search.data.schema.class_count();
    const auto classes = static_cast<std::size_t>(class_count);
    std::vector<TrialResult> trials;
    summary.confusion.assign(classes, std::vector<std::size_t>(classes));
    for (std::size_t f = 0; f < round.size(); ++f) {
      if (!outcomes[f]) return {};
      TrialResult& trial = trials.emplace_back();
      trial.metrics = evaluate(class_count, round[f].labels, outcomes[f]->classes.front(), outcomes[f]->scores,
                               outcomes[f]->probabilities);
      for (std::size_t a = 0; a < classes; ++a) {
        for (std::size_t b = 0; b < classes; ++b) summary.confusion[a][b] += trial.metrics.confusion[a][b];
      }
    }
    summary.trial_count = trials.size();
    summary.metrics = summarize(trials);
    return summary;
  }
};

// Probabilities do not depend on the reference scores where there are scores of unseen rows.
std::vector<Reading> final_readings(const TuneOptions& options) {
  std::vector<Reading> readings;
  for (const ReferenceScores source : options.space.reference_scores) {
    if (source == ReferenceScores::out_of_sample && options.bag_count == 1) continue;
    for (const AssignmentRule rule : options.space.rules) {
      const bool again = std::any_of(readings.begin(), readings.end(), [&](const Reading& reading) {
        return rule == AssignmentRule::probability && reading.rule == rule;
      });
      if (!again) readings.push_back({rule, source});
    }
  }
  if (readings.empty()) readings.push_back({options.space.rules.front(), ReferenceScores::training});
  return readings;
}

}  // namespace

FinalsResult play_finals(const Search& search, std::span<const TriedOptions> ranking, double pass_budget) {
  const TuneOptions& options = search.options;
  Finals finals{search, final_readings(options), {}, {}};
  FinalsResult result;
  if (ranking.empty()) return result;
  // The model's own validation comes out of the same budget; the finalists play twice.
  const double parts = options.fold_count - 1.0;
  double planned = ranking.front().max_epochs * options.bag_count * parts;
  // The start is always among them: it stays unless another is clearly better.
  std::vector<TriedOptions> wanted;
  for (const TriedOptions& candidate : ranking) {
    if (is_same_model(candidate, starting_candidate(options.space))) wanted.push_back(candidate);
  }
  for (const TriedOptions& candidate : ranking) {
    if (wanted.empty() || !is_same_model(candidate, wanted.front())) wanted.push_back(candidate);
  }
  for (const TriedOptions& candidate : wanted) {
    const double cost = 2.0 * candidate.max_epochs * finals.bag_count() * parts;
    if (finals.finalists.size() >= most_finalists) break;
    if (finals.finalists.size() >= 2 && planned + cost > pass_budget) break;
    planned += cost;
    finals.finalists.push_back({candidate, {}, 0});
  }
  search.watch.plan(screening_share, 1, planned, ranking.size(), true);
  for (int repeat = 0; repeat < 2 && !finals.finalists.empty() && search.watch.may_go_on(); ++repeat) {
    finals.play();
  }
  if (finals.finalists.empty() || finals.finalists.front().repeats.empty()) return result;
  result.chosen = finals.choose();
  finals.settle_reading(finals.finalists[result.chosen]);
  result.options = search.options_of(finals.finalists[result.chosen].candidate);
  result.options.bag_count = options.bag_count;
  if (search.watch.may_go_on()) result.validation = finals.validate(result.options);
  for (const Finalist& finalist : finals.finalists) result.finalists.push_back(finalist.candidate);
  return result;
}

}  // namespace xofm::detail
