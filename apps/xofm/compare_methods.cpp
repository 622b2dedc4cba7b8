// xofm compare-methods: XOFM and the methods of the literature on a user's own rows.
#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "fit_options.hpp"
#include "options.hpp"
#include "xofm/error.hpp"
#ifdef XOFM_HAS_BASELINES
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "baselines/registry.hpp"
#include "baselines/results.hpp"
#include "baselines/table.hpp"
#include "io/csv_read.hpp"
#include "io/csv_text.hpp"
#include "io/output_file.hpp"
#include "io/trials_csv.hpp"
#include "terminal.hpp"
#endif

namespace xofm::app {

namespace {

struct CompareMethodsArguments {
  FitArguments fit;
  std::vector<std::string> methods;
  int splits = 10;
  std::uint64_t seed = 1;
  double cap = 20;
  std::vector<std::string> outside;
  std::string splits_out;
  bool latex = false;
};

void check_arguments(const CompareMethodsArguments& a) {
  const auto refuse = [](const std::string& message) { throw Error(ErrorCode::invalid_option, message); };
  if (a.splits < 1 || a.splits > 10000) refuse(fmt::format("--splits is {}; it must be 1 to 10000", a.splits));
  if (!(a.cap > 0)) refuse(fmt::format("--cap is {}; it must be above 0", a.cap));
  if (a.fit.json && a.latex) refuse("--json and --latex are two forms of the table; choose one");
}

#ifdef XOFM_HAS_BASELINES

using Json = nlohmann::ordered_json;
using baselines::TrialScore;

Json number_json(double value) { return std::isnan(value) ? Json() : Json(value); }

Json cell_json(const baselines::Cell& cell, double rank) {
  return {{"mean", number_json(cell.mean)},
          {"spread", number_json(cell.spread)},
          {"p", number_json(cell.p)},
          {"rank", number_json(rank)}};
}

void print_json(const baselines::ComparisonTable& table, const std::vector<TrialScore>& scores, bool interrupted) {
  Json json = {{"reference", table.reference},
               {"interrupted", interrupted},
               {"methods", Json::array()},
               {"trials", Json::array()}};
  for (const auto& row : table.rows) {
    json["methods"].push_back({{"method", row.method},
                               {"split_count", row.accuracy[0].count},
                               {"accuracy", cell_json(row.accuracy[0], row.accuracy_rank)},
                               {"mae", cell_json(row.mae[0], row.mae_rank)},
                               {"core_seconds", number_json(row.core_seconds[0].mean)},
                               {"cut_count", row.cut_counts[0]}});
  }
  for (const TrialScore& score : scores) {
    json["trials"].push_back({{"method", score.method},
                              {"trial", score.trial},
                              {"accuracy", score.accuracy},
                              {"mae", score.mae},
                              {"core_seconds", number_json(score.core_seconds)},
                              {"cut", score.cut},
                              {"setting", score.setting}});
  }
  fmt::print("{}\n", json_text(json.dump()));
}

std::string difference_text(const baselines::Cell& cell) {
  if (cell.mark != 0) return cell.mark < 0 ? "worse" : "better";
  return std::isnan(cell.p) ? "" : "like it";
}

std::string figure_text(const baselines::Cell& cell) {
  if (cell.count == 0) return "-";
  const std::string spread = std::isnan(cell.spread) ? "" : fmt::format(" ± {:.3f}", cell.spread);
  return fmt::format("{}{:.3f}{}", cell.best ? "*" : " ", cell.mean, spread);
}

void print_table(const baselines::ComparisonTable& table, const Dataset& data, int split_count) {
  fmt::print("{}, {}, {} classes of '{}'; {}, 80 % to learn from, judged on the others.\n\n",
             counted(data.row_count(), "row"), counted(data.attribute_count(), "attribute"), data.schema.class_count(),
             printable(data.schema.label_name), counted(static_cast<std::size_t>(split_count), "random split"));
  std::size_t width = 12;
  for (const auto& row : table.rows) width = std::max(width, std::min<std::size_t>(display_width(row.method) + 1, 30));
  fmt::print("{} {:>6}  {} {:>6}  {} {:>6} {:>12}\n", fit_width("method", width), "splits", fit_width(" accuracy", 15),
             "", fit_width(" MAE", 15), "", "core seconds");
  for (const auto& row : table.rows) {
    const double seconds = row.core_seconds[0].mean;
    fmt::print("{} {:>6}  {} {} {} {} {:>12}{}\n", fit_width(row.method, width), row.accuracy[0].count,
               fit_width(figure_text(row.accuracy[0]), 15), fit_width(difference_text(row.accuracy[0]), 7),
               fit_width(figure_text(row.mae[0]), 15), fit_width(difference_text(row.mae[0]), 7),
               std::isnan(seconds) ? "-" : fmt::format("{:.1f}", seconds),
               row.cut_counts[0] > 0 ? fmt::format("  cut by --cap in {}", row.cut_counts[0]) : "");
  }
  fmt::print(
      "\n* best{}\n",
      table.reference.empty()
          ? ""
          : fmt::format("; better, worse: than {}, at p < 0.05 by the corrected resampled t-test", table.reference));
}

baselines::ComparedSet read_set(const CompareMethodsArguments& a) {
  const detail::Text text(a.fit.data, a.fit.dialect.encoding);
  baselines::ComparedSet set;
  set.name = a.fit.data == "-" ? "data" : std::filesystem::path(a.fit.data).stem().string();
  set.data = detail::read_training_text(text.view(), detail::input_name(a.fit.data), csv_options(a.fit));
  set.trials = holdout_trials(set.data, 0.2, a.splits, a.seed);
  check(set.trials, set.data);
  return set;
}

int run_compare_methods(const CompareMethodsArguments& a, const Common& common) {
  check_arguments(a);
  const auto contenders = baselines::select(baselines::contenders(), a.methods);
  if (!a.splits_out.empty() && a.splits_out != "-") const detail::OutputFile probe(a.splits_out);
  const std::vector<baselines::ComparedSet> sets = {read_set(a)};
  std::vector<std::string> methods;
  for (const auto& contender : contenders) methods.push_back(contender.name);
  const std::vector<TrialScore> outside = baselines::read_outside(a.outside, sets, methods);
  for (const TrialScore& score : outside) {
    if (std::find(methods.begin(), methods.end(), score.method) == methods.end()) methods.push_back(score.method);
  }
  if (!a.splits_out.empty()) {
    detail::OutputFile file(a.splits_out);
    detail::write_trials(file, sets[0].trials);
    file.commit();
    if (a.splits_out == "-") return exit_ok;
  }
  std::vector<TrialScore> scores;
  std::vector<std::string> failures;
  bool interrupted = false;
  {
    const bool shows_progress = !common.quiet && !a.fit.json;
    const InterruptGuard guard(shows_progress ? stopping_text : "");
    ProgressBar bar("compare-methods", shows_progress);
    failures = baselines::run_comparison(
        sets, contenders,
        {.core_seconds = a.cap, .threads = common.threads, .seed = 1, .stop = InterruptGuard::interrupted}, scores,
        [&](const TrialScore& score, const baselines::ComparisonProgress& progress) {
          bar.update(static_cast<double>(progress.finished_count) / static_cast<double>(progress.job_count),
                     fmt::format("{} of {}, {} split {}", progress.finished_count, progress.job_count, score.method,
                                 score.trial));
        });
    interrupted = InterruptGuard::interrupted();
  }
  scores.insert(scores.end(), outside.begin(), outside.end());
  auto table = baselines::tabulate(methods, sets, scores, baselines::reference_name);
  if (a.fit.json) {
    print_json(table, scores, interrupted);
  } else if (a.latex) {
    for (auto& set : table.sets) set = printable(set);
    for (auto& row : table.rows) row.method = printable(row.method);
    fmt::print("{}", baselines::latex(table));
  } else {
    print_table(table, sets[0].data, a.splits);
  }
  if (!failures.empty()) {
    throw Error(ErrorCode::invalid_data, fmt::format("{} of the fits failed; {}", failures.size(), failures.front()));
  }
  return interrupted ? exit_interrupted : exit_ok;
}

#else

int run_compare_methods(const CompareMethodsArguments& arguments, const Common& /*common*/) {
  check_arguments(arguments);
  throw Error(ErrorCode::invalid_option,
              "this build has no other methods; build with CLP and libsvm: cmake -DXOFM_BASELINES=ON");
}

#endif

}  // namespace

void add_compare_methods(CLI::App& app, const Common& common, Run& run) {
  auto arguments = std::make_shared<CompareMethodsArguments>();
  CLI::App* const compare = app.add_subcommand("compare-methods", "Measure XOFM beside other methods on your rows");
  compare->footer(
      R"(Every method learns from the same random 80 % of the rows and is judged on the others; its settings are chosen inside
the rows to learn from, within --cap core seconds. Methods run at the same time, within --threads. Predictions of other
programs on the same splits join the table: see docs/guide/compare-methods.md.

Examples:
  xofm compare-methods train.csv --label class
  xofm compare-methods train.csv --methods POM,SVR,XOFM --splits 30 --cap 60
  xofm compare-methods train.csv --splits-out splits.csv --outside forest.csv
  xofm compare-methods train.csv --latex > table.tex)");
  compare
      ->add_option("data", arguments->fit.data,
                   "Labelled rows: CSV with a header, also .gz or .zst; - for standard input")
      ->required()
      ->type_name("FILE");
  add_list(*compare, "--methods", arguments->methods, "Only these; a wrong name lists them (default: all)");
  add_number(*compare, "--splits", arguments->splits, "Random splits, stratified by class");
  add_number(*compare, "--seed", arguments->seed, "Of the splits: the same seed gives the same ones");
  add_number(*compare, "--cap", arguments->cap, "Core seconds for each method on each split");
  compare
      ->add_option("--outside", arguments->outside,
                   "CSV with predictions of other programs: method, trial, row and class (repeatable)")
      ->allow_extra_args(false)
      ->type_name("FILE");
  compare
      ->add_option("--splits-out", arguments->splits_out,
                   "Where the splits go, as CSV: trial, row, part; -: to standard output, and nothing is run")
      ->type_name("FILE");
  compare->add_flag("--json", arguments->fit.json, "Print the figures, of every split too, as JSON");
  compare->add_flag("--latex", arguments->latex, "Print the tables for LaTeX");
  add_data_options(*compare, arguments->fit);
  compare->remove_option(compare->get_option("--weight"));  // the other methods know none
  compare->callback(
      [arguments, &common, &run] { run = [arguments, &common] { return run_compare_methods(*arguments, common); }; });
}

}  // namespace xofm::app
