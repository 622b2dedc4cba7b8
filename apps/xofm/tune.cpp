// xofm tune: which options suit the data, without training the model.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "io/output_file.hpp"
#include "io/record_blocks.hpp"
#include "search_options.hpp"
#include "search_text.hpp"
#include "terminal.hpp"
#include "xofm/csv.hpp"
#include "xofm/names.hpp"

namespace xofm::app {

namespace {

struct Arguments {
  FitArguments fit;
  std::string table;
};

void print_result(const SearchResult& result, bool is_quiet) {
  const SearchRecord& record = result.record;
  if (result.validation.trial_count == 0) {
    fmt::print("{} before any recipe was judged; nothing was chosen.\n",
               record.out_of_time ? "The time was up (--budget)" : "Stopped");
    return;
  }
  fmt::print("{}.\n\n", choice_text(record, result.interrupted));
  print_tried(record, is_quiet ? 0 : 20);
  if (record.tried.front().margin > 0) {
    fmt::print(
        "\nloss: {} in {} folds; segments and margin are chosen by it as in the paper, nothing else.\n"
        "xofm fit --tune with the same rows and options makes this choice and trains the model.\n",
        record.aim == Aim::mae ? "mean absolute error" : "share of errors", record.fold_count);
    return;
  }
  fmt::print(
      "\nThe model is the average of the recipes with a share; classes by rule {}, reference scores {}.\n"
      "loss: {}, on rows that the fit had not seen; together {:.4f}.\n",
      name_of(result.options.assignment.rule), name_of(result.options.assignment.reference_scores),
      record.aim == Aim::mae ? "ranked probability score" : "log loss", record.loss);
  const ValidationSummary& validation = result.validation;
  fmt::print("On unseen rows, {}: accuracy {:.3f}, MAE {:.3f}.\n",
             validation.trial_count == 1 ? "a part of all" : fmt::format("{} folds", validation.trial_count),
             validation.metrics[0].mean, validation.metrics[1].mean);
  fmt::print(
      "\nxofm fit with the same rows and options makes this search and trains the model;\n"
      "xofm fit --options-of model.json trains others like it without a search.\n");
}

int run_tune(const CLI::App& app, const Arguments& arguments, const Common& common) {
  if (!arguments.table.empty()) const detail::OutputFile probe(arguments.table);
  const TrainOptions base = train_options(arguments.fit);
  const Dataset data = read_csv(arguments.fit.data, csv_options(arguments.fit));
  const FitOptions options = fit_options(app, arguments.fit, base, data);
  SearchResult result;
  {
    const bool shows_progress = !common.quiet && !arguments.fit.json;
    const InterruptGuard guard(shows_progress ? stopping_text : "");
    ProgressBar bar("tune", shows_progress);
    result = search(data, options.train, *options.search, [&](const Progress& progress) {
      bar.update(progress.share, progress_text(progress));
      return !InterruptGuard::interrupted();
    });
  }
  if (!arguments.table.empty()) {
    detail::OutputFile table(arguments.table);
    table.write(tried_csv(result.record));
    table.commit();
  }
  if (arguments.fit.json) {
    nlohmann::ordered_json json = {{"interrupted", result.interrupted},
                                   {"search", detail::search_to_json(result.record)}};
    if (result.validation.trial_count > 0) json["validation"] = detail::validation_to_json(result.validation);
    fmt::print("{}\n", json_text(json.dump()));
  } else {
    print_result(result, common.quiet);
  }
  return result.interrupted ? exit_interrupted : exit_ok;
}

}  // namespace

void add_tune(CLI::App& app, const Common& common, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  arguments->fit.tune = true;
  CLI::App* const tune = app.add_subcommand("tune", "Search for the options that suit the data, by cross-validation");
  tune->footer(
      R"(What is given is fixed; all else is searched: method, knots, segments, factors, penalties, pair weighting, epochs.
xofm fit does the same search by itself unless the data are very large. With --preset paper segments and margin are
chosen by the folds, as in the paper, and nothing else.

Examples:
  xofm tune train.csv --label class
  xofm tune train.csv --aim accuracy --table tried.csv
  xofm tune train.csv --factor-count 0 --budget 60s
  xofm tune train.csv --preset paper)");
  tune->add_option("data", arguments->fit.data,
                   "Training rows: CSV with a header, also .gz or .zst; - for standard input")
      ->required()
      ->type_name("FILE");
  tune->add_option("--table", arguments->table, "Where all that was tried goes, as CSV")->type_name("FILE");
  tune->add_flag("--json", arguments->fit.json, "Print what was tried and chosen as JSON");
  add_search_options(*tune, arguments->fit);
  add_data_options(*tune, arguments->fit);
  add_training_options(*tune, arguments->fit);
  tune->callback([tune, arguments, &common, &run] {
    check_search_choice(*tune, arguments->fit);
    run = [tune, arguments, &common] { return run_tune(*tune, *arguments, common); };
  });
}

}  // namespace xofm::app
