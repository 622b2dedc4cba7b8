// One candidate on one fold: what the search measures, again and again.
#pragma once

#include <vector>

#include "xofm/model.hpp"

namespace xofm::detail {

// A fold's two parts, prepared once for all candidates. The learning part does not know the levels of the other.
struct Fold {
  Dataset learning;
  Dataset holdout;  // without labels
  std::vector<int> labels;
  std::vector<std::size_t> rows;  // of the holdout, in the whole data
};

std::vector<Fold> make_folds(const Dataset& data, int fold_count, std::uint64_t seed);

// A way to turn scores into classes.
struct Reading {
  AssignmentRule rule;
  ReferenceScores reference_scores;
};

struct FoldOutcome {
  std::vector<double> scores;
  std::vector<double> probabilities;      // [row * class_count + class]
  std::vector<std::vector<int>> classes;  // [reading][row]
  double passes = 0;
};

// Training that can be taken up again: the members of a small bag, each on all learning rows from a start of its own.
struct Screening {
  std::vector<Parameters> members;
  int epochs = 0;
  bool converged = false;
};

// Trains on to options.optimizer.max_epochs epochs and predicts the holdout from training scores.
FoldOutcome screen(const Fold& fold, const TrainOptions& options, std::span<const Reading> readings, int member_count,
                   Screening& state, const ProgressCallback& progress);

// Trains as train() does and predicts the holdout.
FoldOutcome compete(const Fold& fold, const TrainOptions& options, std::span<const Reading> readings,
                    const ProgressCallback& progress);

}  // namespace xofm::detail
