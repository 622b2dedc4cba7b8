// Last stage, evaluate: choosing the options of train() by cross-validation.
//
// A budgeted search in two rounds. Screening: the start of the space, every single change of it, then combinations of
// the best changes are trained on the folds, all for the first number of epochs, the best third on to the next number
// from where they stand, and so on (successive halving with warm starts). Finals: the start and the best are trained as
// the model will be (bagged), on other folds. The start stays unless another beats it by a standard error: the best of
// many owes part of its lead to luck. Of those within one standard error of that one the simplest is taken.
// The same data, options and seed give the same choice on any machine, unless the time limit strikes.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "xofm/model.hpp"

namespace xofm {

// What may vary. The first value of a list is where the search starts; a list of one value fixes it.
struct SearchSpace {
  std::vector<KnotPlacement> knots = {KnotPlacement::quantile, KnotPlacement::equal_width};
  std::vector<int> segment_counts = {30, 8, 16};
  std::vector<double> auto_directions = {0, 0.3};
  std::vector<int> factor_counts = {8, 0, 4};
  std::vector<double> increment_penalties = {1e-4, 1e-3, 1e-2};
  std::vector<double> factor_penalties = {1e-4, 1e-3, 1e-2};
  std::vector<PairWeighting> pair_weightings = {PairWeighting::uniform, PairWeighting::balanced,
                                                PairWeighting::distance, PairWeighting::adjacent};
  std::vector<double> init_stddevs = {0.1, 0.3};
  std::vector<int> max_epochs = {60, 120, 240};  // ascending: stations of one training
  std::vector<AssignmentRule> rules = {AssignmentRule::probability, AssignmentRule::threshold, AssignmentRule::support};
  std::vector<ReferenceScores> reference_scores = {ReferenceScores::out_of_sample, ReferenceScores::training};
};

struct TuneOptions {
  Aim metric = Aim::mae;      // what is minimised: mean absolute error, or the share of errors
  int fold_count = 5;         // of each cross-validation
  int bag_count = 15;         // of the model in the end, three rounds of folds; 1: single fits throughout
  double pass_budget = 0;     // training passes over all rows; 0: by the size of the data, see default_pass_budget
  double time_limit = 0;      // seconds of wall-clock time, after which the best so far is taken; 0: none
  bool prefer_simple = true;  // the one-standard-error rule
  std::uint64_t seed = 1;
  SearchSpace space = {};
};

struct TuneProgress {
  double share = 0;  // of the work, in [0, 1]
  std::size_t candidate_count = 0;
  bool finals = false;
};

// Called now and then, by one thread at a time; false asks to stop with the best so far.
using TuneCallback = std::function<bool(const TuneProgress&)>;

struct TuneResult {
  TrainOptions options;  // ready for train()
  TuningRecord record;
  ValidationSummary validation;  // of the options chosen, by the folds of the finals; no trials if there were no finals
};

// `base` gives everything that the search does not vary. Throws Error{invalid_data} for rows that cannot be split.
TuneResult tune(const Dataset& data, const TrainOptions& base, const TuneOptions& options = {},
                const TuneCallback& progress = {});

// Passes that take about half a minute at most on two cores.
double default_pass_budget(const Dataset& data);

// Whether a search is quick enough to be made without being asked for.
bool suits_tuning(const Dataset& data);

// Sets the fields of a candidate in the options of a training.
void apply(const TriedOptions& candidate, TrainOptions& options);

}  // namespace xofm
