// Contenders on data sets: every one on every split, in parallel, each in a thread of its own.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "baselines/contender.hpp"
#include "xofm/validate.hpp"

namespace xofm::baselines {

struct ComparedSet {
  std::string name;
  Dataset data;
  std::vector<Trial> trials;
  std::vector<int> directions = {};  // as in Task
};

// One contender on one split: a line of the results.
struct TrialScore {
  std::string method;
  std::string set;
  std::size_t trial = 0;  // from 1
  double accuracy = 0;
  double mae = 0;
  double core_seconds = 0;  // NaN for predictions from outside
  bool cut = false;         // the core seconds were not enough to try all
  std::string setting = {};
};

struct ComparisonOptions {
  double core_seconds = 60;  // for each contender on each split
  int threads = 2;           // 0: one per core
  std::uint64_t seed = 1;    // of the contenders; the splits have their own
  std::function<bool()> stop = {};
};

struct ComparisonProgress {
  std::size_t finished_count = 0;
  std::size_t job_count = 0;
  double seconds_left = 0;
};

// After each job, by one thread at a time, `scores` being complete up to it.
using ComparisonCallback = std::function<void(const TrialScore& latest, const ComparisonProgress&)>;

// Runs what `scores` does not have yet and appends to it. Split 1 of every set by every contender comes first, then
// split 2, and so on, so that all can be seen early. Returns what failed, in words; other jobs go on.
std::vector<std::string> run_comparison(std::span<const ComparedSet> sets, std::span<const Contender> contenders,
                                        const ComparisonOptions& options, std::vector<TrialScore>& scores,
                                        const ComparisonCallback& finished = {});

// Accuracy and MAE of predicted classes on the rows that a trial holds out.
TrialScore score_trial(const ComparedSet& set, std::size_t trial, const Classes& classes);

}  // namespace xofm::baselines
