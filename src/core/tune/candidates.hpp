// The recipes that a search tries.
#pragma once

#include <vector>

#include "core/base/random.hpp"
#include "xofm/tune.hpp"

namespace xofm::detail {

// The first value of every list.
Recipe starting_recipe(const SearchSpace& space);

// The start, and all that differ from it in one list.
std::vector<Recipe> single_changes(const SearchSpace& space);

// The recipe with some of its values, about four in ten, drawn anew from their lists. Smaller steps would breed
// recipes that err alike, and the blend lives on those that do not.
Recipe mutated(const Recipe& recipe, const SearchSpace& space, Random& random);

// Whether two recipes train the same model: without factors their penalty and start do not matter.
bool is_same_model(const Recipe& a, const Recipe& b);

// Kinds of models that a reader tells apart, simplest first: curves alone before pairs, monotone before free.
struct Kind {
  bool has_pairs = false;
  double auto_direction = 0;
};
std::vector<Kind> kinds(const SearchSpace& space);

// Whether a model of this kind may have a part by this recipe.
inline bool admits(const Kind& kind, const Recipe& recipe) {
  return recipe.auto_direction == kind.auto_direction && (kind.has_pairs || recipe.factor_count == 0);
}

// Throws Error{invalid_option} unless there is something to try.
void check(const SearchSpace& space);

}  // namespace xofm::detail
