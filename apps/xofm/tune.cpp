// xofm tune: which options suit the data, without training the model.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "fit_options.hpp"
#include "io/choice_blocks.hpp"
#include "io/output_file.hpp"
#include "terminal.hpp"
#include "tune_options.hpp"
#include "xofm/csv.hpp"

namespace xofm::app {

namespace {

struct Arguments {
  FitArguments fit;
  TuneArguments tune;
  std::string table;
};

int run_tune(const CLI::App& app, const Arguments& arguments, const Common& common) {
  if (!arguments.table.empty()) const detail::OutputFile probe(arguments.table);
  const TrainOptions base = train_options(arguments.fit);
  const TuneOptions options = tune_options(app, arguments.tune, base);
  const Dataset data = read_csv(arguments.fit.data, csv_options(arguments.fit));
  TuneResult result;
  {
    const InterruptGuard guard;
    result = run_search(data, base, options, !common.quiet && !arguments.fit.json);
  }
  if (!arguments.table.empty()) {
    detail::OutputFile table(arguments.table);
    table.write(tried_csv(result.record));
    table.commit();
  }
  if (arguments.fit.json) {
    nlohmann::ordered_json json = {{"tuning", detail::tuning_to_json(result.record)}};
    if (result.validation.trial_count > 0) json["validation"] = detail::validation_to_json(result.validation);
    fmt::print("{}\n", json.dump());
  } else {
    fmt::print("{}.\n\n", choice_text(result.record));
    print_tried(result.record, common.quiet ? 0 : 20);
    fmt::print(
        "\nThe model is the average of the recipes with a share; classes by rule {}, reference scores {}.\n"
        "loss: {}, on rows that the fit had not seen; together {:.4f}.\n",
        name_of(result.options.assignment.rule), name_of(result.options.assignment.reference_scores),
        result.record.metric == Aim::mae ? "ranked probability score" : "log loss", result.record.loss);
    if (result.record.best_loss < result.record.loss) {
      fmt::print("A less simple kind of model had {:.4f}, not better by more than one standard error.\n",
                 result.record.best_loss);
    }
    if (result.validation.trial_count > 0) {
      const std::string rows = result.validation.trial_count == 1
                                   ? "a part of the rows"
                                   : fmt::format("{} folds", result.validation.trial_count);
      fmt::print("On {} that had no part in the choice: accuracy {:.3f}, MAE {:.3f}.\n", rows,
                 result.validation.metrics[0].mean, result.validation.metrics[1].mean);
    }
    fmt::print(
        "\nxofm fit with the same rows and options makes this search and trains the model;\n"
        "xofm fit --options-of model.json trains others like it without a search.\n");
  }
  return result.record.interrupted ? exit_interrupted : exit_ok;
}

}  // namespace

void add_tune(CLI::App& app, const Common& common, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* const tune =
      app.add_subcommand("tune", "Search for the options that suit the data, by what they are worth on rows held out");
  tune->footer(
      R"(What is given is fixed; all else is searched: knots, segments, factors, penalties, pair weighting, epochs,
directions, assignment rule. xofm fit does the same search by itself unless the data are very large.

Examples:
  xofm tune train.csv --label class
  xofm tune train.csv --metric accuracy --table tried.csv
  xofm tune train.csv --factor-count 0 --budget 60s)");
  tune->add_option("data", arguments->fit.data,
                   "Training rows: CSV with a header, also .gz or .zst; - for standard input")
      ->required()
      ->type_name("FILE");
  tune->add_option("--table", arguments->table, "Where all that was tried goes, as CSV")->type_name("FILE");
  tune->add_flag("--json", arguments->fit.json, "Print what was tried and chosen as JSON");
  add_tune_options(*tune, arguments->tune);
  add_data_options(*tune, arguments->fit);
  add_model_options(*tune, arguments->fit);
  add_training_options(*tune, arguments->fit);
  tune->callback([tune, arguments, &common, &run] {
    run = [tune, arguments, &common] { return run_tune(*tune, *arguments, common); };
  });
}

}  // namespace xofm::app
