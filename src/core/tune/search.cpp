#include "core/tune/search.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/progress.hpp"
#include "core/base/random.hpp"
#include "core/evaluate/fold_validation.hpp"
#include "core/options/fields.hpp"
#include "core/train/learner.hpp"
#include "core/tune/candidates.hpp"
#include "core/tune/plan.hpp"
#include "core/tune/select.hpp"
#include "xofm/validate.hpp"

namespace xofm::detail {

namespace {

constexpr std::size_t parent_count = 5;       // the best recipes, from which new ones are made
constexpr std::size_t generation_size = 8;    // new ones at a time
constexpr double plain_recipes_share = 0.25;  // of the budget, at most

// All that was tried, and what it is worth.
class Tries {
 public:
  Tries(const Folds& folds, const TrainOptions& base, const SearchOptions& options, Budget& budget)
      : folds_(folds), base_(base), options_(options), budget_(budget) {}

  // Everything, while the budget lasts.
  void run();

  const std::vector<Candidate>& candidates() const { return candidates_; }
  const std::vector<double>& losses() const { return losses_; }
  std::size_t recipe_count() const;  // trained
  std::vector<std::size_t> best_first() const;
  std::vector<TriedRecipe> record(const Selection& selection) const;

 private:
  double passes(std::size_t count, const std::vector<int>& epochs) const {
    return passes_of_rounds(count, epochs, folds_.count(), base_.optimizer.restart_count);
  }
  double passes(std::size_t count) const { return passes(count, options_.space.max_epochs); }
  void try_recipes(const std::vector<Recipe>& recipes);
  std::vector<Recipe> next_generation(Random& random) const;

  const Folds& folds_;
  const TrainOptions& base_;
  const SearchOptions& options_;
  Budget& budget_;
  std::vector<Candidate> candidates_;
  std::vector<double> losses_;
  std::vector<Judgement> judgements_;
  std::vector<Recipe> known_;
  double planned_ = 0;
};

void Tries::try_recipes(const std::vector<Recipe>& recipes) {
  known_.insert(known_.end(), recipes.begin(), recipes.end());
  // Of a budget too small for all rounds of the few recipes that there must be, the last rounds are left out.
  std::vector<int> epochs = options_.space.max_epochs;
  while (epochs.size() > 1 && planned_ + passes(recipes.size(), epochs) > budget_.passes()) epochs.pop_back();
  planned_ += passes(recipes.size(), epochs);
  const auto judged = [&](const Candidate& c) { return judge(c.unseen, folds_.data(), base_.assignment); };
  for (Candidate& candidate : run_rounds(
           folds_, base_, base_.terms.pairs == PairChoice::all, recipes, epochs,
           [&](const Candidate& seen) { return judged(seen).loss; }, budget_)) {
    judgements_.push_back(judged(candidate));
    losses_.push_back(judgements_.back().loss);
    candidates_.push_back(std::move(candidate));
  }
}

std::size_t Tries::recipe_count() const {
  const int first = options_.space.max_epochs.front();
  return static_cast<std::size_t>(std::count_if(candidates_.begin(), candidates_.end(),
                                                [&](const Candidate& c) { return c.recipe.max_epochs == first; }));
}

std::vector<std::size_t> Tries::best_first() const {
  std::vector<std::size_t> order(losses_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return losses_[a] < losses_[b]; });
  return order;
}

// Changes to the best, none of them known, as many as the budget allows.
std::vector<Recipe> Tries::next_generation(Random& random) const {
  std::vector<Recipe> parents;
  for (const std::size_t c : best_first()) {
    Recipe parent = candidates_[c].recipe;
    parent.max_epochs = options_.space.max_epochs.front();
    if (!traits_of(parent.method).has_few_settings && parents.size() < parent_count &&
        std::find(parents.begin(), parents.end(), parent) == parents.end()) {
      parents.push_back(parent);
    }
  }
  std::size_t size = parents.empty() ? 0 : generation_size;
  while (size > 0 && planned_ + passes(size) > budget_.passes()) --size;
  std::vector<Recipe> generation;
  for (int attempt = 0; attempt < 200 && generation.size() < size; ++attempt) {
    const Recipe child = mutated(parents[random.below(parents.size())], options_.space, random);
    const auto same = [&](const Recipe& other) { return is_same_model(other, child); };
    if (std::any_of(known_.begin(), known_.end(), same) || std::any_of(generation.begin(), generation.end(), same)) {
      continue;
    }
    generation.push_back(child);
  }
  return generation;
}

void Tries::run() {
  const std::vector<Recipe> plain = plain_recipes(options_.space, base_.recipe());
  const bool has_others = !traits_of(starting_recipe(options_.space, base_.recipe()).method).has_few_settings;
  if (!plain.empty() && (!has_others || passes(plain.size()) <= plain_recipes_share * budget_.passes())) {
    try_recipes(plain);
  }
  if (!has_others) return;
  std::vector<Recipe> first = single_changes(options_.space, base_.recipe());
  while (first.size() > 2 && planned_ + passes(first.size()) > budget_.passes()) first.pop_back();
  try_recipes(first);
  Random random(base_.optimizer.seed, 0x70e);
  while (budget_.may_go_on() && !candidates_.empty()) {
    const std::vector<Recipe> generation = next_generation(random);
    if (generation.empty()) break;
    try_recipes(generation);
  }
}

std::vector<TriedRecipe> Tries::record(const Selection& selection) const {
  std::vector<TriedRecipe> tried;
  for (const std::size_t c : best_first()) {
    TriedRecipe& entry =
        tried.emplace_back(TriedRecipe{candidates_[c].recipe, losses_[c], judgements_[c].accuracy, judgements_[c].mae});
    entry.recipe.weight = static_cast<double>(std::count(selection.picks.begin(), selection.picks.end(), c));
  }
  return tried;
}

// The recipes that the picks make, the largest part first, and their fits by fold.
void take(const Selection& selection, const std::vector<Candidate>& candidates, Found& found) {
  std::vector<std::size_t> parts = selection.picks;
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  const auto count_of = [&](std::size_t part) {
    return std::count(selection.picks.begin(), selection.picks.end(), part);
  };
  std::stable_sort(parts.begin(), parts.end(), [&](std::size_t a, std::size_t b) { return count_of(a) > count_of(b); });
  TrainOptions& options = found.result.options;
  options.parts.clear();
  found.teachers.by_fold.assign(found.folds->count(), {});
  for (const std::size_t part : parts) {
    Recipe& recipe = options.parts.emplace_back(candidates[part].recipe);
    recipe.weight = static_cast<double>(count_of(part));
    for (std::size_t f = 0; f < found.folds->count(); ++f) {
      Member& member = found.teachers.by_fold[f].emplace_back(candidates[part].members[f]);
      member.weight = recipe.weight;
    }
  }
}

}  // namespace

