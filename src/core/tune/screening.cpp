#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "core/base/parallel.hpp"
#include "core/tune/candidates.hpp"
#include "core/tune/search.hpp"

namespace xofm::detail {

namespace {

constexpr int screening_members = 2;  // averaged: bags, which the model will be, like less penalty than single fits
constexpr std::size_t changes_to_combine = 4;

struct Race {
  const Search& search;
  const std::vector<Fold>& folds;
  std::vector<Reading> readings;
  int members;

  double passes_per_epoch() const { return members * (search.options.fold_count - 1.0); }

  // Trains all candidates to the first station, the best third on to the next one, and so on. What was measured: one
  // entry per candidate and station, by its best reading.
  std::vector<TriedOptions> run(std::vector<TriedOptions> candidates) const;
};

// Candidates in the race at each station.
std::vector<std::size_t> race_sizes(std::size_t count, std::size_t station_count) {
  std::vector<std::size_t> sizes;
  for (std::size_t s = 0; s < station_count; ++s, count = std::max<std::size_t>(1, (count + 2) / 3)) {
    sizes.push_back(count);
  }
  return sizes;
}

double race_epochs(std::size_t count, const std::vector<int>& stations) {
  const std::vector<std::size_t> sizes = race_sizes(count, stations.size());
  double epochs = 0;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    epochs += static_cast<double>(sizes[s]) * (stations[s] - (s == 0 ? 0 : stations[s - 1]));
  }
  return epochs;
}

std::vector<TriedOptions> Race::run(std::vector<TriedOptions> candidates) const {
  const TuneOptions& options = search.options;
  const std::vector<int>& stations = options.space.max_epochs;
  Watch& watch = search.watch;
  const auto report = [&](const Progress&) { return watch.tick(); };
  const std::vector<std::size_t> sizes = race_sizes(candidates.size(), stations.size());
  std::vector<std::vector<Screening>> states(candidates.size(), std::vector<Screening>(folds.size()));
  std::vector<double> best_loss(candidates.size(), std::numeric_limits<double>::infinity());
  std::vector<TriedOptions> measured;
  std::vector<std::size_t> racing(candidates.size());
  std::iota(racing.begin(), racing.end(), std::size_t{0});
  for (std::size_t s = 0; s < stations.size() && watch.may_go_on() && !racing.empty(); ++s) {
    std::vector<std::optional<FoldOutcome>> outcomes(racing.size() * folds.size());
    parallel_for(outcomes.size(), [&](std::size_t task) {
      if (!watch.tick()) return;
      const std::size_t f = task % folds.size();
      const std::size_t c = racing[task / folds.size()];
      TriedOptions candidate = candidates[c];
      candidate.max_epochs = stations[s];
      FoldOutcome outcome = screen(folds[f], search.options_of(candidate), readings, members, states[c][f], report);
      watch.add(outcome.passes * (options.fold_count - 1.0) / options.fold_count);
      if (watch.may_go_on()) outcomes[task] = std::move(outcome);
    });
    std::vector<std::size_t> going_on;
    for (std::size_t i = 0; i < racing.size(); ++i) {
      const std::size_t c = racing[i];
      const auto* const own = &outcomes[i * folds.size()];
      if (!std::all_of(own, own + folds.size(), [](const auto& outcome) { return outcome.has_value(); })) continue;
      std::optional<TriedOptions> best;
      for (std::size_t r = 0; r < readings.size(); ++r) {
        Errors errors;
        for (std::size_t f = 0; f < folds.size(); ++f) errors.add(own[f]->classes[r], folds[f].labels);
        if (best && errors.loss(options.metric) >= loss_of(*best, options.metric)) continue;
        best = candidates[c];
        best->max_epochs = stations[s];
        record(errors, readings[r], *best);
      }
      measured.push_back(*best);
      best_loss[c] = std::min(best_loss[c], loss_of(*best, options.metric));
      const auto& state = states[c];
      const bool converged = std::all_of(state.begin(), state.end(), [](const auto& part) { return part.converged; });
      if (!converged) going_on.push_back(c);
    }
    std::stable_sort(going_on.begin(), going_on.end(),
                     [&](std::size_t a, std::size_t b) { return best_loss[a] < best_loss[b]; });
    if (s + 1 < stations.size() && going_on.size() > sizes[s + 1]) going_on.resize(sizes[s + 1]);
    racing = std::move(going_on);
  }
  return measured;
}

void sort_by_loss(std::vector<TriedOptions>& candidates, Aim metric) {
  std::stable_sort(candidates.begin(), candidates.end(), [&](const TriedOptions& a, const TriedOptions& b) {
    return loss_of(a, metric) < loss_of(b, metric);
  });
}

}  // namespace

std::vector<TriedOptions> screen_candidates(const Search& search, double pass_budget) {
  const TuneOptions& options = search.options;
  const std::vector<Fold> folds = make_folds(search.data, options.fold_count, options.seed);
  Race race{search, folds, {}, options.bag_count > 1 ? std::min(screening_members, options.bag_count) : 1};
  for (const AssignmentRule rule : options.space.rules) race.readings.push_back({rule, ReferenceScores::training});

  std::vector<TriedOptions> singles = single_changes(options.space);
  const std::vector<int>& stations = options.space.max_epochs;
  const auto passes = [&](std::size_t count) { return race_epochs(count, stations) * race.passes_per_epoch(); };
  while (singles.size() > 2 && passes(singles.size()) > pass_budget) singles.pop_back();
  const std::size_t combined_count = changes_to_combine * (changes_to_combine - 1) / 2 + 1;
  search.watch.plan(0, screening_share, passes(singles.size()) + passes(combined_count), singles.size(), false);
  std::vector<TriedOptions> ranking = race.run(singles);
  sort_by_loss(ranking, options.metric);
  const TriedOptions start = starting_candidate(options.space);
  std::vector<TriedOptions> best;
  for (TriedOptions candidate : ranking) {
    candidate.max_epochs = start.max_epochs;
    const auto same = [&](const TriedOptions& other) { return is_same_model(other, candidate); };
    if (best.size() < changes_to_combine && !same(start) && std::none_of(best.begin(), best.end(), same)) {
      best.push_back(candidate);
    }
  }
  std::vector<TriedOptions> combined = combined_changes(start, best, ranking);
  while (!combined.empty() && passes(singles.size()) + passes(combined.size()) > pass_budget) combined.pop_back();
  for (TriedOptions& candidate : race.run(combined)) ranking.push_back(candidate);
  sort_by_loss(ranking, options.metric);
  return ranking;
}

}  // namespace xofm::detail
