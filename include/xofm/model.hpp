// A trained model: everything needed to score, to assign and to explain. A value; copy it, save it, compare it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "xofm/assign.hpp"
#include "xofm/dataset.hpp"
#include "xofm/encoder.hpp"
#include "xofm/loss.hpp"
#include "xofm/metrics.hpp"
#include "xofm/optimize.hpp"
#include "xofm/parameters.hpp"
#include "xofm/terms.hpp"

namespace xofm {

// The options of training that a search varies; the comments are at TrainOptions.
struct Recipe {
  Optimizer method = Optimizer::lbfgs;
  KnotPlacement knots = KnotPlacement::quantile;
  int segment_count = 8;
  double spike_share = 0;
  double auto_direction = 0;
  int factor_count = 4;
  double increment_penalty = 0.01;
  double sparsity_penalty = 0;
  double factor_penalty = 0.01;
  PairWeighting pair_weighting = PairWeighting::uniform;
  double init_stddev = 0.1;
  int max_epochs = 300;

  bool operator==(const Recipe&) const = default;
};

struct BlendPart {
  Recipe recipe;
  int count = 1;  // its share is this over the sum of all counts
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

  bool operator==(const TermOptions&) const = default;
};

struct TrainOptions {
  TermOptions terms = {};
  EncoderOptions encoder = {};
  // Numeric attributes without a direction take that of their rank correlation with the label (Kendall's tau-b) if it
  // is at least this strong; 0: none do.
  double auto_direction = 0;
  // Length of a latent factor row (paper: k); 0: no interactions, a convex problem. boost: as many as its products
  // take.
  int factor_count = 4;
  double margin = 1.0;                                    // by which a better class should score higher (paper: tau)
  PairWeighting pair_weighting = PairWeighting::uniform;  // how much a pair counts by its classes
  std::map<std::string, double> class_weights = {};       // factors of the rows' weights by class name; others count 1
  double increment_penalty = 0.01;                        // on the squared increments (paper: lambda_1)
  double factor_penalty = 0.01;                           // on the squared factors (paper: lambda_2)
  double smoothness_penalty = 0;  // on second differences of the curves, so that many segments cost nothing; lbfgs
  double pair_penalty = 0;        // removes whole attributes from the interactions; lbfgs
  double sparsity_penalty = 0;    // on sizes of increments and factor rows: few steep segments, the rest level; lbfgs
  LossForm loss_form = LossForm::automatic;
  // Refits on resampled rows that are averaged into one model; 1: a single fit. boost: a single fit whatever this is,
  // above 1 with scores of unseen rows as reference.
  int bag_count = 1;
  // Not empty: a model by each of these recipes instead of one by the fields above, averaged into one model on the
  // union of their knots. All with the same auto_direction.
  std::vector<BlendPart> blend = {};
  OptimizerOptions optimizer = {};
  AssignmentOptions assignment = {};
};

// The paper to the letter: equal width, Algorithm 1, support rule, no penalties. It gives no k, eta, sigma or number of
// epochs, and tunes gamma and tau: those are our choices.
TrainOptions paper_preset();

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
  double objective = 0;               // loss and penalties at the end
  double loss = 0;                    // mean squared miss over the ordered pairs
  int epochs = 0;                     // of the restart that won
  int best_restart = 1;
  StopReason stop_reason = StopReason::converged;
  std::uint64_t data_fingerprint = 0;  // of the training rows: the same rows give the same number
};

// What explanations need to know of the training rows, per coordinate.
struct TrainingDistribution {
  std::vector<double> mean_encoding;                 // mean of Phi_n
  std::vector<std::vector<double>> class_histogram;  // [coordinate][class]: weight of the rows whose position is there
};

// One recipe that a search has tried, and what it was worth on rows it had not seen.
struct TriedRecipe {
  Recipe recipe;
  int count = 0;    // of the blend that was chosen; 0: it has no part in it
  double loss = 0;  // what the search minimises: ranked probability score (metric mae) or log loss (accuracy)
  double accuracy = 0;
  double mae = 0;
};

// How the options of a model were chosen; see tune.hpp.
struct TuningRecord {
  Aim metric = Aim::mae;
  std::uint64_t seed = 1;
  int fold_count = 5;
  double pass_budget = 0;    // allowed
  double passes = 0;         // used: evaluations of loss and gradient, at most
  double time_limit = 0;     // seconds; 0: none
  bool out_of_time = false;  // the limit struck: another run may choose otherwise
  bool interrupted = false;
  std::vector<TriedRecipe> tried;  // best first
  double loss = 0;                 // of the blend, on rows that its parts had not seen
  double best_loss = 0;            // of the best blend: less than `loss` where a simpler kind of model was preferred
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
  double teacher_loss = 0;  // of the model that they were taken from
  std::vector<TriedTerms> tried;
  std::vector<std::size_t> votes;  // per surface: folds that chose the same pair by themselves
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
  std::vector<int> classes;
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
  std::optional<TuningRecord> tuning;
  std::optional<TermsRecord> terms_record;
  std::optional<ValidationSummary> validation;
  std::optional<CurveBands> bands;
  std::optional<PenaltyPath> path;

  // Scores of rows laid out by this schema.
  std::vector<double> score(const Dataset& rows) const;
  Predictions predict(const Dataset& rows) const;
};

}  // namespace xofm
