#include "core/tune/paper_choice.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/parallel.hpp"
#include "core/base/progress.hpp"
#include "core/evaluate/trial_rows.hpp"
#include "xofm/error.hpp"
#include "xofm/validate.hpp"

namespace xofm::detail {

namespace {

// Ordered pairs that one epoch of Algorithm 1 visits.
double pair_count(const Dataset& data) {
  std::vector<double> counts(static_cast<std::size_t>(data.schema.class_count()));
  for (const int label : data.labels) ++counts[static_cast<std::size_t>(label)];
  double same = 0;
  for (const double count : counts) same += count * count;
  const auto n = static_cast<double>(data.row_count());
  return (n * n - same) / 2;
}

struct FoldTrial {
  TrialResult result;
  int epochs = 0;
};

// Nothing if it was asked to stop.
std::optional<FoldTrial> run_fold(const Dataset& data, const TrainOptions& options, const Trial& trial,
                                  const ProgressCallback& progress) {
  if (progress && !progress({})) return std::nullopt;
  TrialRows rows = take_rows(data, trial);
  const Model model = train_as_paper(rows.learning, options, progress);
  if (model.record.interrupted) return std::nullopt;
  FoldTrial fold;
  fold.epochs = model.summary.epochs;
  fold.result.rows = trial.holdout;
  fold.result.labels = std::move(rows.labels);
  const Predictions p = model.predict(rows.holdout);
  fold.result.metrics = evaluate(data.schema.class_count(), fold.result.labels, p.classes, p.scores, p.probabilities);
  return fold;
}

TriedRecipe judged(const TrainOptions& options, Aim aim, std::span<const std::optional<FoldTrial>> folds) {
  TriedRecipe tried{.recipe = options.recipe(), .margin = options.margin};
  tried.recipe.weight = 0;
  for (const auto& fold : folds) {
    tried.accuracy += fold->result.metrics.accuracy / static_cast<double>(folds.size());
    tried.mae += fold->result.metrics.mae / static_cast<double>(folds.size());
  }
  tried.loss = aim == Aim::mae ? tried.mae : 1 - tried.accuracy;
  return tried;
}

ValidationSummary validation_of(std::span<const std::optional<FoldTrial>> folds, std::size_t class_count) {
  ValidationSummary summary;
  summary.trial_count = folds.size();
  summary.confusion.assign(class_count, std::vector<std::size_t>(class_count));
  std::vector<TrialResult> results;
  for (const auto& fold : folds) {
    results.push_back(fold->result);
    for (std::size_t a = 0; a < class_count; ++a) {
      for (std::size_t b = 0; b < class_count; ++b) summary.confusion[a][b] += fold->result.metrics.confusion[a][b];
    }
  }
  summary.metrics = summarize(results);
  return summary;
}

}  // namespace

std::vector<TrainOptions> paper_candidates(const Dataset& data, const TrainOptions& base, const PaperGrid& grid) {
  constexpr int lbfgs_epochs = 100;
  const bool has_many_pairs = base.recipe().method == Optimizer::sgd && pair_count(data) > grid.most_pairs;
  std::vector<TrainOptions> candidates;
  for (const int segment_count : grid.segment_counts) {
    for (const double margin : grid.margins) {
      TrainOptions& options = candidates.emplace_back(base);
      options.recipe().segment_count = segment_count;
      options.margin = margin;
      if (!has_many_pairs) continue;
      options.recipe().method = Optimizer::lbfgs;
      options.recipe().max_epochs = lbfgs_epochs;
    }
  }
  return candidates;
}

Model train_as_paper(const Dataset& data, TrainOptions options, const ProgressCallback& progress) {
  constexpr double least_step = 1e-6;
  while (true) {
    const bool may_halve = options.recipe().method == Optimizer::sgd && options.optimizer.learning_rate >= least_step;
    try {
      Model model = train(data, options, progress).model;
      if (model.summary.stop_reason != StopReason::diverged || !may_halve) return model;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::diverged || !may_halve) throw;
    }
    options.optimizer.learning_rate /= 2;
  }
}

SearchResult choose_as_paper(const Dataset& data, const TrainOptions& base, const SearchOptions& options,
                             const ProgressCallback& progress) {
  const std::vector<Trial> trials = k_fold_trials(data, options.fold_count, 1, base.optimizer.seed);
  xofm::check(trials, data);
  TrainOptions aimed = base;
  aimed.assignment.aim = options.aim;
  const std::vector<TrainOptions> candidates = paper_candidates(data, aimed, *options.paper);
  std::vector<std::optional<FoldTrial>> results(candidates.size() * trials.size());
  const ProgressCallback whole = part_of(progress, 0, 1, "validate");
  ParallelProgress parallel(results.size(), whole);
  parallel_for(results.size(), [&](std::size_t t) {
    results[t] = run_fold(data, candidates[t / trials.size()], trials[t % trials.size()], parallel.of(t));
    if (results[t]) parallel.finish(t);
  });

  SearchResult chosen;
  chosen.options = candidates.front();
  SearchRecord& record = chosen.record;
  record.aim = options.aim;
  record.seed = base.optimizer.seed;
  record.fold_count = options.fold_count;
  std::optional<std::pair<double, double>> least;
  std::size_t best = 0;  // place in record.tried
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const std::span folds(&results[c * trials.size()], trials.size());
    if (!std::all_of(folds.begin(), folds.end(), [](const auto& fold) { return fold.has_value(); })) {
      chosen.interrupted = true;
      continue;
    }
    for (const auto& fold : folds) record.passes += fold->epochs;
    const TriedRecipe& tried = record.tried.emplace_back(judged(candidates[c], options.aim, folds));
    const std::pair loss(tried.loss, options.aim == Aim::mae ? -tried.accuracy : tried.mae);
    if (least && loss >= *least) continue;
    least = loss;
    best = record.tried.size() - 1;
    chosen.options = candidates[c];
    chosen.validation = validation_of(folds, static_cast<std::size_t>(data.schema.class_count()));
  }
  record.recipe_count = record.tried.size();
  record.pass_budget = record.passes;
  if (record.tried.empty()) {
    record.tried.push_back({.recipe = chosen.options.recipe(), .margin = chosen.options.margin});
    return chosen;
  }
  record.tried[best].recipe.weight = 1;
  record.loss = record.tried[best].loss;
  std::swap(record.tried.front(), record.tried[best]);
  std::stable_sort(record.tried.begin() + 1, record.tried.end(),
                   [](const TriedRecipe& a, const TriedRecipe& b) { return a.loss < b.loss; });
  return chosen;
}

}  // namespace xofm::detail
