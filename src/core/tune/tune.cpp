#include "xofm/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/train/blend.hpp"
#include "core/train/class_weights.hpp"
#include "core/tune/plan.hpp"
#include "core/tune/select.hpp"
#include "xofm/error.hpp"
#include "xofm/validate.hpp"

namespace xofm {

namespace {

using detail::Rehearsed;

constexpr std::size_t parent_count = 5;  // the best recipes, from which new ones are made
constexpr std::size_t brood_size = 8;    // new ones at a time
constexpr double boosting_share = 0.25;  // of the budget, at most
constexpr double search_share = 0.75;    // of the progress bar; the rest is the validation

// Rows of weight zero have no part in anything.
Dataset weighted_rows(const Dataset& data) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    if (data.weights[i] > 0) kept.push_back(i);
  }
  return subset(data, kept);
}

// Some of the rows, class by class.
Dataset sample_of(const Dataset& data, double share, std::uint64_t seed) {
  return subset(data, split_rows(data, {.test_share = share, .seed = seed}).holdout);
}

void check(const TuneOptions& options) {
  const auto need = [](bool ok, const char* name, auto value, const char* allowed) {
    if (!ok) throw Error(ErrorCode::invalid_option, fmt::format("{} is {}; it must be {}", name, value, allowed));
  };
  need(options.bag_count >= 1 && options.bag_count <= 1000, "bag_count", options.bag_count, "1 to 1000");
  need(options.pass_budget >= 0 && std::isfinite(options.pass_budget), "pass_budget", options.pass_budget, "0 or more");
  need(options.time_limit >= 0 && std::isfinite(options.time_limit), "time_limit", options.time_limit, "0 or more");
  detail::check(options.space);
}

// All that was rehearsed, and its judgement.
struct Tries {
  std::vector<Rehearsed> rehearsed;
  std::vector<double> losses;
  std::vector<double> accuracies;
  std::vector<double> maes;

  std::vector<std::size_t> best_first() const {
    std::vector<std::size_t> order(losses.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return losses[a] < losses[b]; });
    return order;
  }
};

// Boosting, the start and its single changes, then brood after brood of small changes to the best, while the budget
// lasts.
Tries search(const detail::Stage& stage, const TuneOptions& options, double budget, detail::Watch& watch) {
  const std::vector<int>& stations = options.space.max_epochs;
  const auto passes = [&](std::size_t count) { return detail::rehearsal_passes(count, stations, stage.fold_count); };
  const auto judged = [&](const Rehearsed& r) {
    return detail::judge(stage, options.metric, stage.unseen_scores(r.scores));
  };
  Tries tries;
  std::vector<Recipe> known;
  double planned = 0;
  const auto rehearse = [&](const std::vector<Recipe>& recipes) {
    known.insert(known.end(), recipes.begin(), recipes.end());
    planned += passes(recipes.size());
    watch.count_candidates(known.size());
    for (Rehearsed& r : detail::rehearse(
             stage, recipes, stations, [&](const Rehearsed& seen) { return judged(seen).loss; }, watch)) {
      const detail::Judgement judgement = judged(r);
      tries.losses.push_back(judgement.loss);
      tries.accuracies.push_back(judgement.accuracy);
      tries.maes.push_back(judgement.mae);
      tries.rehearsed.push_back(std::move(r));
    }
  };
  watch.plan(0, options.validate ? search_share : 1, budget, false);
  const std::vector<Recipe> boosted = detail::boosted_recipes(options.space);
  const bool only_boosts = detail::starting_recipe(options.space).method == Optimizer::boost;
  if (!boosted.empty() && (only_boosts || passes(boosted.size()) <= boosting_share * budget)) rehearse(boosted);
  if (only_boosts) return tries;
  std::vector<Recipe> first = detail::single_changes(options.space);
  while (first.size() > 2 && planned + passes(first.size()) > budget) first.pop_back();
  rehearse(first);

  detail::Random random(options.seed, 0x70e);
  while (watch.may_go_on() && !tries.rehearsed.empty()) {
    std::vector<Recipe> parents;
    for (const std::size_t c : tries.best_first()) {
      Recipe parent = tries.rehearsed[c].recipe;
      parent.max_epochs = stations.front();
      if (parent.method != Optimizer::boost && parents.size() < parent_count &&
          std::find(parents.begin(), parents.end(), parent) == parents.end()) {
        parents.push_back(parent);
      }
    }
    std::size_t size = brood_size;
    while (size > 0 && planned + passes(size) > budget) --size;
    std::vector<Recipe> brood;
    for (int attempt = 0; attempt < 200 && brood.size() < size; ++attempt) {
      const Recipe child = detail::mutated(parents[random.below(parents.size())], options.space, random);
      const auto same = [&](const Recipe& other) { return detail::is_same_model(other, child); };
      if (std::any_of(known.begin(), known.end(), same) || std::any_of(brood.begin(), brood.end(), same)) continue;
      brood.push_back(child);
    }
    if (brood.empty()) break;
    rehearse(brood);
  }
  return tries;
}

