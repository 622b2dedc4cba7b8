// Recipes tried on folds: each trained once without each fold, so that every row gets a score by a fit that has not
// seen it. What the search knows of a recipe is made of these scores.
#pragma once

#include <vector>

#include "core/tune/watch.hpp"
#include "xofm/tune.hpp"

namespace xofm::detail {

// A recipe after its max_epochs epochs.
struct Rehearsed {
  Recipe recipe;
  std::vector<std::vector<double>> scores;  // [fold][row], by the fit without that fold, with mean 0 over all rows
};

// The rows of a search and the folds that they are in.
struct Stage {
  const Dataset& data;
  const TrainOptions& base;  // what the search does not vary
  int fold_count;
  std::vector<int> folds;  // per row; in_no_fold: every fit has seen it

  static constexpr int in_no_fold = -1;

  // Each row's score by the fit that has not seen it; NaN if there is none.
  std::vector<double> unseen_scores(const std::vector<std::vector<double>>& scores) const;
};

Stage make_stage(const Dataset& data, const TrainOptions& base, int fold_count, std::uint64_t seed);

// With only the first of these folds: it is held out, the rows of the others are always learned from.
Stage make_hold_out(const Dataset& data, const TrainOptions& base, int fold_count, std::uint64_t seed);

// Judges a recipe by its scores: lower is better.
using Loss = std::function<double(const Rehearsed&)>;

// Successive halving with warm starts: all recipes train to the first station, the better half goes on to the next one
// from where it stands, and so on. What was seen, one entry per recipe and station, in the order of training; less if
// the watch says stop.
std::vector<Rehearsed> rehearse(const Stage& stage, const std::vector<Recipe>& recipes,
                                const std::vector<int>& stations, const Loss& loss, Watch& watch);

// The passes that it takes for `count` recipes, each fold's fit counted as if it had all rows.
double rehearsal_passes(std::size_t count, const std::vector<int>& stations, int fold_count);

}  // namespace xofm::detail
