// A trained model: everything needed to score, to assign and to explain. A value; copy it, save it, compare it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "xofm/assign.hpp"
#include "xofm/dataset.hpp"
#include "xofm/encoder.hpp"
#include "xofm/metrics.hpp"
#include "xofm/options.hpp"
#include "xofm/parameters.hpp"
#include "xofm/terms.hpp"

namespace xofm {

// Whether the score is monotone in an attribute, proved from the parameters over the whole space, pairs included.
struct Certificate {
  struct Entry {
    Direction direction = Direction::none;  // asked for
    // Least change of the score across a full segment in that direction, over all values of all other attributes.
    double least_slope = 0;
    bool holds = false;
  };
  std::vector<Entry> attributes;  // one per attribute; without a direction: not checked
  bool holds = true;              // for all that ask for a direction
};

struct TrainingSummary {
  std::size_t row_count = 0;          // with positive weight
  std::vector<double> class_weights;  // rows (or their weights) per class
  // This model's own, on the rows that it was trained on: the mean squared miss over the ordered pairs, weighted as its
  // recipe says, or all alike if its parts differ in that.
  double loss = 0;
  // What a single fit by lbfgs or sgd has minimised: the loss with its penalties. All else minimises no such sum, and
  // this is the loss: averages, curves and pairs taken from one, and boost, whose penalty shrinks each of its steps.
  double objective = 0;
  int epochs = 0;  // of the restart that won
  int best_restart = 1;
  StopReason stop_reason = StopReason::converged;
  std::uint64_t data_fingerprint = 0;  // of the training rows: the same rows give the same number
};

// How the training rows lie over the numbers of an attribute: in up to 20 ranges with about as many rows each.
struct TrainingBins {
  std::vector<double> edges;    // ascending; the last is the greatest number
  std::vector<double> weights;  // of the rows above edges[i - 1], up to and with edges[i]
};

// What explanations need to know of the training rows, per coordinate; and monitoring, per numeric attribute.
struct TrainingDistribution {
  std::vector<double> mean_encoding;                 // mean of Phi_n
  std::vector<std::vector<double>> class_histogram;  // [coordinate][class]: weight of the rows whose position is there
  std::vector<TrainingBins> bins = {};  // by attribute, of levels empty; none at all in models of earlier versions
};

// One recipe that a search has tried, after recipe.max_epochs epochs, and what it was worth on rows it had not seen.
struct TriedRecipe {
  Recipe recipe;    // weight: in the average that was chosen; 0: it has no part in it
  double loss = 0;  // what the search minimises: ranked probability score (aim mae) or log loss (accuracy)
  double accuracy = 0;
  double mae = 0;
  double margin = 0;  // of the paper's choice, whose loss is the mean absolute error or the share of errors; else 0
};

// How the recipes of a model were found; see fit.hpp.
struct SearchRecord {
  Aim aim = Aim::mae;
  std::uint64_t seed = 1;
  int fold_count = 5;
  std::size_t recipe_count = 0;    // different ones that were trained
  double pass_budget = 0;          // allowed
  double passes = 0;               // used: evaluations of loss and gradient
  double time_limit = 0;           // seconds; 0: none
  bool out_of_time = false;        // the limit struck: another run may choose otherwise
  double loss = 0;                 // of the average, on rows that its parts had not seen
  std::vector<TriedRecipe> tried;  // best first: those of the average, and the best others
};

// One choice of curves and pairs that was tried, and what it was worth on rows it had not seen.
struct TriedTerms {
  std::size_t pair_count = 0;
  std::size_t curve_count = 0;
  std::size_t grid = 0;  // nodes of a surface along a numeric attribute, at most
  double loss = 0;
};

// How curves and pairs were chosen. Losses are of unseen rows: ranked probability score, or log loss for accuracy.
struct TermsRecord {
  std::size_t fold_count = 0;
  double loss = 0;          // of the terms chosen
  double teacher_loss = 0;  // of the average that they were taken from
  std::vector<TriedTerms> tried;
  std::vector<std::size_t> votes;  // per surface: folds that chose the same pair by themselves
};

// How well the chains of gibbs have mixed: R-hat of split chains (near 1 where all say the same) and effective sample
// size (independent draws that would say as much), over everything of a kind the worst one; Gelman et al. 2013.
struct SamplingRecord {
  struct Mixing {
    double r_hat = 1;
    double effective_count = 0;
  };
  int chain_count = 0;
  int draw_count = 0;  // kept, of all chains
  Mixing scores;       // of the training rows
  Mixing curves;       // u at all knots and levels
  Mixing cuts;
};

// How a model was found. Nothing of it is needed to use the model.
struct Record {
  std::optional<SearchRecord> search;
  std::optional<TermsRecord> terms;
  std::optional<SamplingRecord> sampling;
  bool interrupted = false;  // somebody asked to stop: the best so far
};

// Cross-validated quality: of models trained like this one, on rows that they had not seen.
struct ValidationSummary {
  std::size_t trial_count = 0;
  std::vector<MetricSummary> metrics;  // one per entry of metric_fields
  Confusion confusion;                 // of all trials together
};

// How far the purified curves move when training is repeated on resampled rows: pointwise, from share `lower_share` to
// share `upper_share` of the refits. Made by fit_bands (bands.hpp).
struct CurveBand {
  std::vector<double> lower;            // at each knot, by ascending knots; or of each level
  std::vector<double> upper;            // likewise
  std::optional<double> missing_lower;  // of a missing value, if training had any
  std::optional<double> missing_upper;
  std::vector<double> special_lower = {};  // of each special value that training has seen
  std::vector<double> special_upper = {};
};

struct CurveBands {
  int refit_count = 0;
  double lower_share = 0;
  double upper_share = 0;
  std::vector<CurveBand> attributes;  // one per attribute
};

// Of a metric over the trials of a validation; NaN where it is not defined.
struct MeanSpread {
  double mean = Metrics::undefined;
  double spread = Metrics::undefined;  // standard deviation with trials - 1
};

// What training gives for one choice of the two penalties.
struct PathPoint {
  double increment_penalty = 0;
  double factor_penalty = 0;
  double objective = 0;  // loss and penalties
  double loss = 0;       // mean squared miss over the ordered pairs
  MeanSpread accuracy;   // on rows held out
  MeanSpread mae;
  Parameters parameters;  // on the model's own knots
};

// Models over a grid of penalties: how curves and interactions change with them, and what that costs on unseen rows.
// Made by fit_path (path.hpp).
struct PenaltyPath {
  int fold_count = 0;                       // of the validation; 0: not validated
  std::vector<double> increment_penalties;  // ascending
  std::vector<double> factor_penalties;     // ascending
  std::vector<PathPoint> points;            // [increment_penalty * factor_penalties.size() + factor_penalty]
};

struct Predictions {
  int class_count = 0;
  std::vector<double> scores;
  std::vector<int> classes;  // with a Decision also no_class
  std::vector<ClassInterval> intervals;
  std::vector<double> support;        // [row * class_count + class], also outside the interval
  std::vector<double> probabilities;  // [row * class_count + class]
  std::vector<RowNote> notes;         // values outside the training range, new levels, unexpected gaps

  std::size_t row_count() const { return scores.size(); }
};

struct Model {
  Schema schema;
  TrainOptions options;
  Encoder encoder;
  Parameters parameters;       // of a model as in the paper; empty if there are terms
  std::optional<Terms> terms;  // of a model that a person can read
  Assignment assignment;
  Certificate certificate;
  TrainingSummary summary;
  TrainingDistribution distribution;
  std::optional<Metrics> holdout;  // quality on rows kept out of training, if any were
  std::optional<ValidationSummary> validation;
  std::optional<CurveBands> bands;
  std::optional<PenaltyPath> path;
  Record record;

  // Scores of rows laid out by this schema.
  std::vector<double> score(const Dataset& rows) const;
  Predictions predict(const Dataset& rows) const;
};

}  // namespace xofm
