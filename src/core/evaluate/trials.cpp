#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/random.hpp"
#include "core/data/folds.hpp"
#include "xofm/error.hpp"
#include "xofm/validate.hpp"

namespace xofm {

namespace {

// Repeats must not share their splits with those of a nearby seed.
std::uint64_t seed_of_repeat(std::uint64_t seed, int repeat) {
  return repeat == 0 ? seed : detail::mix(detail::mix(seed) + static_cast<std::uint64_t>(repeat));
}

void check_repeats(int repeat_count) {
  if (!(repeat_count >= 1)) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("the number of repeats is {}; it must be at least 1", repeat_count));
  }
}

void check_labelled(const Dataset& data) {
  check(data);
  if (data.labels.empty()) throw Error(ErrorCode::invalid_data, "validation needs labelled rows; there are none");
}

void check_trial(const Trial& trial, const Dataset& data, std::size_t number) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::invalid_data, fmt::format("trial {}: {}", number, what));
  };
  if (trial.learning.empty()) refuse("there are no rows to learn from");
  if (trial.holdout.empty()) refuse("no rows are held out");
  std::vector<bool> taken(data.row_count());
  for (const auto* const part : {&trial.learning, &trial.holdout}) {
    for (const std::size_t row : *part) {
      if (row >= taken.size()) {
        refuse(fmt::format("there is no row {}; the data have {} rows", row + 1, taken.size()));
      }
      if (taken[row]) refuse(fmt::format("row {} occurs twice; a row is learned from or held out, once", row + 1));
      taken[row] = true;
    }
  }
  int first = -1;
  for (const std::size_t row : trial.learning) {
    if (!data.weights.empty() && data.weights[row] == 0) continue;
    if (first < 0) first = data.labels[row];
    if (data.labels[row] != first) return;
  }
  if (first < 0) refuse("all rows to learn from have weight 0");
  refuse(fmt::format("all rows to learn from are of class '{}'; at least two classes are needed to learn an order",
                     data.schema.class_names[static_cast<std::size_t>(first)]));
}

}  // namespace

std::vector<Trial> k_fold_trials(const Dataset& data, int fold_count, int repeat_count, std::uint64_t seed) {
  check_labelled(data);
  check_repeats(repeat_count);
  const std::size_t row_count = data.row_count();
  if (!(fold_count >= 2)) {
    throw Error(ErrorCode::invalid_option, fmt::format("the number of folds is {}; it must be at least 2", fold_count));
  }
  if (static_cast<std::size_t>(fold_count) > row_count) {
    throw Error(
        ErrorCode::invalid_option,
        fmt::format("the number of folds is {}; the data have {} rows, and there cannot be more folds than rows",
                    fold_count, row_count));
  }
  std::vector<Trial> trials;
  for (int repeat = 0; repeat < repeat_count; ++repeat) {
    const auto folds =
        detail::stratified_folds(data.labels, data.schema.class_count(), fold_count, seed_of_repeat(seed, repeat));
    for (auto& trial : column_trials(folds)) trials.push_back(std::move(trial));
  }
  return trials;
}

std::vector<Trial> holdout_trials(const Dataset& data, double test_share, int repeat_count, std::uint64_t seed) {
  check_labelled(data);
  check_repeats(repeat_count);
  std::vector<Trial> trials;
  for (int repeat = 0; repeat < repeat_count; ++repeat) {
    Split parts = split_rows(data, {.test_share = test_share, .seed = seed_of_repeat(seed, repeat)});
    trials.push_back({std::move(parts.learning), std::move(parts.holdout)});
  }
  return trials;
}

std::vector<Trial> column_trials(std::span<const int> folds) {
  std::map<int, Trial> by_fold;
  for (const int fold : folds) by_fold[fold];
  for (std::size_t i = 0; i < folds.size(); ++i) {
    for (auto& [fold, trial] : by_fold) (folds[i] == fold ? trial.holdout : trial.learning).push_back(i);
  }
  std::vector<Trial> trials;
  trials.reserve(by_fold.size());
  for (auto& [fold, trial] : by_fold) trials.push_back(std::move(trial));
  return trials;
}

void check(std::span<const Trial> trials, const Dataset& data) {
  check_labelled(data);
  if (trials.empty()) throw Error(ErrorCode::invalid_data, "there are no trials to validate by");
  for (std::size_t t = 0; t < trials.size(); ++t) check_trial(trials[t], data, t + 1);
}

}  // namespace xofm
