// How a search is cut to the size of the data.
//
// On small data every recipe is trained without each fold in turn, and the model averages many refits: rows are dear,
// time is not. On large data it is the other way round. A fifth of the rows, held out, tells recipes apart well enough;
// of very many rows a sample does. What can be afforded then decides how many fits the model is the average of. Few
// rows of very many attributes lie between: folds as long as they can be afforded, and the whole space.
#pragma once

#include <cstddef>

#include "xofm/tune.hpp"

namespace xofm::detail {

struct SearchPlan {
  double pass_cost = 0;    // of one pass over all rows, see pass_cost()
  bool holds_out = false;  // one part of the rows judges the recipes, instead of each fold in turn
  bool has_many_rows = false;
  double sample_share = 1;  // of the rows that the search looks at
  std::size_t most_parts = 6;

  // Whether training so many passes over all rows is quick enough to be done without being asked for.
  bool affords(double passes) const;
};

SearchPlan plan_search(const Dataset& data, const TuneOptions& options);

// Rows x (attributes + 10): what a pass of training costs, about 2e-8 s on two cores.
double pass_cost(const Dataset& data);

}  // namespace xofm::detail
