#include "baselines/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "xofm/threads.hpp"

namespace xofm::baselines {

namespace {

struct Job {
  const ComparedSet* set = nullptr;
  const Contender* contender = nullptr;
  std::size_t trial = 0;  // from 0
};

bool is_of(const TrialScore& score, const Job& job) {
  return score.trial == job.trial + 1 && score.set == job.set->name && score.method == job.contender->name;
}

std::vector<Job> open_jobs(std::span<const ComparedSet> sets, std::span<const Contender> contenders,
                           const std::vector<TrialScore>& scores) {
  std::size_t most_trials = 0;
  for (const ComparedSet& set : sets) most_trials = std::max(most_trials, set.trials.size());
  std::vector<Job> jobs;
  for (std::size_t trial = 0; trial < most_trials; ++trial) {
    for (const ComparedSet& set : sets) {
      if (trial >= set.trials.size()) continue;
      for (const Contender& contender : contenders) {
        const Job job{&set, &contender, trial};
        const bool done =
            std::any_of(scores.begin(), scores.end(), [&](const TrialScore& score) { return is_of(score, job); });
        if (!done) jobs.push_back(job);
      }
    }
  }
  return jobs;
}

TrialScore run_job(const Job& job, const ComparisonOptions& options) {
  const ComparedSet& set = *job.set;
  const Trial& trial = set.trials[job.trial];
  Task task{subset(set.data, trial.learning), subset(set.data, trial.holdout), set.directions};
  task.holdout.labels.clear();
  const Outcome outcome =
      job.contender->run(task, {.core_seconds = options.core_seconds, .seed = options.seed, .stop = options.stop});
  TrialScore score = score_trial(set, job.trial, outcome.classes);
  score.method = job.contender->name;
  score.core_seconds = outcome.core_seconds;
  score.cut = outcome.cut;
  score.setting = outcome.setting;
  return score;
}

// Core seconds of the jobs that are left, by what the same contender took on the same set so far; where nothing is
// known yet, by the mean of all.
double expected_seconds(std::span<const Job> left, const std::vector<TrialScore>& scores) {
  struct Mean {
    double sum = 0;
    double count = 0;
  };
  std::map<std::pair<std::string, std::string>, Mean> means;
  Mean all;
  for (const TrialScore& score : scores) {
    if (std::isnan(score.core_seconds)) continue;
    for (Mean* const mean : {&means[{score.method, score.set}], &all}) {
      mean->sum += score.core_seconds;
      ++mean->count;
    }
  }
  double seconds = 0;
  for (const Job& job : left) {
    const auto known = means.find({job.contender->name, job.set->name});
    const Mean& mean = known == means.end() ? all : known->second;
    seconds += mean.sum / std::max(mean.count, 1.0);
  }
  return seconds;
}

}  // namespace

TrialScore score_trial(const ComparedSet& set, std::size_t trial, const Classes& classes) {
  const std::vector<std::size_t>& rows = set.trials[trial].holdout;
  std::size_t right = 0;
  int distance = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const int label = set.data.labels[rows[i]];
    right += classes.for_accuracy.at(i) == label ? 1U : 0U;
    distance += std::abs(classes.for_mae.at(i) - label);
  }
  TrialScore score;
  score.set = set.name;
  score.trial = trial + 1;
  score.accuracy = static_cast<double>(right) / static_cast<double>(rows.size());
  score.mae = static_cast<double>(distance) / static_cast<double>(rows.size());
  return score;
}

std::vector<std::string> run_comparison(std::span<const ComparedSet> sets, std::span<const Contender> contenders,
                                        const ComparisonOptions& options, std::vector<TrialScore>& scores,
                                        const ComparisonCallback& finished) {
  const std::vector<Job> jobs = open_jobs(sets, contenders, scores);
  const int wanted = options.threads > 0 ? options.threads : static_cast<int>(std::thread::hardware_concurrency());
  const auto thread_count =
      std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, std::max<std::size_t>(jobs.size(), 1));
  const auto stopped = [&] { return options.stop && options.stop(); };
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::size_t done_count = 0;
  std::vector<std::string> failures;
  const auto work = [&] {
    // Each job is one thread, so that its core seconds are those of its thread.
    const ThreadLimit limit(1);
    for (std::size_t j = next++; j < jobs.size() && !stopped(); j = next++) {
      const Job& job = jobs[j];
      try {
        TrialScore score = run_job(job, options);
        if (stopped()) return;  // it may have ended early for that reason
        const std::lock_guard lock(mutex);
        scores.push_back(std::move(score));
        ++done_count;
        const std::size_t taken = std::min(next.load(), jobs.size());
        const double left = expected_seconds(std::span(jobs).subspan(taken), scores);
        if (finished) finished(scores.back(), {done_count, jobs.size(), left / static_cast<double>(thread_count)});
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        failures.push_back(
            fmt::format("{} on {}, split {}: {}", job.contender->name, job.set->name, job.trial + 1, error.what()));
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < thread_count; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  return failures;
}

}  // namespace xofm::baselines
