// xofm_compare DATA_FOLDER: the methods of the paper's tables on every CSV file in a folder.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <exception>

#include "run.hpp"

int main(int argc, char** argv) {
  CLI::App app(
      "Accuracy and MAE of all methods on the same random 80/20 splits of every CSV file in a folder; the label is the "
      "last column.\nEverything is chosen inside the learning part of each split, within the same core seconds for "
      "all.\nA run that was stopped goes on where it was: remove the output folder to start anew.");
  xofm::compare::Arguments arguments;
  app.add_option("folder", arguments.folder, "Folder with the data sets")->required();
  app.add_option("-o,--output", arguments.output, "Folder for results, tables and splits")->capture_default_str();
  app.add_option("--methods", arguments.methods, "Only these, by the names in the tables")->delimiter(',');
  app.add_option("--sets", arguments.sets, "Only these, by file name without ending")->delimiter(',');
  app.add_option("--splits", arguments.splits, "Splits per data set")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--seed", arguments.seed, "Of the splits")->capture_default_str();
  app.add_option("--cap", arguments.cap, "Core seconds for each method on each split")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--threads", arguments.threads, "Methods that run at the same time; 0: one per core")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--outside", arguments.outside,
                 "CSV with predictions of other programs on the exported splits: method,set,trial,row,class");
  app.add_flag("--supplement", arguments.supplement,
               "Instead: the supplement's table, monotone XOFM against UTADIS with 1 to 5 segments by five-fold "
               "cross-validation of one set, chinese_university unless --sets says otherwise");
  CLI11_PARSE(app, argc, argv);
  try {
    const xofm::compare::StopBySignal guard;
    return arguments.supplement ? xofm::compare::run_supplement(arguments) : xofm::compare::run_comparison(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "xofm_compare: {}\n", error.what());
    return 1;
  }
}
