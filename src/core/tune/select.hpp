// Which of the candidates make the model, and how its scores are read.
#pragma once

#include <span>
#include <vector>

#include "core/assign/judge.hpp"
#include "core/tune/rounds.hpp"

namespace xofm::detail {

struct Selection {
  std::vector<std::size_t> picks;  // indices of the candidates; one that counts twice is there twice
  std::vector<double> unseen;      // mean over the picks
  Judgement judgement;
};

// Greedy ensemble selection (Caruana et al. 2004): from the best few by themselves, each step adds the candidate with
// which the mean of all scores is best. At most `most_parts` different ones.
Selection select(std::span<const Candidate> candidates, std::span<const double> losses, const Dataset& data,
                 const AssignmentOptions& options, std::size_t most_parts);

// A way to turn scores into classes.
struct Reading {
  AssignmentRule rule;
  ReferenceScores reference_scores;
};

// The ways of the space, the usual one first.
std::vector<Reading> readings_of(const SearchSpace& space);

// The reading with the least error on the rows of each fold, by cuts, probabilities and references from the others; the
// first one stays unless another beats it by more than one standard error. Scores: [fold][row], by the fits without
// that fold.
Reading choose_reading(const Folds& folds, const std::vector<std::vector<double>>& scores, double margin,
                       const AssignmentOptions& options, std::span<const Reading> readings);

}  // namespace xofm::detail