std::vector<detail::Reading> readings_of(const TuneOptions& options) {
  std::vector<detail::Reading> readings;
  for (const ReferenceScores source : options.space.reference_scores) {
    // A single fit that refers to its training rows makes no refits, and has no honest probabilities then.
    if (source == ReferenceScores::training && options.bag_count == 1 && !readings.empty()) continue;
    for (const AssignmentRule rule : options.space.rules) {
      // Probabilities come from unseen rows whatever the reference.
      const bool again = rule == AssignmentRule::probability && !readings.empty();
      if (!again) readings.push_back({rule, source});
    }
  }
  return readings;
}

double passes_of(const TrainOptions& options) {
  double epochs = options.blend.empty() ? options.optimizer.max_epochs : 0;
  for (const BlendPart& part : options.blend) epochs += part.recipe.max_epochs;
  return epochs * options.bag_count;
}

// About options.bag_count fits in all, whole rounds of folds for each part of a blend; of large data one round, or
// single fits where that would be slow.
int bag_count_of(TrainOptions model, const TuneOptions& options, const detail::SearchPlan& plan) {
  const int folds = std::min(model.assignment.fold_count, options.bag_count);
  if (plan.holds_out) {
    model.bag_count = folds;
    return plan.affords(passes_of(model)) ? folds : 1;
  }
  const int part_count = std::max(static_cast<int>(model.blend.size()), 1);
  if (part_count == 1) return options.bag_count;
  return folds * ((options.bag_count + folds * part_count - 1) / (folds * part_count));
}

// The options of the model that the picks make.
TrainOptions options_of(const detail::Selection& selection, const Tries& tries, const TrainOptions& base,
                        const TuneOptions& options, const detail::SearchPlan& plan) {
  TrainOptions result = base;
  std::vector<std::size_t> parts = selection.picks;
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  const auto count_of = [&](std::size_t part) {
    return static_cast<int>(std::count(selection.picks.begin(), selection.picks.end(), part));
  };
  std::stable_sort(parts.begin(), parts.end(), [&](std::size_t a, std::size_t b) { return count_of(a) > count_of(b); });
  // The largest part also says what the model is like, where one recipe must do.
  detail::apply(tries.rehearsed[parts.front()].recipe, result);
  for (const std::size_t part : parts) {
    if (parts.size() > 1) result.blend.push_back({tries.rehearsed[part].recipe, count_of(part)});
  }
  result.bag_count = bag_count_of(result, options, plan);
  return result;
}

// One that needs no refits where the model makes none.
detail::Reading reading_of_large(const std::vector<detail::Reading>& readings, const TrainOptions& model) {
  detail::Reading reading = readings.front();
  const bool may_refer_to_training = std::any_of(readings.begin(), readings.end(), [](const detail::Reading& r) {
    return r.reference_scores == ReferenceScores::training;
  });
  if (model.bag_count == 1 && may_refer_to_training) reading.reference_scores = ReferenceScores::training;
  return reading;
}

// The model's own options on folds, or one part of the rows, that had no part in the choice.
ValidationSummary validated(const Dataset& data, const TrainOptions& model, const TuneOptions& options,
                            const detail::SearchPlan& plan, detail::Watch& watch) {
  const std::uint64_t seed = detail::mix(options.seed) + 1;
  const std::vector<Trial> trials = plan.holds_out ? holdout_trials(data, 1.0 / options.fold_count, 1, seed)
                                                   : k_fold_trials(data, options.fold_count, 1, seed);
  const double passes = passes_of(model) * static_cast<double>(trials.size());
  watch.plan(search_share, 1, passes, true);
  const ValidationResult result = validate(data, model, trials, [&](const ValidationProgress& progress) {
    watch.set_done(progress.share * passes);
    return watch.tick();
  });
  ValidationSummary summary;
  if (result.interrupted || !watch.may_go_on()) return summary;
  watch.add(passes);
  const auto classes = static_cast<std::size_t>(data.schema.class_count());
  summary.trial_count = result.trials.size();
  summary.metrics = result.summary;
  summary.confusion.assign(classes, std::vector<std::size_t>(classes));
  for (const TrialResult& trial : result.trials) {
    for (std::size_t a = 0; a < classes; ++a) {
      for (std::size_t b = 0; b < classes; ++b) summary.confusion[a][b] += trial.metrics.confusion[a][b];
    }
  }
  return summary;
}

