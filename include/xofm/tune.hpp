// Last stage, evaluate: choosing the options of train() by cross-validation.
//
// A budgeted search. Boosting, the start of the space, every single change of it, then small changes of the best are
// trained on the same folds, all for the first number of epochs, the better half on to the next number from where they
// stand, and so on (successive halving with warm starts). Every row thus gets, from every recipe, a score by a fit that
// has not seen it. The model is a blend: the average of the recipes whose scores together predict the unseen rows best,
// picked one by one. It is one model of the same form, and it loses less to luck than the recipe that happened to come
// first. Of the kinds of model (curves alone or with pairs, monotone or free) the simplest within one standard error of
// the best is taken. The same data, options and seed give the same choice on any machine, unless the time limit
// strikes.
//
// On large data (rows x (attributes + 10) above 150,000, of fewer than 2,000 rows above 300,000) one fold is held out
// instead of each in turn, of very many rows a sample is looked at, and the space is narrower: rows tell recipes apart
// well there, and time is short.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "xofm/model.hpp"

namespace xofm {

// What may vary. The first value of a list is where the search starts; a list of one value fixes it.
struct SearchSpace {
  std::vector<Optimizer> methods = {Optimizer::lbfgs, Optimizer::boost};
  std::vector<KnotPlacement> knots = {KnotPlacement::quantile, KnotPlacement::equal_width};
  std::vector<int> segment_counts = {30, 8, 16, 4, 60, 2, 1};
  std::vector<double> spike_shares = {0, 0.05};
  std::vector<double> auto_directions = {0, 0.3};
  std::vector<int> factor_counts = {8, 0, 4, 16};
  std::vector<double> increment_penalties = {1e-4, 1e-5, 1e-3, 1e-2};
  std::vector<double> sparsity_penalties = {0, 1e-2, 1e-3, 3e-2, 3e-3};
  std::vector<double> factor_penalties = {1e-4, 1e-5, 1e-3, 1e-2};
  std::vector<PairWeighting> pair_weightings = {PairWeighting::uniform, PairWeighting::balanced,
                                                PairWeighting::distance, PairWeighting::adjacent};
  std::vector<double> init_stddevs = {0.1, 0.03, 0.3};
  std::vector<int> max_epochs = {30, 60, 120, 240};  // ascending: stations of one training
  std::vector<AssignmentRule> rules = {AssignmentRule::probability, AssignmentRule::threshold, AssignmentRule::support};
  std::vector<ReferenceScores> reference_scores = {ReferenceScores::out_of_sample, ReferenceScores::training};
};

struct TuneOptions {
  Aim metric = Aim::mae;      // what counts: mean absolute error, or the share of errors
  int fold_count = 5;         // of each cross-validation
  int bag_count = 15;         // fits that the model is the average of, at least; 1: a single fit, no blend. On large
                              // data fewer: one round of folds for each part, or where that would be slow one fit
  double pass_budget = 0;     // training passes over all rows; 0: by the size of the data, see default_pass_budget. The
                              // validation of the choice comes on top.
  double time_limit = 0;      // seconds of wall-clock time, after which the best so far is taken; 0: none
  bool prefer_simple = true;  // the one-standard-error rule
  bool validate = true;       // measure the choice on other folds
  std::uint64_t seed = 1;
  SearchSpace space = {};
};

struct TuneProgress {
  double share = 0;  // of the work, in [0, 1]
  std::size_t candidate_count = 0;
  bool validating = false;
};

// Called now and then, by one thread at a time; false asks to stop with the best so far.
using TuneCallback = std::function<bool(const TuneProgress&)>;

struct TuneResult {
  TrainOptions options;  // ready for train()
  TuningRecord record;
  ValidationSummary
      validation;  // of the options chosen, on other folds; no trials if none were asked for or the search was stopped
};

// `base` gives everything that the search does not vary. Throws Error{invalid_data} for rows that cannot be split.
TuneResult tune(const Dataset& data, const TrainOptions& base, const TuneOptions& options = {},
                const TuneCallback& progress = {});

// A hundred per row, within 12,500 and 50,000: the fewer rows, the fewer recipes they can tell apart, and the best of
// too many is the luckiest. On large data less, so that the search takes half a minute or so on two cores; a pass is
// then one over the rows that are looked at.
double default_pass_budget(const Dataset& data);

// Whether a search and the training after it are quick enough to be made without being asked for: a few minutes.
bool suits_tuning(const Dataset& data);

}  // namespace xofm
