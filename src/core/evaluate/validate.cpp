#include "xofm/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/base/parallel.hpp"
#include "core/base/progress.hpp"
#include "core/evaluate/trial_rows.hpp"
#include "xofm/error.hpp"

namespace xofm {

namespace {

// Nothing if the trial was stopped before its model was trained.
std::optional<TrialResult> run_trial(const Dataset& data, const FitOptions& options, const Trial& trial,
                                     std::size_t index, detail::ParallelProgress& parallel) {
  if (!parallel.report(index, {})) return std::nullopt;
  detail::TrialRows rows = detail::take_rows(data, trial);
  TrialResult result;
  result.trial = index;
  result.learning_count = rows.learning.row_count();
  result.rows = trial.holdout;
  result.labels = std::move(rows.labels);
  const Fit fitted = fit(rows.learning, options, [&](Progress p) {
    p.count = 0;  // the finished trials are counted
    return parallel.report(index, p);
  });
  if (fitted.interrupted()) return std::nullopt;
  result.predictions = fitted.model.predict(rows.holdout);
  result.metrics = evaluate(data.schema.class_count(), result.labels, result.predictions.classes,
                            result.predictions.scores, result.predictions.probabilities);
  parallel.finish(index);
  return result;
}

}  // namespace

std::vector<MetricSummary> summarize(std::span<const TrialResult> trials) {
  std::vector<MetricSummary> summaries;
  for (const auto& field : metric_fields) {
    std::vector<double> values;
    for (const auto& trial : trials) {
      const double value = trial.metrics.*field.value;
      if (!std::isnan(value)) values.push_back(value);
    }
    MetricSummary& summary = summaries.emplace_back();
    summary.count = values.size();
    if (values.empty()) continue;
    const auto count = static_cast<double>(values.size());
    summary.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    summary.min = *least;
    summary.max = *greatest;
    if (values.size() < 2) continue;
    double squares = 0;
    for (const double value : values) squares += (value - summary.mean) * (value - summary.mean);
    summary.spread = std::sqrt(squares / (count - 1));
  }
  return summaries;
}

ValidationResult validate(const Dataset& data, const FitOptions& options, std::span<const Trial> trials,
                          const ProgressCallback& progress) {
  check(trials, data);
  FitOptions own = options;
  own.band_count = 0;
  const ProgressCallback whole = detail::part_of(progress, 0, 1, "validate");
  detail::ParallelProgress parallel(trials.size(), whole);
  std::vector<std::optional<TrialResult>> results(trials.size());
  detail::parallel_for(trials.size(), [&](std::size_t t) {
    try {
      results[t] = run_trial(data, own, trials[t], t, parallel);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::invalid_data) throw;
      throw Error(error.code(), fmt::format("trial {}, rows to learn from: {}", t + 1, error.what()));
    }
  });
  ValidationResult result;
  for (auto& finished : results) {
    if (finished) result.trials.push_back(std::move(*finished));
  }
  result.interrupted = result.trials.size() < trials.size();
  result.summary = summarize(result.trials);
  return result;
}

}  // namespace xofm
