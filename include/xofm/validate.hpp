// Last stage, evaluate: how good models trained this way are on rows that they have not seen.
//
// A trial is a learning part and a held-out part of the rows. All that training decides (knots, levels, parameters,
// cuts, probabilities) comes from the learning part alone: a trial gives what training on a file with only those rows
// and predicting a file with the others would give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "xofm/dataset.hpp"
#include "xofm/fit.hpp"
#include "xofm/metrics.hpp"

namespace xofm {

// Row numbers from 0; a row that stands in neither part is not used.
struct Trial {
  std::vector<std::size_t> learning;
  std::vector<std::size_t> holdout;
};

// Stratified cross-validation: fold_count trials per repeat, each row held out once per repeat. Each class is spread
// evenly over the folds, and every repeat shuffles anew.
std::vector<Trial> k_fold_trials(const Dataset& data, int fold_count, int repeat_count = 1, std::uint64_t seed = 1);

// repeat_count random splits that keep the class shares; the first is split_rows with the same seed.
std::vector<Trial> holdout_trials(const Dataset& data, double test_share, int repeat_count, std::uint64_t seed = 1);

// One trial per fold number that occurs, in ascending order: its rows are held out, all others are learned from.
std::vector<Trial> column_trials(std::span<const int> folds);

// Throws Error{invalid_data} unless, in each trial, both parts have rows, no row occurs twice and the learning rows of
// positive weight are of two classes at least. Messages count trials and rows from 1.
void check(std::span<const Trial> trials, const Dataset& data);

struct TrialResult {
  std::size_t trial = 0;  // index into the trials given
  std::size_t learning_count = 0;
  std::vector<std::size_t> rows;  // the trial's holdout
  std::vector<int> labels;        // true classes of these rows
  Predictions predictions;        // of these rows, in this order
  Metrics metrics;                // on these rows, each counting alike
};

struct ValidationResult {
  std::vector<TrialResult> trials;     // the finished ones, in the order given
  std::vector<MetricSummary> summary;  // one per entry of metric_fields, in that order
  bool interrupted = false;            // progress asked to stop before all trials were finished
};

// Fits a model on each learning part, as fit() would, search included, and predicts the rows held out; trials run in
// parallel. The same bits for any number of
// threads, unless interrupted.
ValidationResult validate(const Dataset& data, const FitOptions& options, std::span<const Trial> trials,
                          const ProgressCallback& progress = {});

// The summary of finished trials, one per entry of metric_fields.
std::vector<MetricSummary> summarize(std::span<const TrialResult> trials);

}  // namespace xofm
