// The options of xofm fit that other commands which train share, and what they make of a preset.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "options.hpp"
#include "xofm/csv.hpp"
#include "xofm/fit.hpp"

namespace xofm::app {

struct FitArguments {
  std::string data;
  std::string output = "model.json";
  CsvOptions csv;
  Dialect dialect;
  std::string preset = "default";
  std::string options_of;  // a model file whose options take the place of a preset's
  // Changes to the preset's options and to those of a search, in the order given.
  std::vector<std::function<void(TrainOptions&)>> changes;
  std::vector<std::function<void(SearchOptions&)>> search_changes;
  std::vector<std::string> recipe_flags;  // those given that are part of a recipe
  bool has_pairs = false;                 // --pairs was given
  std::string warm_start;
  double holdout = 0;
  std::string descriptions;
  int bands = 0;  // refits; 0: no bands
  bool json = false;
  std::optional<bool> tune;  // --tune or --no-tune, if given
};

void add_data_options(CLI::App& fit, FitArguments& arguments);

// All that training may be told: the table of options, and what does not fit into it.
void add_training_options(CLI::App& fit, FitArguments& arguments);

// --options-of: the options of a model, for new rows or for a validation.
void add_options_of(CLI::App& fit, FitArguments& arguments);

// What makes no sense for many fits: a holdout, and a warm start that may know the rows held out.
void add_single_fit_options(CLI::App& fit, FitArguments& arguments);

// What a model carries for people beside what it needs to predict: --descriptions and --bands.
void add_explanation_options(CLI::App& fit, FitArguments& arguments);
void check_bands(const FitArguments& arguments);
void describe_attributes(Schema& schema, const FitArguments& arguments);

// Refuses options that a warm start would silently override.
void check_warm_start(const CLI::App& fit, const FitArguments& arguments);

// A line per remark of the reader, as people read it; empty if there are none.
std::string remarks_text(const Dataset& data);

// How to read the rows; empty cells are missing whatever --missing says.
CsvOptions csv_options(const FitArguments& arguments);

// The preset, or the options of a model, with the user's changes.
TrainOptions train_options(const FitArguments& arguments);

}  // namespace xofm::app
