// The options of a search, for the commands that make one; and what the user sees of it.
#pragma once

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "commands.hpp"
#include "fit_options.hpp"
#include "xofm/tune.hpp"

namespace xofm::app {

struct TuneArguments {
  std::optional<Aim> metric;
  double pass_budget = 0;
  double time_limit = 0;
  bool best = false;
};

// --metric, --budget and --take-best.
void add_tune_options(CLI::App& app, TuneArguments& arguments);

// What the user has fixed is not searched. `app` tells which options were given.
TuneOptions tune_options(const CLI::App& app, const TuneArguments& arguments, const TrainOptions& options);

// Searches with a progress bar; Ctrl-C takes the best so far.
TuneResult run_search(const Dataset& data, const TrainOptions& base, const TuneOptions& options, bool show_progress);

// The finalists and the best of the others.
void print_tried(const TuningRecord& record, std::size_t count);

// All that was tried, as CSV.
std::string tried_csv(const TuningRecord& record);

// One line: what was chosen and what was spent.
std::string choice_text(const TuningRecord& record);

}  // namespace xofm::app
