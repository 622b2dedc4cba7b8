// xofm_accuracy DATA_FOLDER: accuracy and MAE on random 80/20 splits of every CSV file in a folder.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>

#include "data_files.hpp"
#include "results.hpp"
#include "xofm/csv.hpp"
#include "xofm/error.hpp"
#include "xofm/names.hpp"

namespace {

using namespace xofm;
using namespace xofm::accuracy;

struct Arguments {
  std::string folder;
  std::string output = "build/accuracy";
  std::string protocol = "strict";
  std::vector<std::string> sets;
  int splits = 30;
  std::uint64_t seed = 1;
  double budget = 0;
  std::vector<std::string> methods;
};

void run(const Arguments& arguments) {
  const Protocol protocol = arguments.protocol == "paper" ? Protocol::paper : Protocol::strict;
  const auto files = experiments::data_files(arguments.folder, arguments.sets);
  std::filesystem::create_directories(arguments.output);
  const std::string csv = fmt::format("{}/{}.csv", arguments.output, arguments.protocol);
  const std::string table = fmt::format("{}/{}.md", arguments.output, arguments.protocol);
  std::vector<Result> results = read_results(csv);
  const auto start = std::chrono::steady_clock::now();
  std::size_t place = 0;
  const std::size_t total = files.size() * static_cast<std::size_t>(arguments.splits);
  for (const auto& file : files) {
    const std::string name = file.stem().string();
    const Dataset data = read_csv(file.string());
    const std::vector<Trial> splits = holdout_trials(data, 0.2, arguments.splits, arguments.seed);
    write_splits(fmt::format("{}/splits_{}_seed_{}.csv", arguments.output, name, arguments.seed), splits);
    const auto done = [&](std::size_t split) {
      return std::any_of(results.begin(), results.end(),
                         [&](const Result& r) { return r.set == name && r.split == split; });
    };
    TrainOptions paper_options;
    SearchOptions search{.pass_budget = arguments.budget};
    if (!arguments.methods.empty()) search.space.methods.clear();
    for (const std::string& method : arguments.methods) {
      search.space.methods.push_back(from_name<Optimizer>(method).value());
    }
    bool chosen = false;
    for (std::size_t s = 0; s < splits.size(); ++s) {
      ++place;
      if (done(s + 1)) continue;
      if (protocol == Protocol::paper && !chosen) {
        paper_options = choose_as_paper(data);
        chosen = true;
      }
      Result result = run_split(data, splits[s], protocol, search, paper_options);
      result.set = name;
      result.split = s + 1;
      results.push_back(result);
      write_results(csv, results);
      std::ofstream(table) << markdown_table(results, protocol);
      const double minutes = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 60;
      fmt::print(stderr, "{} {}/{}: accuracy {:.3f}, MAE {:.3f}, {:.1f} s; {} of {} in all, {:.1f} min\n", name, s + 1,
                 splits.size(), result.accuracy, result.mae, result.seconds, place, total, minutes);
    }
  }
  fmt::print("{}", markdown_table(results, protocol));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Accuracy and MAE on random 80/20 splits of every CSV file in a folder; the label is the last column.\n"
      "A run that was stopped goes on where it was: remove the output folder to start anew.");
  Arguments arguments;
  app.add_option("folder", arguments.folder, "Folder with the data sets")->required();
  app.add_option("-o,--output", arguments.output, "Folder for results, tables and splits")->capture_default_str();
  app.add_option("--protocol", arguments.protocol,
                 "strict: options chosen anew inside every learning part; paper: once, by cross-validation of all rows")
      ->check(CLI::IsMember({"strict", "paper"}))
      ->capture_default_str();
  app.add_option("--sets", arguments.sets, "Only these, by file name without ending")->delimiter(',');
  app.add_option("--splits", arguments.splits, "Splits per data set")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  app.add_option("--budget", arguments.budget, "Training passes of each search; 0: by the size of the data")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--methods", arguments.methods, "Methods that each search may take; default: those of xofm fit")
      ->delimiter(',')
      ->check(CLI::IsMember({"lbfgs", "boost", "sgd", "gibbs"}));
  app.add_option("--seed", arguments.seed, "Of the splits")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    run(arguments);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "xofm_accuracy: {}\n", error.what());
    return 1;
  }
}
