#include "xofm/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/parallel.hpp"
#include "core/base/progress.hpp"
#include "core/evaluate/trial_rows.hpp"
#include "core/train/learner.hpp"
#include "xofm/error.hpp"
#include "xofm/names.hpp"
#include "xofm/train.hpp"
#include "xofm/validate.hpp"

namespace xofm {

namespace {

// Ascending and different; `own` if none are given.
std::vector<double> grid_axis(std::vector<double> penalties, double own, const char* name) {
  for (const double penalty : penalties) {
    if (!(penalty >= 0 && std::isfinite(penalty))) {
      throw Error(ErrorCode::invalid_option, fmt::format("{} holds {}; all must be 0 or more", name, penalty));
    }
  }
  if (penalties.empty()) penalties = {own};
  std::sort(penalties.begin(), penalties.end());
  penalties.erase(std::unique(penalties.begin(), penalties.end()), penalties.end());
  return penalties;
}

PenaltyPath make_grid(const TrainOptions& options, const PathOptions& path) {
  if (!(path.fold_count == 0 || (path.fold_count >= 2 && path.fold_count <= 100))) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("fold_count is {}; it must be 2 to 100, or 0 for no validation", path.fold_count));
  }
  PenaltyPath grid;
  grid.fold_count = path.fold_count;
  grid.increment_penalties =
      grid_axis(path.increment_penalties, options.recipe().increment_penalty, "increment_penalties");
  grid.factor_penalties = grid_axis(options.recipe().factor_count == 0 ? std::vector<double>() : path.factor_penalties,
                                    options.recipe().factor_penalty, "factor_penalties");
  constexpr std::size_t most = 10000;
  if (!(grid.increment_penalties.size() <= most / grid.factor_penalties.size())) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("{} increment_penalties and {} factor_penalties make too many models; at most {} are "
                            "allowed",
                            grid.increment_penalties.size(), grid.factor_penalties.size(), most));
  }
  for (const double increment_penalty : grid.increment_penalties) {
    for (const double factor_penalty : grid.factor_penalties) {
      PathPoint& point = grid.points.emplace_back();
      point.increment_penalty = increment_penalty;
      point.factor_penalty = factor_penalty;
    }
  }
  return grid;
}

// Trains at every point of the grid in turn and shows each model to `visit`; false if it was asked to stop.
bool walk(const Dataset& data, TrainOptions options, const PenaltyPath& grid,
          const std::function<bool(double share)>& report,
          const std::function<void(std::size_t point, const Model& model)>& visit) {
  const std::size_t width = grid.factor_penalties.size();
  // Many models, of which none is kept with its probabilities.
  if (options.assignment.reference_scores == ReferenceScores::automatic) {
    options.assignment.reference_scores = ReferenceScores::training;
  }
  Model previous;   // the last point's
  Model row_start;  // of the least factor_penalty with the last increment_penalty
  for (std::size_t p = 0; p < grid.points.size(); ++p) {
    options.recipe().increment_penalty = grid.points[p].increment_penalty;
    options.recipe().factor_penalty = grid.points[p].factor_penalty;
    const Model* start = p % width == 0 ? &row_start : &previous;
    if (p == 0 || options.bag_count > 1) start = nullptr;
    const auto count = static_cast<double>(grid.points.size());
    Fit fit = train(
        data, options, [&](const Progress& now) { return report((static_cast<double>(p) + now.share) / count); },
        start);
    if (fit.interrupted()) return false;
    visit(p, fit.model);
    previous = std::move(fit.model);
    if (p % width == 0) row_start = previous;
  }
  return report(1);
}

}  // namespace

std::optional<PenaltyPath> fit_path(const Dataset& data, const TrainOptions& options, const PathOptions& path,
                                    const ProgressCallback& progress) {
  if (options.parts.size() > 1) {
    throw Error(ErrorCode::invalid_option, "a path varies the penalties of one recipe; these options average several");
  }
  if (!detail::traits_of(options.recipe().method).starts_warm) {
    throw Error(ErrorCode::invalid_option, fmt::format("a path walks from model to model; {} starts from nothing, take "
                                                       "lbfgs",
                                                       name_of(options.recipe().method)));
  }
  PenaltyPath grid = make_grid(options, path);
  std::vector<Trial> trials;
  if (path.fold_count > 0) {
    trials = k_fold_trials(data, path.fold_count, 1, options.optimizer.seed);
    check(trials, data);
  }
  std::vector<std::vector<TrialResult>> results(grid.points.size(), std::vector<TrialResult>(trials.size()));
  std::vector<char> finished(trials.size() + 1);
  const ProgressCallback whole = detail::part_of(progress, 0, 1, "path");
  detail::ParallelProgress parallel(trials.size() + 1, whole);
  const PenaltyPath axes = grid;  // read by all walks while the first writes its results
  // The last walk is the one on all rows: it takes the longest.
  detail::parallel_for(trials.size() + 1, [&](std::size_t w) {
    const auto report = [&](double share) { return parallel.report(w, {.share = share}); };
    if (w == trials.size()) {
      finished[w] = walk(data, options, axes, report, [&](std::size_t p, const Model& model) {
        grid.points[p].objective = model.summary.objective;
        grid.points[p].loss = model.summary.loss;
        grid.points[p].parameters = model.parameters;
      });
      return;
    }
    const detail::TrialRows rows = detail::take_rows(data, trials[w]);
    finished[w] = walk(rows.learning, options, axes, report, [&](std::size_t p, const Model& model) {
      const Predictions predictions = model.predict(rows.holdout);
      results[p][w].metrics =
          evaluate(data.schema.class_count(), rows.labels, predictions.classes, predictions.scores, {});
    });
  });
  if (std::any_of(finished.begin(), finished.end(), [](char done) { return done == 0; })) return std::nullopt;
  for (std::size_t p = 0; p < grid.points.size(); ++p) {
    const std::vector<MetricSummary> summaries = summarize(results[p]);
    for (std::size_t m = 0; m < summaries.size(); ++m) {
      const MeanSpread value{summaries[m].mean, summaries[m].spread};
      if (metric_fields[m].name == "accuracy") grid.points[p].accuracy = value;
      if (metric_fields[m].name == "mae") grid.points[p].mae = value;
    }
  }
  return grid;
}

}  // namespace xofm