TuningRecord record_of(const Tries& tries, const detail::Selection& selection) {
  TuningRecord record;
  record.loss = selection.judgement.loss;
  for (const std::size_t c : tries.best_first()) {
    const auto count = std::count(selection.picks.begin(), selection.picks.end(), c);
    record.tried.push_back(
        {tries.rehearsed[c].recipe, static_cast<int>(count), tries.losses[c], tries.accuracies[c], tries.maes[c]});
  }
  return record;
}

// Of rows that all count, by options that make sense.
TuneResult tune_rows(const Dataset& data, TrainOptions base, TuneOptions options, const TuneCallback& progress) {
  const detail::SearchPlan plan = detail::plan_search(data, options);
  options.space = detail::suited(options.space, data, base);
  if (plan.holds_out && plan.has_many_rows) options.space = detail::narrowed(options.space);
  if (base.terms.pairs != PairChoice::all) {
    // Curves and pairs are as simple as the rows allow whatever they are taken from; directions only where asked for,
    // and what the model is worth on unseen rows is known after its training.
    options.space.auto_directions.resize(1);
    options.prefer_simple = false;
    options.validate = false;
  }
  base.assignment.aim = options.metric;
  base.bag_count = 1;
  base.blend.clear();
  const double budget = options.pass_budget > 0 ? options.pass_budget : default_pass_budget(data);
  detail::Watch watch(options, progress);
  // Also refuses rows that cannot be split.
  xofm::check(k_fold_trials(data, options.fold_count, 1, options.seed), data);
  const Dataset sample = plan.sample_share < 1 ? sample_of(data, plan.sample_share, options.seed) : Dataset{};
  const Dataset& looked_at = plan.sample_share < 1 ? sample : data;
  const detail::Stage stage = plan.holds_out ? detail::make_hold_out(looked_at, base, options.fold_count, options.seed)
                                             : detail::make_stage(looked_at, base, options.fold_count, options.seed);
  const Tries tries = search(stage, options, budget, watch);

  TuneResult result;
  if (tries.rehearsed.empty()) {
    // Stopped too early: where the search starts.
    Recipe start = detail::starting_recipe(options.space);
    start.max_epochs = options.space.max_epochs.back();
    result.options = base;
    detail::apply(start, result.options);
    result.options.bag_count = bag_count_of(result.options, options, plan);
    result.record.tried.push_back({.recipe = start, .count = 1});
  } else {
    std::vector<detail::Selection> selections;
    for (const detail::Kind& kind : detail::kinds(options.space)) {
      selections.push_back(
          detail::select_blend(stage, options.metric, tries.rehearsed, tries.losses, kind, plan.most_parts));
    }
    const detail::Selection& chosen = selections[detail::choose_kind(selections, options.prefer_simple)];
    result.options = options_of(chosen, tries, base, options, plan);
    const std::vector<detail::Reading> readings = readings_of(options);
    const detail::Reading reading = plan.holds_out
                                        ? reading_of_large(readings, result.options)
                                        : detail::choose_reading(stage, options.metric, chosen.scores, readings);
    result.options.assignment.rule = reading.rule;
    result.options.assignment.reference_scores = reading.reference_scores;
    result.record = record_of(tries, chosen);
    result.record.best_loss = selections[detail::choose_kind(selections, false)].judgement.loss;
    if (options.validate && watch.may_go_on()) {
      result.validation = validated(data, result.options, options, plan, watch);
    }
  }
  TuningRecord& record = result.record;
  record.metric = options.metric;
  record.seed = options.seed;
  record.fold_count = options.fold_count;
  record.pass_budget = budget;
  record.passes = watch.passes();
  record.time_limit = options.time_limit;
  record.out_of_time = watch.out_of_time();
  record.interrupted = watch.interrupted();
  return result;
}

}  // namespace

TuneResult tune(const Dataset& data, const TrainOptions& base, const TuneOptions& options,
                const TuneCallback& progress) {
  check(options);
  xofm::check(data);
  if (!base.class_weights.empty()) {
    TrainOptions rest = base;
    rest.class_weights.clear();
    TuneResult result = tune(detail::weight_classes(data, base.class_weights), rest, options, progress);
    result.options.class_weights = base.class_weights;
    return result;
  }
  const bool has_zeros = std::any_of(data.weights.begin(), data.weights.end(), [](double w) { return w == 0; });
  if (has_zeros) return tune_rows(weighted_rows(data), base, options, progress);
  return tune_rows(data, base, options, progress);
}

}  // namespace xofm
