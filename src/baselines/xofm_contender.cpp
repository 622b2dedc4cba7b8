#include "baselines/xofm_contender.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "baselines/paper_choice.hpp"
#include "xofm/train.hpp"
#include "xofm/tune.hpp"

namespace xofm::baselines {

namespace {

constexpr double any_correlation = 1e-12;

Classes classes_of(Model model, const Dataset& rows) {
  const auto aimed_at = [&](Aim aim) {
    model.assignment.options.aim = aim;
    return model.predict(rows).classes;
  };
  return {aimed_at(Aim::accuracy), aimed_at(Aim::mae)};
}

void make_monotone(TrainOptions& options, const Task& task) {
  for (std::size_t j = 0; j < task.directions.size(); ++j) {
    if (task.directions[j] == 0) continue;
    options.encoder.directions[task.learning.schema.attributes[j].name] =
        task.directions[j] > 0 ? Direction::increasing : Direction::decreasing;
  }
  options.auto_direction = any_correlation;
}

// The final model is the average of many fits; how long a pass over the rows takes is known from the search.
Outcome search_and_train(const Task& task, const Limits& limits, const TrainOptions& base, TuneOptions tuning) {
  constexpr double final_passes = 4000;
  const CoreClock clock;
  const auto stopped = [&] { return limits.stop && limits.stop(); };
  tuning.pass_budget = default_pass_budget(task.learning);
  tuning.seed = limits.seed;
  tuning.validate = false;
  const TuneResult found = tune(task.learning, base, tuning, [&](const TuneProgress& progress) {
    const double seconds = clock.seconds();
    const double final_seconds = final_passes * seconds / std::max(progress.share * tuning.pass_budget, final_passes);
    return !stopped() && seconds + std::min(final_seconds, limits.core_seconds / 2) < limits.core_seconds;
  });
  const Fit fit = train(task.learning, found.options,
                        [&](const Progress&) { return !stopped() && clock.seconds() < limits.core_seconds; });
  Outcome outcome;
  outcome.classes = classes_of(fit.model, task.holdout);
  outcome.setting = describe(found.options);
  outcome.cut = found.record.interrupted || fit.interrupted();
  if (found.record.interrupted) {
    outcome.setting += fmt::format("; {:.0f} of {:.0f} passes", found.record.passes, found.record.pass_budget);
  }
  outcome.core_seconds = clock.seconds();
  return outcome;
}

Learner paper_learner(const Task& task, const std::vector<int>& segment_counts, bool monotone) {
  const std::vector<TrainOptions> candidates = paper_candidates(task.learning, segment_counts);
  Learner learner;
  learner.candidate_count = candidates.size();
  learner.describe = [candidates](std::size_t candidate) { return describe(candidates[candidate]); };
  learner.learn = [candidates, monotone](std::size_t candidate, const Task& part, const Effort& effort) {
    TrainOptions options = candidates[candidate];
    if (monotone) make_monotone(options, part);
    return classes_of(train_as_paper(part.learning, options, [&](const Progress&) { return !effort.is_over(); }),
                      part.holdout);
  };
  return learner;
}

}  // namespace

Contender xofm_contender() {
  return {"XOFM", [](const Task& task, const Limits& limits) { return search_and_train(task, limits, {}, {}); }};
}

Contender xofm_paper_contender() {
  const std::string name = "XOFM paper";
  return {name, [name](const Task& task, const Limits& limits) {
            return tuned(name, paper_learner(task, {6, 2, 4, 8, 10}, false)).run(task, limits);
          }};
}

Contender xofm_monotone_contender(int segment_count) {
  return {"XOFM monotone", [segment_count](const Task& task, const Limits& limits) {
            TrainOptions base;
            make_monotone(base, task);
            TuneOptions tuning;
            tuning.space.segment_counts = {segment_count};
            tuning.space.auto_directions = {any_correlation};
            return search_and_train(task, limits, base, tuning);
          }};
}

Contender xofm_paper_monotone_contender(int segment_count) {
  const std::string name = "XOFM paper monotone";
  return {name, [name, segment_count](const Task& task, const Limits& limits) {
            return tuned(name, paper_learner(task, {segment_count}, true)).run(task, limits);
          }};
}

}  // namespace xofm::baselines
