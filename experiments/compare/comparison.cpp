// Tables 3 and 4 of the paper: all methods on all data sets, on the same random splits.
#include <fmt/format.h>

#include <algorithm>

#include "baselines/registry.hpp"
#include "baselines/results.hpp"
#include "baselines/table.hpp"
#include "data_files.hpp"
#include "io/output_file.hpp"
#include "io/trials_csv.hpp"
#include "paper_figures.hpp"
#include "run.hpp"
#include "xofm/csv.hpp"

namespace xofm::compare {

namespace {

std::optional<double> figure_of(const std::string& method, const std::string& set, baselines::Measure measure) {
  const auto figure = experiments::paper_figure(method == "XOFM paper" ? "XOFM" : method, set);
  if (!figure) return std::nullopt;
  return measure == baselines::Measure::accuracy ? figure->accuracy : figure->mae;
}

// The same splits as those of xofm_accuracy.
std::vector<baselines::ComparedSet> read_sets(const Arguments& arguments) {
  std::vector<baselines::ComparedSet> sets;
  for (const auto& path : experiments::data_files(arguments.folder, arguments.sets)) {
    baselines::ComparedSet& set = sets.emplace_back();
    set.name = path.stem().string();
    set.data = read_csv(path.string());
    set.trials = holdout_trials(set.data, 0.2, arguments.splits, arguments.seed);
    detail::OutputFile file(fmt::format("{}/splits_{}_seed_{}.csv", arguments.output, set.name, arguments.seed));
    detail::write_trials(file, set.trials);
    file.commit();
  }
  return sets;
}

}  // namespace

int run_comparison(const Arguments& arguments) {
  const auto contenders = baselines::select(baselines::contenders(), arguments.methods);
  std::filesystem::create_directories(arguments.output);
  const std::vector<baselines::ComparedSet> sets = read_sets(arguments);
  std::vector<std::string> methods;
  for (const auto& contender : contenders) methods.push_back(contender.name);
  const auto outside = baselines::read_outside(arguments.outside, sets, methods);
  for (const auto& score : outside) {
    if (std::find(methods.begin(), methods.end(), score.method) == methods.end()) methods.push_back(score.method);
  }
  const std::string csv = fmt::format("{}/results_seed_{}.csv", arguments.output, arguments.seed);
  std::vector<baselines::TrialScore> scores = baselines::read_scores(csv);
  const auto table = [&] {
    auto all = scores;
    all.insert(all.end(), outside.begin(), outside.end());
    return baselines::tabulate(methods, sets, all, baselines::reference_name);
  };
  const auto write_tables = [&] {
    write_text(arguments.output + "/comparison.md", baselines::markdown(table(), figure_of));
    write_text(arguments.output + "/comparison.tex", baselines::latex(table(), figure_of));
  };
  write_tables();
  const bool finished = run_jobs(sets, contenders, arguments, scores, [&] {
    baselines::write_scores(csv, scores);
    write_tables();
  });
  fmt::print("{}", baselines::markdown(table(), figure_of));
  return finished ? 0 : 130;
}

}  // namespace xofm::compare
