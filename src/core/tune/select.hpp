// Which of the recipes that were rehearsed make the model, and how its scores are read.
#pragma once

#include <span>
#include <vector>

#include "core/tune/candidates.hpp"
#include "core/tune/rehearsal.hpp"

namespace xofm::detail {

// Scores of unseen rows, judged by class probabilities that are calibrated on these very scores: a few numbers from all
// rows, so hardly a gain. Rows without a score (NaN) are left out.
struct Judgement {
  std::vector<double> row_losses;  // metric mae: ranked probability score; accuracy: log loss
  double loss = 0;                 // their mean: moves less by chance than the metric itself
  double accuracy = 0;             // of the likeliest class
  double mae = 0;                  // of the median class
};
Judgement judge(const Stage& stage, Aim metric, std::span<const double> unseen_scores);

// Of two lists of losses, row by row.
struct Excess {
  double mean = 0;
  double standard_error = 0;
};
Excess excess(const std::vector<double>& a, const std::vector<double>& b);

struct Selection {
  std::vector<std::size_t> picks;           // indices of the rehearsed; one that counts twice is there twice
  std::vector<std::vector<double>> scores;  // [fold][row]: means over the picks
  Judgement judgement;
};

// Greedy ensemble selection (Caruana et al. 2004) among the recipes that the kind admits: from the best few by
// themselves, each step adds the recipe with which the mean of all scores is best. At most `most_parts` different ones.
// Nothing picked if the kind admits none.
Selection select_blend(const Stage& stage, Aim metric, std::span<const Rehearsed> rehearsed,
                       std::span<const double> losses, const Kind& kind, std::size_t most_parts);

// Index of the simplest selection, the kinds being simplest first, that is not worse than the best by more than one
// standard error of the difference, row by row; or of the best.
std::size_t choose_kind(std::span<const Selection> selections, bool prefer_simple);

// A way to turn scores into classes.
struct Reading {
  AssignmentRule rule;
  ReferenceScores reference_scores;
};

// The reading with the least error on the rows of each fold, by cuts, probabilities and references from the others; the
// first one stays unless another beats it by more than one standard error.
Reading choose_reading(const Stage& stage, Aim metric, const std::vector<std::vector<double>>& scores,
                       std::span<const Reading> readings);

}  // namespace xofm::detail
