// The two rounds of a search, and how candidates are compared in both.
#pragma once

#include <cstdlib>
#include <span>
#include <vector>

#include "core/tune/fold_fit.hpp"
#include "core/tune/watch.hpp"
#include "xofm/tune.hpp"

namespace xofm::detail {

constexpr double screening_share = 0.5;  // of the budget

// What both rounds need to know.
struct Search {
  const Dataset& data;
  const TrainOptions& base;
  const TuneOptions& options;
  Watch& watch;

  TrainOptions options_of(const TriedOptions& candidate) const {
    TrainOptions own = base;
    apply(candidate, own);
    return own;
  }
};

// Errors of one candidate by one reading, over the held-out rows of some folds.
struct Errors {
  double wrong = 0;
  double distance = 0;
  double rows = 0;

  void add(std::span<const int> classes, std::span<const int> labels) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      wrong += classes[i] != labels[i] ? 1 : 0;
      distance += std::abs(classes[i] - labels[i]);
    }
    rows += static_cast<double>(labels.size());
  }
  double loss(Aim metric) const { return (metric == Aim::mae ? distance : wrong) / rows; }
};

inline void record(const Errors& errors, const Reading& reading, TriedOptions& candidate) {
  candidate.accuracy = 1 - errors.wrong / errors.rows;
  candidate.mae = errors.distance / errors.rows;
  candidate.rule = reading.rule;
  candidate.reference_scores = reading.reference_scores;
}

inline double loss_of(const TriedOptions& candidate, Aim metric) {
  return metric == Aim::mae ? candidate.mae : 1 - candidate.accuracy;
}

// The first round, on one set of folds: the start of the space and its single changes, then combinations of the best
// changes. All that were measured, best first.
std::vector<TriedOptions> screen_candidates(const Search& search, double pass_budget);

// The second round: the start and the best of the ranking, trained as bags, on other folds.
struct FinalsResult {
  std::vector<TriedOptions> finalists;  // best first; empty if the search was stopped before any was measured
  std::size_t chosen = 0;
  TrainOptions options;          // of the model: the chosen one's
  ValidationSummary validation;  // of these options on new folds; empty if the search was stopped before
};
FinalsResult play_finals(const Search& search, std::span<const TriedOptions> ranking, double pass_budget);

}  // namespace xofm::detail
