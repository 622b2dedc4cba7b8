// xofm fit: from a CSV file to a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.hpp"
#include "fit_options.hpp"
#include "io/choice_blocks.hpp"
#include "io/metrics_json.hpp"
#include "io/output_file.hpp"
#include "terminal.hpp"
#include "tune_options.hpp"
#include "xofm/bands.hpp"
#include "xofm/csv.hpp"
#include "xofm/error.hpp"
#include "xofm/model_file.hpp"
#include "xofm/names.hpp"
#include "xofm/train.hpp"

namespace xofm::app {

namespace {

std::string stop_text(StopReason reason) {
  switch (reason) {
    case StopReason::converged:
    case StopReason::no_descent:
      return "converged";
    case StopReason::epoch_limit:
      return "stopped at --max-epochs";
    case StopReason::diverged:
      return "diverged: lower --learning-rate";
    case StopReason::interrupted:
      return "interrupted: the best model so far";
  }
  return "";
}

std::string counted(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "9 curves and 3 pairs; on unseen rows 0.4 % more loss than the model that they were taken from."
std::string terms_text(const Model& model) {
  const TermsRecord& record = *model.terms_record;
  std::size_t curves = 0;
  for (const auto& curve : model.terms->curves) {
    curves += std::any_of(curve.begin(), curve.end(), [](double value) { return value != 0; }) ? 1 : 0;
  }
  const double change = 100 * (record.loss / record.teacher_loss - 1);
  std::string text = fmt::format("{} and {}; on unseen rows {:.1f} % {} loss than the full model they were taken from.",
                                 counted(curves, "curve"), counted(model.terms->surfaces.size(), "pair"),
                                 std::abs(change), change < 0 ? "less" : "more");
  for (std::size_t s = 0; s < record.votes.size(); ++s) {
    const Surface& surface = model.terms->surfaces[s];
    text += fmt::format("\n  {} x {}: found in {} of {} folds", printable(model.schema.attributes[surface.first].name),
                        printable(model.schema.attributes[surface.second].name), record.votes[s], record.fold_count);
  }
  return text;
}

void print_summary(const FitArguments& arguments, const Model& model, std::size_t all_rows) {
  const auto& summary = model.summary;
  fmt::print("Trained on {} of {} rows, {}, {} classes of '{}': {}, {}.\n", summary.row_count, all_rows,
             counted(model.schema.attributes.size(), "attribute"), model.schema.class_count(),
             printable(model.schema.label_name), counted(static_cast<std::size_t>(summary.epochs), "epoch"),
             stop_text(summary.stop_reason));
  if (model.tuning) fmt::print("Options chosen from {}.\n", choice_text(*model.tuning));
  if (model.terms_record) fmt::print("{}\n", terms_text(model));
  if (model.validation) {
    const auto& metrics = model.validation->metrics;
    if (model.validation->trial_count == 1) {
      fmt::print("Trained likewise without a part of the rows: accuracy {:.3f}, MAE {:.3f} on that part.\n",
                 metrics[0].mean, metrics[1].mean);
    } else {
      fmt::print("In cross-validation: accuracy {:.3f} (spread {:.3f}), MAE {:.3f} (spread {:.3f}).\n", metrics[0].mean,
                 metrics[0].spread, metrics[1].mean, metrics[1].spread);
    }
  }
  if (model.holdout) {
    fmt::print("On the {} rows kept out: accuracy {:.3f}, MAE {:.3f}, at most one class off in {:.0f} % of cases.\n",
               model.holdout->row_count, model.holdout->accuracy, model.holdout->mae, 100 * model.holdout->within_one);
  }
  std::size_t monotone = 0;
  for (const auto& entry : model.certificate.attributes) monotone += entry.direction != Direction::none ? 1 : 0;
  if (monotone > 0) {
    fmt::print("Monotone in {}: {}.\n", counted(monotone, "attribute"),
               model.certificate.holds ? "certified over the whole space" : "NOT certified");
  }
  if (arguments.bands > 0 && !model.bands) fmt::print("Interrupted: the model has no bands.\n");
  if (model.bands) fmt::print("Bands of the curves from {} refits.\n", model.bands->refit_count);
  if (arguments.output != "-") fmt::print("Model written to {}\n", arguments.output);
}

void print_json(const FitArguments& arguments, const Model& model) {
  nlohmann::ordered_json json = {{"model", arguments.output},
                                 {"row_count", model.summary.row_count},
                                 {"objective", model.summary.objective},
                                 {"loss", model.summary.loss},
                                 {"epochs", model.summary.epochs},
                                 {"stop_reason", name_of(model.summary.stop_reason)}};
  if (model.tuning) json["tuning"] = detail::tuning_to_json(*model.tuning);
  if (model.validation) json["validation"] = detail::validation_to_json(*model.validation);
  if (model.holdout) json["holdout"] = detail::metrics_to_json(*model.holdout);
  // A path need not be UTF-8; JSON must be.
  fmt::print("{}\n", json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

// A search unless it was forbidden, would be slow, or has nothing to do with the way of training asked for.
bool wants_search(const FitArguments& arguments, const TrainOptions& options, bool warm_start, const Dataset& data) {
  if (arguments.tune) return *arguments.tune;
  return !warm_start && arguments.preset == "default" && arguments.options_of.empty() &&
         options.optimizer.method == Optimizer::lbfgs && suits_tuning(data);
}

// Options that contradict a search, or that only a search has.
void check_search(const CLI::App& fit, const FitArguments& arguments) {
  const bool searching = arguments.tune.value_or(false);
  if (fit.count("--tune") > 0 && fit.count("--no-tune") > 0) {
    throw CLI::ValidationError("--tune", "and --no-tune contradict each other; leave one of the two out");
  }
  if (searching && (!arguments.warm_start.empty() || arguments.preset != "default" || !arguments.options_of.empty())) {
    throw CLI::ValidationError(
        "--tune", "a search goes neither with --warm-start nor with --preset nor with --options-of; leave one out");
  }
  for (const char* const option : {"--metric", "--budget", "--take-best"}) {
    if (fit.count(option) > 0 && fit.count("--no-tune") > 0) {
      throw CLI::ValidationError(option, "belongs to the search that --no-tune forbids; leave one of the two out");
    }
  }
}

int run_fit(const CLI::App& app, const FitArguments& arguments, const TuneArguments& tuning, const Common& common) {
  TrainOptions options = train_options(arguments);
  if (arguments.holdout != 0 && !(arguments.holdout > 0 && arguments.holdout < 1)) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("--holdout is {}; it must be a share between 0 and 1", arguments.holdout));
  }
  if (arguments.json && arguments.output == "-") {
    throw Error(ErrorCode::invalid_option, "--json and -o - both write to standard output; give -o a file");
  }
  check_bands(arguments);
  // Whether the model can be written is known before the work, not after.
  if (arguments.output != "-") const detail::OutputFile probe(arguments.output);
  std::optional<Model> warm_start;
  const CsvOptions csv = csv_options(arguments);
  Dataset data;
  if (arguments.warm_start.empty()) {
    data = read_csv(arguments.data, csv);
  } else {
    warm_start = load_model(arguments.warm_start);
    if (!csv.label.empty() && csv.label != warm_start->schema.label_name) {
      throw Error(ErrorCode::invalid_option,
                  fmt::format("--label is '{}', but the model given by --warm-start has the label '{}'", csv.label,
                              warm_start->schema.label_name));
    }
    data = read_csv(arguments.data, warm_start->schema,
                    {.read_labels = true, .weight = csv.weight, .separator = csv.separator});
  }
  describe_attributes(data.schema, arguments);
  const std::size_t all_rows = data.row_count();
  Dataset kept_out;
  if (arguments.holdout > 0) {
    Split parts = split_rows(data, {.test_share = arguments.holdout, .seed = options.optimizer.seed});
    kept_out = subset(data, parts.holdout);
    data = subset(data, parts.learning);
  }

  std::optional<TuneResult> search;
  if (wants_search(arguments, options, warm_start.has_value(), data)) {
    if (app.count("--pairs") == 0) options.terms.pairs = PairChoice::automatic;
    const InterruptGuard guard;
    search = run_search(data, options, tune_options(app, tuning, options), !common.quiet && !arguments.json);
    options = search->options;
  }
  Fit fit;
  {
    const InterruptGuard guard;
    ProgressBar bar("fit", !common.quiet && !arguments.json);
    fit = train(
        data, options,
        [&](const Progress& progress) {
          const std::string restart =
              progress.restart_count > 1 ? fmt::format("start {}/{}, ", progress.restart, progress.restart_count) : "";
          bar.update(progress.share,
                     fmt::format("{}epoch {:.0f}, objective {:.5f}", restart, progress.epoch, progress.objective));
          return !InterruptGuard::interrupted();
        },
        warm_start ? &*warm_start : nullptr);
  }
  Model& model = fit.model;
  bool interrupted = fit.interrupted();
  if (search) {
    interrupted = interrupted || search->record.interrupted;
    model.tuning = std::move(search->record);
    if (search->validation.trial_count > 0) model.validation = std::move(search->validation);
  }
  if (arguments.bands > 0 && !interrupted) {
    const InterruptGuard guard;
    ProgressBar bar("bands", !common.quiet && !arguments.json);
    model.bands = fit_bands(model, data, {.refit_count = arguments.bands}, [&](const Progress& progress) {
      bar.update(progress.share, fmt::format("{} refits", arguments.bands));
      return !InterruptGuard::interrupted();
    });
    interrupted = !model.bands;
  }
  if (kept_out.row_count() > 0) {
    const Predictions predictions = model.predict(kept_out);
    model.holdout = evaluate(model.schema.class_count(), kept_out.labels, predictions.classes, predictions.scores,
                             predictions.probabilities);
  }
  save_model(model, arguments.output);
  if (arguments.json) {
    print_json(arguments, model);
  } else if (!common.quiet && arguments.output != "-") {
    print_summary(arguments, model, all_rows);
  }
  return interrupted ? exit_interrupted : exit_ok;
}

}  // namespace

void add_fit(CLI::App& app, const Common& common, Run& run) {
  auto arguments = std::make_shared<FitArguments>();
  auto tuning = std::make_shared<TuneArguments>();
  CLI::App* const fit = app.add_subcommand("fit", "Train a model on a CSV file with ordered labels");
  fit->footer(
      R"(The options that are not given are chosen first, by what they are worth on rows held out, as xofm tune does, unless
the data are very large; --no-tune takes the defaults.

Examples:
  xofm fit train.csv --label class -o model.json
  xofm fit train.csv --classes low,medium,high --holdout 0.2
  xofm fit loans.csv --decreasing debt --increasing income,age --segment-count 12
  xofm fit train.csv --metric accuracy --budget 60s
  xofm fit train.csv --no-tune --factor-count 0
  xofm fit train.csv --preset paper --segment-count 10 --max-epochs 30
  xofm fit loans.csv --descriptions loans_columns.csv --bands 20)");
  fit->add_option("data", arguments->data, "Training rows: CSV with a header, also .gz or .zst; - for standard input")
      ->required()
      ->type_name("FILE");
  fit->add_option("-o,--output", arguments->output, "Where the model goes; - for standard output")
      ->type_name("FILE")
      ->capture_default_str();
  fit->add_flag("--json", arguments->json, "Print the summary as JSON");
  fit->add_flag_callback(
         "--tune", [arguments] { arguments->tune = true; }, "Search for the options, on very large data too")
      ->group("Search");
  fit->add_flag_callback(
         "--no-tune", [arguments] { arguments->tune = false; }, "Do not search")
      ->group("Search");
  add_tune_options(*fit, *tuning);
  add_data_options(*fit, *arguments);
  add_model_options(*fit, *arguments);
  add_training_options(*fit, *arguments);
  add_options_of(*fit, *arguments);
  add_single_fit_options(*fit, *arguments);
  add_explanation_options(*fit, *arguments);
  fit->callback([fit, arguments, tuning, &common, &run] {
    check_warm_start(*fit, *arguments);
    check_search(*fit, *arguments);
    run = [fit, arguments, tuning, &common] { return run_fit(*fit, *arguments, *tuning, common); };
  });
}

}  // namespace xofm::app
