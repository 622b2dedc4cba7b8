#include "core/tune/candidates.hpp"

#include <algorithm>
#include <functional>

#include "core/options/fields.hpp"
#include "core/train/learner.hpp"

namespace xofm::detail {

namespace {

template <class Value>
bool has(const std::vector<Value>& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool has_few_settings(Optimizer method) { return traits_of(method).has_few_settings; }

}  // namespace

Recipe starting_recipe(const SearchSpace& space, const Recipe& base) {
  Recipe start = base;
  for_each_varied([&](auto list, auto member) { start.*member = (space.*list).front(); });
  start.max_epochs = space.max_epochs.front();
  const auto method = std::find_if_not(space.methods.begin(), space.methods.end(), has_few_settings);
  start.method = method != space.methods.end() ? *method : space.methods.front();
  return start;
}

std::vector<Recipe> plain_recipes(const SearchSpace& space, const Recipe& base) {
  constexpr int fine = 16;
  std::vector<Recipe> recipes;
  const int finest = *std::max_element(space.segment_counts.begin(), space.segment_counts.end());
  for (const Optimizer method : space.methods) {
    if (!has_few_settings(method)) continue;
    Recipe recipe = starting_recipe(space, base);
    recipe.method = method;
    recipe.sparsity_penalty = 0;
    const std::size_t first = recipes.size();
    for (const KnotPlacement knots : space.knots) {
      recipe.knots = knots;
      for (const int segment_count : space.segment_counts) {
        recipe.segment_count = segment_count;
        if (segment_count >= std::min(fine, finest)) recipes.push_back(recipe);
      }
    }
    if (recipe.factor_count > 0 && has(space.factor_counts, 0)) {
      recipe = recipes[first];
      recipe.factor_count = 0;
      recipes.push_back(recipe);
    }
  }
  return recipes;
}

std::vector<Recipe> single_changes(const SearchSpace& space, const Recipe& base) {
  const Recipe start = starting_recipe(space, base);
  std::vector<Recipe> recipes = {start};
  for_each_varied([&](auto list, auto member) {
    for (const auto& value : space.*list) {
      Recipe changed = start;
      changed.*member = value;
      const auto same = [&](const Recipe& other) { return is_same_model(other, changed); };
      if (std::none_of(recipes.begin(), recipes.end(), same)) recipes.push_back(changed);
    }
  });
  return recipes;
}

Recipe mutated(const Recipe& recipe, const SearchSpace& space, Random& random) {
  constexpr double change_share = 0.4;
  Recipe changed = recipe;
  for_each_varied([&](auto list, auto member) {
    const auto& values = space.*list;
    if (random.uniform() < change_share) changed.*member = values[random.below(values.size())];
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

SearchSpace suited(SearchSpace space, const Dataset& data, const TrainOptions& base) {
  const std::vector<Optimizer> methods = space.methods;
  const auto is_directed = [](const auto& entry) { return entry.second != Direction::none; };
  const auto& directions = base.attributes.directions;
  const bool has_directions = base.auto_direction > 0 || std::any_of(directions.begin(), directions.end(), is_directed);
  const bool has_penalties =
      base.smoothness_penalty > 0 || base.pair_penalty > 0 || !has(space.sparsity_penalties, 0.0);
  std::erase_if(space.methods, [&](Optimizer method) {
    const Traits& traits = traits_of(method);
    return (has_directions && !traits.keeps_directions) || (has_penalties && !traits.has_all_penalties);
  });
  if (space.methods.empty()) space.methods = methods;  // refused where they are trained, with the reason
  // With one segment per attribute, every further knot is one beside a frequent value.
  const auto coordinates = [&](double spike_share) {
    return fit_encoder(data, {.segment_count = 1, .spike_share = spike_share}).coordinate_count();
  };
  const std::size_t without = coordinates(0);
  const bool may_have_none = has(space.spike_shares, 0.0);
  std::erase_if(space.spike_shares,
                [&](double share) { return may_have_none && share > 0 && coordinates(share) == without; });
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

}  // namespace xofm::detail
