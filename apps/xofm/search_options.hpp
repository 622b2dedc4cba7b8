// The options of a search, for the commands that make one.
#pragma once

#include <CLI/App.hpp>

#include "fit_options.hpp"

namespace xofm::app {

// --budget and the table's options of a search.
void add_search_options(CLI::App& app, FitArguments& arguments);

// --tune and --no-tune, for commands that can do without a search.
void add_search_choice(CLI::App& app, FitArguments& arguments);
// Refuses options that contradict a search, or that only a search has; the paper's choice is none of that kind.
void check_search_choice(const CLI::App& app, const FitArguments& arguments);

// What xofm fit does with these rows: a search unless it was forbidden, would be slow, or has nothing to do with the
// way of training asked for.
FitOptions fit_options(const CLI::App& app, const FitArguments& arguments, const TrainOptions& train,
                       const Dataset& data);

}  // namespace xofm::app
