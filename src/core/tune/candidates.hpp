// The recipes that a search tries.
#pragma once

#include <vector>

#include "core/base/random.hpp"
#include "xofm/model.hpp"

namespace xofm::detail {

// The first value of every list; the method is the first with many settings, if there is one. What has no list is taken
// from `base`.
Recipe starting_recipe(const SearchSpace& space, const Recipe& base = {});

// Methods with few settings, if the space has any, on all fine knots (trees choose among them), and of curves alone if
// there may be such.
std::vector<Recipe> plain_recipes(const SearchSpace& space, const Recipe& base = {});

// The start, and all that differ from it in one list.
std::vector<Recipe> single_changes(const SearchSpace& space, const Recipe& base = {});

// The recipe with some of its values, about four in ten, drawn anew from their lists. Smaller steps would give recipes
// that err alike, and the average lives on those that do not.
Recipe mutated(const Recipe& recipe, const SearchSpace& space, Random& random);

// Whether two recipes train the same model: without factors their penalty and start do not matter.
bool is_same_model(const Recipe& a, const Recipe& b);

// The space without what these rows and options have no use for: methods that cannot keep directions or penalties that
// are asked for, spikes where no value is frequent.
SearchSpace suited(SearchSpace space, const Dataset& data, const TrainOptions& base);

// The space without what seldom pays on large data, as far as that leaves a choice: coarse curves, rough penalties,
// weights. Training may take twice as long.
SearchSpace narrowed(SearchSpace space);

}  // namespace xofm::detail
