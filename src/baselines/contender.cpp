#include "baselines/contender.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <optional>
#include <utility>

#include "baselines/features.hpp"
#include "core/base/random.hpp"
#include "xofm/error.hpp"
#include "xofm/validate.hpp"

namespace xofm::baselines {

namespace {

constexpr int fold_count = 5;

struct Fold {
  Task task;
  std::vector<int> labels;  // of the rows held out
};

bool has_two_classes(const Dataset& data) {
  return std::any_of(data.labels.begin(), data.labels.end(), [&](int label) { return label != data.labels.front(); });
}

// Folds with a single class to learn from say nothing about a choice and are left out.
std::vector<Fold> folds_of(const Task& task, std::uint64_t seed) {
  std::vector<Fold> folds;
  const auto row_count = static_cast<int>(std::min<std::size_t>(task.learning.row_count(), fold_count));
  if (row_count < 2) return folds;
  for (const Trial& trial : k_fold_trials(task.learning, row_count, 1, seed)) {
    Fold fold;
    fold.task = {subset(task.learning, trial.learning), subset(task.learning, trial.holdout), task.directions};
    fold.labels = std::exchange(fold.task.holdout.labels, {});
    if (has_two_classes(fold.task.learning)) folds.push_back(std::move(fold));
  }
  return folds;
}

// How far a candidate is off, summed over the folds; less is better.
struct Misses {
  long distance = 0;
  long errors = 0;

  void add(const std::vector<int>& labels, const Classes& classes) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      distance += std::abs(labels[i] - classes.for_mae[i]);
      errors += labels[i] != classes.for_accuracy[i] ? 1 : 0;
    }
  }
  bool operator<(const Misses& other) const {
    return std::pair(distance, errors) < std::pair(other.distance, other.errors);
  }
};

std::vector<std::size_t> trying_order(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> rest(count - 1);
  std::iota(rest.begin(), rest.end(), std::size_t{1});
  detail::Random(seed).shuffle(rest);
  rest.insert(rest.begin(), 0);
  return rest;
}

struct Choice {
  std::size_t candidate = 0;
  std::size_t tried_count = 0;
  bool cut = false;
};

Choice choose(const Learner& learner, const Task& task, const Limits& limits, const CoreClock& clock) {
  Choice choice;
  if (learner.candidate_count < 2) return choice;
  const std::vector<Fold> folds = folds_of(task, limits.seed);
  if (folds.empty()) return choice;
  std::optional<Misses> least;
  // Kept for the final fit. It has a quarter more rows than a fold, which doubles the time of a cubic method.
  double reserve = limits.core_seconds / 6;
  for (const std::size_t candidate : trying_order(learner.candidate_count, limits.seed)) {
    const Effort effort{.seed = limits.seed, .out_of_time = [&] {
                          return clock.seconds() > limits.core_seconds - reserve || (limits.stop && limits.stop());
                        }};
    Misses misses;
    double slowest = 0;
    for (const Fold& fold : folds) {
      if (effort.is_over()) {
        choice.cut = true;
        return choice;
      }
      if (least && misses.distance > least->distance) break;  // it cannot win any more
      const double begin = clock.seconds();
      misses.add(fold.labels, learner.learn(candidate, fold.task, effort));
      slowest = std::max(slowest, clock.seconds() - begin);
    }
    ++choice.tried_count;
    if (least && !(misses < *least)) continue;
    least = misses;
    choice.candidate = candidate;
    reserve = std::min(limits.core_seconds / 2, 2 * slowest);
  }
  return choice;
}

std::vector<Setting> product(const std::vector<Axis>& axes) {
  std::vector<Setting> settings(1);
  for (const Axis& axis : axes) {
    std::vector<Setting> longer;
    for (const Setting& setting : settings) {
      for (const double value : axis.values) {
        longer.push_back(setting);
        longer.back().push_back(value);
      }
    }
    settings = std::move(longer);
  }
  return settings;
}

Contender tuned_over(std::shared_ptr<const Method> method, const std::vector<Axis>& axes) {
  const std::vector<Setting> settings = product(axes);
  Learner learner;
  learner.candidate_count = settings.size();
  learner.describe = [axes, settings](std::size_t candidate) {
    std::string text;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      text += fmt::format("{}{} {:g}", a == 0 ? "" : ", ", axes[a].name, settings[candidate][a]);
    }
    return text;
  };
  learner.learn = [method, settings](std::size_t candidate, const Task& task, const Effort& effort) {
    const Features features(task.learning, task.directions);
    const auto predictor = method->fit(features.examples(task.learning), settings[candidate], effort);
    const std::vector<int> classes = predictor->predict(features.encode(task.holdout));
    return Classes{classes, classes};
  };
  return tuned(method->name(), std::move(learner));
}

}  // namespace

double CoreClock::now() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Contender tuned(const std::string& name, Learner learner) {
  return {name, [learner = std::move(learner)](const Task& task, const Limits& limits) {
            const CoreClock clock;
            const Choice choice = choose(learner, task, limits, clock);
            const Effort effort{.seed = limits.seed, .out_of_time = [&] {
                                  return clock.seconds() > limits.core_seconds || (limits.stop && limits.stop());
                                }};
            Outcome outcome;
            outcome.classes = learner.learn(choice.candidate, task, effort);
            outcome.setting = learner.describe(choice.candidate);
            outcome.cut = choice.cut || effort.is_over();
            if (choice.cut) {
              outcome.setting += fmt::format("{}{} of {} settings tried", outcome.setting.empty() ? "" : "; ",
                                             choice.tried_count, learner.candidate_count);
            }
            outcome.core_seconds = clock.seconds();
            return outcome;
          }};
}

Contender tuned(std::shared_ptr<const Method> method) {
  const std::vector<Axis> axes = method->grid();
  return tuned_over(std::move(method), axes);
}

Contender tuned(std::shared_ptr<const Method> method, const std::string& axis, double value) {
  std::vector<Axis> axes = method->grid();
  const auto found =
      std::find_if(axes.begin(), axes.end(), [&](const Axis& a) { return a.name.find(axis) != std::string::npos; });
  if (found == axes.end()) {
    throw Error(ErrorCode::invalid_option, fmt::format("{} has no axis '{}'", method->name(), axis));
  }
  found->values = {value};
  return tuned_over(std::move(method), axes);
}

}  // namespace xofm::baselines
