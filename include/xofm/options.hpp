// What training may be told. Every field has its default here and nowhere else; name, bounds and help of each are in
// the table of option fields (core/options/fields.hpp), which command line, checks, model files and documents share.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "xofm/assign.hpp"
#include "xofm/encoder.hpp"
#include "xofm/loss.hpp"
#include "xofm/optimize.hpp"

namespace xofm {

// One way to train; what a search varies.
struct Recipe {
  Optimizer method = Optimizer::lbfgs;
  KnotPlacement knots = KnotPlacement::quantile;  // equal_width is the paper's
  int segment_count = 8;                          // per numeric attribute, at most
  double spike_share = 0;                         // see EncoderOptions
  // Length of a latent factor row (paper: k); 0: no interactions, a convex problem. boost: as many as its products
  // take.
  int factor_count = 4;
  double increment_penalty = 0.01;  // on the squared increments (paper: lambda_1)
  double factor_penalty = 0.01;     // on the squared factors (paper: lambda_2)
  double sparsity_penalty = 0;      // on sizes of increments and factor rows: few steep segments, the rest level; lbfgs
  PairWeighting pair_weighting = PairWeighting::uniform;  // how much a pair counts by its classes
  double init_stddev = 0.1;                               // spread of the factors at the start (paper: sigma)
  int max_epochs = 300;  // passes over all ordered pairs (lbfgs: evaluations of loss and gradient; boost: trees)
  double weight = 1;     // of its scores in the average with the other parts

  bool operator==(const Recipe&) const = default;
};

enum class PairChoice {
  all,        // u and V as in the paper: every pair has its products
  automatic,  // curves and as few pairs as unseen rows allow
  count,      // curves and so many pairs
  listed,     // curves and these pairs
};

// Which curves and surfaces the model has; see terms.hpp.
struct TermOptions {
  PairChoice pairs = PairChoice::all;
  int pair_count = 0;                                            // PairChoice::count
  std::vector<std::pair<std::string, std::string>> listed = {};  // PairChoice::listed, by attribute name
  int most_terms = 0;                                            // curves and pairs together; 0: no limit
  double teacher_pull = 1;  // to what the average of all recipes says, times the usual; 0: fitted to the labels alone

  bool operator==(const TermOptions&) const = default;
};

struct TrainOptions {
  TermOptions terms = {};
  // Models by these recipes are averaged into one. A single fit is a list of one.
  std::vector<Recipe> parts = std::vector<Recipe>(1);
  AttributeOptions attributes = {};  // knots and directions by attribute name
  // Numeric attributes without a direction take that of their rank correlation with the label (Kendall's tau-b) if it
  // is at least this strong; 0: none do.
  double auto_direction = 0;
  double margin = 1.0;                               // by which a better class should score higher (paper: tau)
  std::map<std::string, double> class_weights = {};  // factors of the rows' weights by class name; others count 1
  double smoothness_penalty = 0;  // on second differences of the curves, so that many segments cost nothing; lbfgs
  double pair_penalty = 0;        // removes whole attributes from the interactions; lbfgs
  LossForm loss_form = LossForm::automatic;
  // Fits of each part, each without one fold of the rows, that are averaged, in whole rounds of folds; 1: one fit of
  // all rows.
  int bag_count = 1;
  OptimizerOptions optimizer = {};
  AssignmentOptions assignment = {};

  // The recipe of a single fit, or the first of several.
  Recipe& recipe() { return parts.front(); }
  const Recipe& recipe() const { return parts.front(); }
};

// The paper to the letter: equal width, Algorithm 1, support rule, no penalties. It gives no k, eta, sigma or number of
// epochs, and tunes gamma and tau: those are our choices.
TrainOptions paper_preset();

// What a search may vary. The first value of a list is where it starts; a list of one value fixes it.
struct SearchSpace {
  std::vector<Optimizer> methods = {Optimizer::lbfgs, Optimizer::boost};
  std::vector<KnotPlacement> knots = {KnotPlacement::quantile, KnotPlacement::equal_width};
  std::vector<int> segment_counts = {30, 8, 16, 4, 60, 2, 1};
  std::vector<double> spike_shares = {0, 0.05};
  std::vector<int> factor_counts = {8, 0, 4, 16};
  std::vector<double> increment_penalties = {1e-4, 1e-5, 1e-3, 1e-2};
  std::vector<double> sparsity_penalties = {0, 1e-2, 1e-3, 3e-2, 3e-3};
  std::vector<double> factor_penalties = {1e-4, 1e-5, 1e-3, 1e-2};
  std::vector<PairWeighting> pair_weightings = {PairWeighting::uniform, PairWeighting::balanced,
                                                PairWeighting::distance, PairWeighting::adjacent};
  std::vector<double> init_stddevs = {0.1, 0.03, 0.3};
  std::vector<int> max_epochs = {30, 60, 120, 240};  // ascending: rounds of one training
};

// The paper's choice (Section 4.1): segments and margin by cross-validation, nothing else. Which values, it does not
// say.
struct PaperGrid {
  std::vector<int> segment_counts = {2, 4, 6, 8, 10};
  std::vector<double> margins = {0.1, 0.5, 1.0};
  // Ordered pairs that an epoch of Algorithm 1 may visit; where there are more, L-BFGS minimises the same loss.
  double most_pairs = 2e5;
};

struct SearchOptions {
  Aim aim = Aim::mae;      // what counts: mean absolute error, or the share of errors
  int fold_count = 5;      // each row is judged by fits that have not seen its fold; 2 .. 100
  int most_parts = 6;      // recipes that the model is the average of, at most
  double pass_budget = 0;  // training passes over all rows; 0: by the size of the data, see default_pass_budget
  double time_limit = 0;   // seconds of wall-clock time, after which the best so far is taken; 0: none
  SearchSpace space = {};
  std::optional<PaperGrid> paper = {};  // choose as the paper does; of the others only aim and fold_count count then
};

// How much work a search of these rows should be. A hundred passes per row, within 12,500 and 50,000: the fewer rows,
// the fewer recipes they can tell apart, and the best of too many is the luckiest. On large data less, so that the
// search takes half a minute or so on two cores; a pass is then one over the rows that are looked at.
double default_pass_budget(const Dataset& data);

}  // namespace xofm
