#include "xofm/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>

#include "core/base/parallel.hpp"
#include "core/evaluate/trial_rows.hpp"
#include "xofm/error.hpp"
#include "xofm/train.hpp"

namespace xofm {

namespace {

// Progress of trials that run at the same time, told to one callback in turn.
class Reporter {
 public:
  Reporter(std::size_t trial_count, const ValidationCallback& progress) : shares_(trial_count), progress_(progress) {}

  // False once the callback has asked to stop.
  bool report(std::size_t trial, double share, bool finished = false) {
    const std::lock_guard lock(mutex_);
    shares_[trial] = share;
    finished_count_ += finished ? 1 : 0;
    if (progress_ && !stopped_) {
      const double total = std::accumulate(shares_.begin(), shares_.end(), 0.0);
      stopped_ = !progress_({finished_count_, shares_.size(), total / static_cast<double>(shares_.size())});
    }
    return !stopped_;
  }

 private:
  std::mutex mutex_;
  std::vector<double> shares_;
  std::size_t finished_count_ = 0;
  bool stopped_ = false;
  const ValidationCallback& progress_;
};

// Nothing if the trial was stopped before its model was trained.
std::optional<TrialResult> run_trial(const Dataset& data, const TrainOptions& options, const Trial& trial,
                                     std::size_t index, Reporter& reporter) {
  if (!reporter.report(index, 0)) return std::nullopt;
  detail::TrialRows rows = detail::take_rows(data, trial);
  TrialResult result;
  result.trial = index;
  result.learning_count = rows.learning.row_count();
  result.rows = trial.holdout;
  result.labels = std::move(rows.labels);
  const Fit fit = train(rows.learning, options, [&](const Progress& p) { return reporter.report(index, p.share); });
  if (fit.interrupted()) return std::nullopt;
  result.predictions = fit.model.predict(rows.holdout);
  result.metrics = evaluate(data.schema.class_count(), result.labels, result.predictions.classes,
                            result.predictions.scores, result.predictions.probabilities);
  reporter.report(index, 1, true);
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

ValidationResult validate(const Dataset& data, const TrainOptions& options, std::span<const Trial> trials,
                          const ValidationCallback& progress) {
  check(trials, data);
  Reporter reporter(trials.size(), progress);
  std::vector<std::optional<TrialResult>> results(trials.size());
  detail::parallel_for(trials.size(), [&](std::size_t t) {
    try {
      results[t] = run_trial(data, options, trials[t], t, reporter);
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
