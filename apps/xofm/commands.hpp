// The commands of the program. Each registers its options and hands back what to run.
#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace xofm::app {

// Settings of the whole program, given before or after the command.
struct Common {
  bool quiet = false;
  int threads = 0;
  bool force = false;      // outputs may replace inputs
  bool raw_cells = false;  // CSV: names and classes as they are, even if a spreadsheet would run them
};

// Returns the exit status.
using Run = std::function<int()>;

// Each command sets `run` when it has been chosen.
void add_fit(CLI::App& app, const Common& common, Run& run);
void add_predict(CLI::App& app, const Common& common, Run& run);
void add_evaluate(CLI::App& app, const Common& common, Run& run);
void add_check(CLI::App& app, const Common& common, Run& run);
void add_monitor(CLI::App& app, const Common& common, Run& run);
void add_validate(CLI::App& app, const Common& common, Run& run);
void add_explain(CLI::App& app, const Common& common, Run& run);
void add_compare(CLI::App& app, const Common& common, Run& run);
void add_compare_methods(CLI::App& app, const Common& common, Run& run);
void add_path(CLI::App& app, const Common& common, Run& run);
void add_tune(CLI::App& app, const Common& common, Run& run);
void add_show(CLI::App& app, const Common& common, Run& run);
void add_report(CLI::App& app, const Common& common, Run& run);
void add_export(CLI::App& app, const Common& common, Run& run);
void add_edit(CLI::App& app, const Common& common, Run& run);
void add_audit(CLI::App& app, const Common& common, Run& run);
void add_seal(CLI::App& app, const Common& common, Run& run);
void add_generate(CLI::App& app, const Common& common, Run& run);
void add_option_docs(CLI::App& app, const Common& common, Run& run);

enum ExitStatus : int {
  exit_ok = 0,
  exit_internal = 1,
  exit_usage = 2,
  exit_data = 3,
  exit_model = 4,
  exit_io = 5,
  exit_shifted = 6,   // monitor: a threshold is passed
  exit_diverged = 7,  // training has left no usable model
  exit_interrupted = 130,
};

}  // namespace xofm::app
