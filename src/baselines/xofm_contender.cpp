#include "baselines/xofm_contender.hpp"

#include <fmt/format.h>

#include "baselines/options_text.hpp"
#include "core/tune/paper_choice.hpp"
#include "xofm/fit.hpp"

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
    options.attributes.directions[task.learning.schema.attributes[j].name] =
        task.directions[j] > 0 ? Direction::increasing : Direction::decreasing;
  }
  options.auto_direction = any_correlation;
}

// fit() divides its time between the search and the model. Its clock is on the wall, and a thread uses no more core
// seconds than that.
Outcome search_and_train(const Task& task, const Limits& limits, FitOptions options) {
  const CoreClock clock;
  options.train.optimizer.seed = limits.seed;
  options.search->time_limit = limits.core_seconds;
  const Model model =
      fit(task.learning, options, [&](const Progress&) { return !limits.stop || !limits.stop(); }).model;
  Outcome outcome;
  outcome.classes = classes_of(model, task.holdout);
  outcome.setting = describe(model.options);
  const SearchRecord& search = *model.record.search;
  outcome.cut = search.out_of_time || model.record.interrupted;
  if (outcome.cut) outcome.setting += fmt::format("; {:.0f} of {:.0f} passes", search.passes, search.pass_budget);
  outcome.core_seconds = clock.seconds();
  return outcome;
}

Learner paper_learner(const Task& task, const std::vector<int>& segment_counts, bool monotone) {
  const std::vector<TrainOptions> candidates =
      detail::paper_candidates(task.learning, paper_preset(), {.segment_counts = segment_counts});
  Learner learner;
  learner.candidate_count = candidates.size();
  learner.describe = [candidates](std::size_t candidate) { return describe(candidates[candidate]); };
  learner.learn = [candidates, monotone](std::size_t candidate, const Task& part, const Effort& effort) {
    TrainOptions options = candidates[candidate];
    if (monotone) make_monotone(options, part);
    return classes_of(
        detail::train_as_paper(part.learning, options, [&](const Progress&) { return !effort.is_over(); }),
        part.holdout);
  };
  return learner;
}

}  // namespace

Contender xofm_contender() {
  return {"XOFM", [](const Task& task, const Limits& limits) { return search_and_train(task, limits, {}); }};
}

Contender xofm_paper_contender() {
  const std::string name = "XOFM paper";
  return {name, [name](const Task& task, const Limits& limits) {
            return tuned(name, paper_learner(task, {6, 2, 4, 8, 10}, false)).run(task, limits);
          }};
}

Contender xofm_monotone_contender(int segment_count) {
  return {"XOFM monotone", [segment_count](const Task& task, const Limits& limits) {
            FitOptions options;
            options.train.terms.pairs = PairChoice::all;  // as in the supplement
            make_monotone(options.train, task);
            options.search->space.segment_counts = {segment_count};
            return search_and_train(task, limits, options);
          }};
}

Contender xofm_paper_monotone_contender(int segment_count) {
  const std::string name = "XOFM paper monotone";
  return {name, [name, segment_count](const Task& task, const Limits& limits) {
            return tuned(name, paper_learner(task, {segment_count}, true)).run(task, limits);
          }};
}

}  // namespace xofm::baselines
