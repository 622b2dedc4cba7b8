// What the user sees of a search, of recipes and of long work.
#pragma once

#include <string>

#include "xofm/fit.hpp"

namespace xofm::app {

// "quantile knots, 30 segments, 8 factors, increment_penalty 0.0001, ..."; what is rarely set only where it is.
std::string recipe_text(const Recipe& recipe);

// "40 recipes, 12500 training passes", and the recipes of the average, line by line.
std::string choice_text(const SearchRecord& record, bool interrupted);

// The recipes of the average and the best of the others, as a table.
void print_tried(const SearchRecord& record, std::size_t count);

// All that was tried, as CSV.
std::string tried_csv(const SearchRecord& record);

// The note beside a progress bar.
std::string progress_text(const Progress& progress);

}  // namespace xofm::app
