// How a search is cut to the size of the data.
//
// On small data every recipe is trained without each fold in turn, and the model averages these fits: rows are dear,
// time is not. On large data it is the other way round. A fifth of the rows, held out, tells recipes apart well enough;
// of very many rows a sample does, and the recipes chosen are then trained on all rows. Few rows of very many
// attributes lie between: folds as long as they can be afforded, and the whole space.
#pragma once

#include <cstddef>

#include "xofm/options.hpp"

namespace xofm::detail {

struct SearchPlan {
  bool holds_out = false;  // one part of the rows judges the recipes, instead of each fold in turn
  bool has_many_rows = false;
  double sample_share = 1;  // of the rows that the search looks at
  std::size_t most_parts = 6;
};

SearchPlan plan_search(const Dataset& data, const SearchOptions& options);

// Rows x (attributes + 10): what a pass of training costs, about 2e-8 s on two cores.
double pass_cost(const Dataset& data);

}  // namespace xofm::detail