void run_search(const Dataset& data, const TrainOptions& base, const SearchOptions& given,
                const ProgressCallback& progress, Found& found) {
  SearchOptions options = given;
  const SearchPlan plan = plan_search(data, options);
  options.space = suited(options.space, data, base);
  if (plan.holds_out && plan.has_many_rows) options.space = narrowed(options.space);
  SearchResult& result = found.result;
  result.options = base;
  result.options.assignment.aim = options.aim;
  result.options.bag_count = plan.holds_out ? 1 : options.fold_count;
  const std::uint64_t seed = base.optimizer.seed;
  xofm::check(k_fold_trials(data, options.fold_count, 1, seed), data);  // refuses rows that cannot be split
  if (plan.sample_share < 1) {
    found.teachers.rows = split_rows(data, {.test_share = plan.sample_share, .seed = seed}).holdout;
    found.sample = subset(data, found.teachers.rows);
  }
  found.folds.emplace(found.sample ? *found.sample : data, options.fold_count, seed, plan.holds_out);
  found.teachers.folds = &*found.folds;
  Budget budget(options.pass_budget > 0 ? options.pass_budget : default_pass_budget(data), options.time_limit,
                progress);
  Tries tries(*found.folds, result.options, options, budget);
  tries.run();

  SearchRecord& record = result.record;
  // Nobody has stopped it: every recipe has diverged.
  if (tries.candidates().empty() && budget.may_go_on()) {
    refuse_diverged(base, starting_recipe(options.space, base.recipe()));
  }
  if (tries.candidates().empty()) {
    // Stopped too early: where the search starts.
    Recipe start = starting_recipe(options.space, base.recipe());
    start.max_epochs = options.space.max_epochs.back();
    result.options.parts = {start};
    result.options.bag_count = 1;
    record.tried.push_back({.recipe = start});
  } else {
    const Selection selection =
        select(tries.candidates(), tries.losses(), found.folds->data(), result.options.assignment, plan.most_parts);
    take(selection, tries.candidates(), found);
    record.tried = tries.record(selection);
    record.loss = selection.judgement.loss;
    result.validation = validate_folds(*found.folds, selection.unseen, base.margin, result.options.assignment);
  }
  record.aim = options.aim;
  record.seed = seed;
  record.fold_count = options.fold_count;
  record.recipe_count = tries.recipe_count();
  record.pass_budget = budget.passes();
  record.passes = budget.used();
  record.time_limit = options.time_limit;
  record.out_of_time = budget.is_out_of_time();
  result.interrupted = found.teachers.interrupted = budget.is_interrupted();
}

}  // namespace xofm::detail
