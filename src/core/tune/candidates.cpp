#include "core/tune/candidates.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

#include "xofm/encoder.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

// Calls visit(list, field) for each list of the space and the field that it fills, first those that matter most where
// there is no budget for all; epochs are stations of one training.
template <class Visit>
void for_each_list(const SearchSpace& space, Visit visit) {
  visit(space.segment_counts, &Recipe::segment_count);
  visit(space.sparsity_penalties, &Recipe::sparsity_penalty);
  visit(space.spike_shares, &Recipe::spike_share);
  visit(space.factor_counts, &Recipe::factor_count);
  visit(space.knots, &Recipe::knots);
  visit(space.auto_directions, &Recipe::auto_direction);
  visit(space.increment_penalties, &Recipe::increment_penalty);
  visit(space.factor_penalties, &Recipe::factor_penalty);
  visit(space.pair_weightings, &Recipe::pair_weighting);
  visit(space.init_stddevs, &Recipe::init_stddev);
}

template <class Value>
bool has(const std::vector<Value>& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace

Recipe starting_recipe(const SearchSpace& space) {
  Recipe start;
  for_each_list(space, [&](const auto& values, auto field) { start.*field = values.front(); });
  start.max_epochs = space.max_epochs.front();
  const auto method = std::find_if(space.methods.begin(), space.methods.end(),
                                   [](Optimizer other) { return other != Optimizer::boost; });
  start.method = method != space.methods.end() ? *method : Optimizer::boost;
  return start;
}

std::vector<Recipe> boosted_recipes(const SearchSpace& space) {
  constexpr int fine = 16;
  std::vector<Recipe> recipes;
  if (!has(space.methods, Optimizer::boost)) return recipes;
  Recipe recipe = starting_recipe(space);
  recipe.method = Optimizer::boost;
  recipe.auto_direction = 0;
  recipe.sparsity_penalty = 0;
  const int finest = *std::max_element(space.segment_counts.begin(), space.segment_counts.end());
  for (const KnotPlacement knots : space.knots) {
    recipe.knots = knots;
    for (const int segment_count : space.segment_counts) {
      recipe.segment_count = segment_count;
      if (segment_count >= std::min(fine, finest)) recipes.push_back(recipe);
    }
  }
  if (recipe.factor_count > 0 && has(space.factor_counts, 0)) {
    recipe = recipes.front();
    recipe.factor_count = 0;
    recipes.push_back(recipe);
  }
  return recipes;
}

std::vector<Recipe> single_changes(const SearchSpace& space) {
  const Recipe start = starting_recipe(space);
  std::vector<Recipe> recipes;
  const auto add = [&](const Recipe& recipe) {
    const auto same = [&](const Recipe& other) { return is_same_model(other, recipe); };
    if (std::none_of(recipes.begin(), recipes.end(), same)) recipes.push_back(recipe);
  };
  add(start);
  for_each_list(space, [&](const auto& values, auto field) {
    for (const auto& value : values) {
      Recipe changed = start;
      changed.*field = value;
      add(changed);
    }
  });
  return recipes;
}

Recipe mutated(const Recipe& recipe, const SearchSpace& space, Random& random) {
  constexpr double change_share = 0.4;
  Recipe changed = recipe;
  for_each_list(space, [&](const auto& values, auto field) {
    if (random.uniform() < change_share) changed.*field = values[random.below(values.size())];
  });
  return changed;
}

bool is_same_model(const Recipe& a, const Recipe& b) {
  const auto identity = [](Recipe recipe) {
    if (recipe.factor_count == 0) recipe.factor_penalty = recipe.init_stddev = 0;
    return recipe;
  };
  return identity(a) == identity(b);
}

std::vector<Kind> kinds(const SearchSpace& space) {
  std::vector<double> directions = space.auto_directions;
  // The lower the bound, the more attributes are monotone; zero means none.
  std::sort(directions.begin(), directions.end(),
            [](double a, double b) { return std::tuple(a == 0, a) < std::tuple(b == 0, b); });
  std::vector<Kind> kinds;
  for (const bool has_pairs : {false, true}) {
    const auto fits = [&](int count) { return (count > 0) == has_pairs; };
    if (std::none_of(space.factor_counts.begin(), space.factor_counts.end(), fits)) continue;
    for (const double direction : directions) kinds.push_back({has_pairs, direction});
  }
  return kinds;
}

SearchSpace suited(SearchSpace space, const Dataset& data, const TrainOptions& base) {
  const auto& directions = base.encoder.directions;
  const bool may_boost = has(space.auto_directions, 0.0) && has(space.sparsity_penalties, 0.0) &&
                         base.smoothness_penalty == 0 && base.pair_penalty == 0 &&
                         std::all_of(directions.begin(), directions.end(),
                                     [](const auto& entry) { return entry.second == Direction::none; });
  if (!may_boost && space.methods != std::vector{Optimizer::boost}) std::erase(space.methods, Optimizer::boost);
  // With one segment per attribute, every further knot is one beside a frequent value.
  const auto coordinates = [&](double spike_share) {
    return fit_encoder(data, {.segment_count = 1, .spike_share = spike_share}).coordinate_count();
  };
  const std::size_t without = coordinates(0);
  const bool has_none = has(space.spike_shares, 0.0);
  std::erase_if(space.spike_shares,
                [&](double share) { return has_none && share > 0 && coordinates(share) == without; });
  return space;
}

SearchSpace narrowed(SearchSpace space) {
  const auto keep = [](auto& values, const auto& suits) {
    if (std::any_of(values.begin(), values.end(), suits)) std::erase_if(values, std::not_fn(suits));
  };
  const auto is_weak = [](double penalty) { return penalty < 1e-2; };
  keep(space.segment_counts, [](int count) { return count >= 8; });
  keep(space.increment_penalties, is_weak);
  keep(space.factor_penalties, is_weak);
  keep(space.sparsity_penalties, [](double penalty) { return penalty <= 1e-3; });
  space.pair_weightings.resize(1);
  space.init_stddevs.resize(1);
  if (space.max_epochs.size() > 1) {
    for (int& epochs : space.max_epochs) epochs *= 2;
  }
  return space;
}

void check(const SearchSpace& space) {
  const auto need = [](bool ok, const char* what) {
    if (!ok) throw Error(ErrorCode::invalid_option, what);
  };
  bool all_filled =
      !space.methods.empty() && !space.max_epochs.empty() && !space.rules.empty() && !space.reference_scores.empty();
  for_each_list(space, [&](const auto& values, auto) { all_filled = all_filled && !values.empty(); });
  need(all_filled, "a list of the search space is empty; give at least one value");
  need(std::adjacent_find(space.max_epochs.begin(), space.max_epochs.end(), std::greater_equal<>()) ==
           space.max_epochs.end(),
       "max_epochs of the search space must ascend");
  need(std::find(space.reference_scores.begin(), space.reference_scores.end(), ReferenceScores::automatic) ==
           space.reference_scores.end(),
       "reference_scores of the search space must be training or out_of_sample");
}

}  // namespace xofm::detail
