// The recipes that a search tries.
#pragma once

#include <vector>

#include "core/base/random.hpp"
#include "xofm/tune.hpp"

namespace xofm::detail {

// The first value of every list; the method is the first other than boost, if there is one.
Recipe starting_recipe(const SearchSpace& space);

// Boosting, if the space has it, on all fine knots (trees choose among them), and of curves alone if there may be such:
// few, since trees have little else to set.
std::vector<Recipe> boosted_recipes(const SearchSpace& space);

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

// The space without what these rows and options have no use for: boosting where there are directions or penalties that
// it cannot keep, spikes where no value is frequent.
SearchSpace suited(SearchSpace space, const Dataset& data, const TrainOptions& base);

// The space without what seldom pays on large data, as far as that leaves a choice: coarse curves, rough penalties,
// weights. Training may take twice as long.
SearchSpace narrowed(SearchSpace space);

// Throws Error{invalid_option} unless there is something to try.
void check(const SearchSpace& space);

}  // namespace xofm::detail
