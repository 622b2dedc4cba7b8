// xofm fit: from a CSV file to a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.hpp"
#include "io/metrics_json.hpp"
#include "io/output_file.hpp"
#include "io/record_blocks.hpp"
#include "search_options.hpp"
#include "search_text.hpp"
#include "terminal.hpp"
#include "wording.hpp"
#include "xofm/bands.hpp"
#include "xofm/check.hpp"
#include "xofm/csv.hpp"
#include "xofm/error.hpp"
#include "xofm/model_file.hpp"
#include "xofm/names.hpp"

namespace xofm::app {

namespace {

// Why training stopped, if that says anything: a search has chosen the epochs by itself.
std::string stop_text(const FitArguments& arguments, const Model& model) {
  if (model.record.interrupted) return ", interrupted: the best model so far";
  const auto& flags = arguments.recipe_flags;
  const bool is_limit_given = std::find(flags.begin(), flags.end(), "--max-epochs") != flags.end();
  switch (model.summary.stop_reason) {
    case StopReason::converged:
    case StopReason::no_descent:
      return ", converged";
    case StopReason::epoch_limit:
      if (is_limit_given) return ", stopped at --max-epochs";
      if (model.record.search || !arguments.options_of.empty()) return "";
      return ", not yet converged: --max-epochs allows more";
    case StopReason::diverged:
      return fmt::format(
          ", then diverged: the best epoch before is kept; a smaller --learning-rate than {} may do "
          "better",
          model.options.optimizer.learning_rate);
    case StopReason::interrupted:  // said above
      return "";
  }
  return "";
}

// "9 curves and 3 pairs; on unseen rows 0.4 % more loss than the model that they were taken from."
std::string terms_text(const Model& model) {
  const TermsRecord& record = *model.record.terms;
  std::size_t curves = 0;
  for (const auto& curve : model.terms->curves) {
    curves += std::any_of(curve.begin(), curve.end(), [](double value) { return value != 0; }) ? 1 : 0;
  }
  std::string text = fmt::format("{} and {}", counted(curves, "curve"), counted(model.terms->surfaces.size(), "pair"));
  const double change = 100 * (record.loss / record.teacher_loss - 1);
  if (std::isfinite(change)) {
    text += fmt::format("; on unseen rows {:.1f} % {} loss than the full model they were taken from", std::abs(change),
                        change < 0 ? "less" : "more");
  }
  text += '.';
  for (std::size_t s = 0; s < record.votes.size(); ++s) {
    const Surface& surface = model.terms->surfaces[s];
    text += fmt::format("\n  {} x {}", printable(model.schema.attributes[surface.first].name),
                        printable(model.schema.attributes[surface.second].name));
    // Of large data one part was held out, which has no say of its own.
    if (record.fold_count > 1) text += fmt::format(": found in {} of {} folds", record.votes[s], record.fold_count);
  }
  return text;
}

void print_summary(const FitArguments& arguments, const Model& model, const Dataset& data, std::size_t all_rows) {
  fmt::print("{}", remarks_text(data));
  const auto& summary = model.summary;
  fmt::print("Trained on {} of {} rows, {}, {} classes of '{}': {}{}.\n", summary.row_count, all_rows,
             counted(model.schema.attributes.size(), "attribute"), model.schema.class_count(),
             printable(model.schema.label_name), counted(static_cast<std::size_t>(summary.epochs), "epoch"),
             stop_text(arguments, model));
  for (const Attribute& attribute : model.schema.attributes) {
    if (attribute.indicators.empty()) continue;
    fmt::print("{} is one attribute, from {} of 0 and 1 ({} to {}).\n", printable(attribute.name),
               counted(attribute.indicators.size(), "column"), printable(attribute.indicators.front()),
               printable(attribute.indicators.back()));
  }
  fmt::print("{}", absent_text(model));
  const Record& record = model.record;
  if (record.search) fmt::print("Options chosen from {}.\n", choice_text(*record.search, record.interrupted));
  if (record.terms) fmt::print("{}\n", terms_text(model));
  if (record.sampling) {
    const SamplingRecord& sampling = *record.sampling;
    fmt::print(
        "{} draws of {} chains. R-hat and effective draws, the worst: scores {:.2f}, {:.0f}; curves {:.2f}, "
        "{:.0f}; cuts {:.2f}, {:.0f}.\n",
        sampling.draw_count, sampling.chain_count, sampling.scores.r_hat, sampling.scores.effective_count,
        sampling.curves.r_hat, sampling.curves.effective_count, sampling.cuts.r_hat, sampling.cuts.effective_count);
  }
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
    fmt::print("On the {} kept out: accuracy {:.3f}, MAE {:.3f}, at most one class off in {:.0f} % of cases.\n",
               counted(model.holdout->row_count, "row"), model.holdout->accuracy, model.holdout->mae,
               100 * model.holdout->within_one);
  }
  std::size_t monotone = 0;
  for (const auto& entry : model.certificate.attributes) monotone += entry.direction != Direction::none ? 1 : 0;
  if (monotone > 0) {
    fmt::print("Monotone in {}: {}.\n", counted(monotone, "attribute"),
               model.certificate.holds ? "certified over the whole space" : "NOT certified");
  }
  if (arguments.bands > 0 && !model.bands) fmt::print("Interrupted: the model has no bands.\n");
  if (model.bands) {
    const bool has_draws = record.sampling && !record.terms;
    fmt::print("Bands of the curves from {} {}.\n", model.bands->refit_count, has_draws ? "draws" : "refits");
  }
  if (arguments.output != "-") fmt::print("Model written to {}\n", printable(arguments.output));
}

void print_json(const FitArguments& arguments, const Model& model, const Dataset& data) {
  nlohmann::ordered_json json = {{"model", arguments.output},
                                 {"row_count", model.summary.row_count},
                                 {"objective", model.summary.objective},
                                 {"loss", model.summary.loss},
                                 {"epochs", model.summary.epochs},
                                 {"stop_reason", name_of(model.summary.stop_reason)}};
  if (!data.remarks.empty()) json["remarks"] = data.remarks;
  json["record"] = detail::record_to_json(model.record);
  if (model.validation) json["validation"] = detail::validation_to_json(*model.validation);
  if (model.holdout) json["holdout"] = detail::metrics_to_json(*model.holdout);
  // A path need not be UTF-8; JSON must be.
  fmt::print("{}\n", json_text(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
}

// The rows, laid out as in the model given by --warm-start if there is one.
Dataset read_rows(const FitArguments& arguments, const std::optional<Model>& warm_start) {
  const CsvOptions csv = csv_options(arguments);
  if (!warm_start) return read_csv(arguments.data, csv);
  if (!csv.label.empty() && csv.label != warm_start->schema.label_name) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("--label is '{}', but the model given by --warm-start has the label '{}'", csv.label,
                            warm_start->schema.label_name));
  }
  return read_csv(arguments.data, warm_start->schema,
                  arguments.dialect.in(CsvReaderOptions{.read_labels = true, .weight = csv.weight}));
}

void check_arguments(const FitArguments& arguments) {
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
}

// With a progress bar; Ctrl-C takes the best so far.
Model make_model(const FitArguments& arguments, const FitOptions& options, const Dataset& data,
                 const std::optional<Model>& warm_start, bool show_progress) {
  const InterruptGuard guard(
      show_progress ? "\nStopping: the best model so far is being made; once more to leave without it\n" : "");
  ProgressBar bar("fit", show_progress);
  const auto report = [&](const Progress& progress) {
    if (InterruptGuard::interrupted()) return false;
    const bool is_bands = std::string_view(progress.phase) == "bands";
    bar.update(progress.share,
               is_bands ? counted(static_cast<std::size_t>(arguments.bands), "refit") : progress_text(progress));
    return true;
  };
  if (!warm_start) return fit(data, options, report).model;
  Model model = train(data, options.train, report, &*warm_start).model;
  if (options.band_count > 0 && !model.record.interrupted) {
    model.bands = fit_bands(model, data, {.refit_count = options.band_count}, report);
  }
  return model;
}

int run_fit(const CLI::App& app, const FitArguments& arguments, const Common& common) {
  const TrainOptions train = train_options(arguments);
  check_arguments(arguments);
  std::optional<Model> warm_start;
  if (!arguments.warm_start.empty()) warm_start = load_model(arguments.warm_start);
  Dataset data = read_rows(arguments, warm_start);
  describe_attributes(data.schema, arguments);
  const std::size_t all_rows = data.row_count();
  Dataset kept_out;
  Split parts;
  if (arguments.holdout > 0) {
    parts = split_rows(data, {.test_share = arguments.holdout, .seed = train.optimizer.seed});
    kept_out = subset(data, parts.holdout);
    data = subset(data, parts.learning);
  }
  const FitOptions options = fit_options(app, arguments, train, data);
  for (const AloneAccuracy& leak : find_leaks(data)) {
    if (!common.quiet) fmt::print(stderr, "xofm: warning: {}\n", printable(leak_text(data.schema, leak)));
  }
  Model model = make_model(arguments, options, data, warm_start, !common.quiet && !arguments.json);
  if (kept_out.row_count() > 0) {
    const Predictions predictions = model.predict(kept_out);
    model.holdout = evaluate(model.schema.class_count(), kept_out.labels, predictions.classes, predictions.scores,
                             predictions.probabilities);
  }
  for (auto& points : model.assignment.reference.classes) {
    for (auto& point : points) {
      if (!parts.learning.empty()) point.row = parts.learning[point.row - 1] + 1;  // rows as they are in the file
    }
  }
  save_model(model, arguments.output);
  if (arguments.json) {
    print_json(arguments, model, data);
  } else if (!common.quiet && arguments.output != "-") {
    print_summary(arguments, model, data, all_rows);
  }
  const bool lacks_bands = arguments.bands > 0 && !model.bands;
  return model.record.interrupted || lacks_bands ? exit_interrupted : exit_ok;
}

}  // namespace

void add_fit(CLI::App& app, const Common& common, Run& run) {
  auto arguments = std::make_shared<FitArguments>();
  CLI::App* const fit = app.add_subcommand("fit", "Train a model on a CSV file with ordered labels");
  fit->footer(
      R"(The options that are not given are chosen first by cross-validation, as xofm tune does, unless the data are very
large; --no-tune takes the defaults. The model has one curve per attribute and surfaces for a few pairs; --pairs says which.

Examples:
  xofm fit train.csv --label class -o model.json
  xofm fit train.csv --classes low,medium,high --holdout 0.2
  xofm fit loans.csv --id client --special income=-1,-9 --cyclic applied
  xofm fit loans.csv --decreasing debt --increasing income,age --segment-count 12
  xofm fit train.csv --aim accuracy --budget 60s
  xofm fit train.csv --terms-at-most 8
  xofm fit train.csv --no-tune --factor-count 0
  xofm fit train.csv --preset paper --segment-count 10 --max-epochs 30
  xofm fit train.csv --preset paper --tune --step adam
  xofm fit loans.csv --descriptions loans_columns.csv --bands 20)");
  fit->add_option("data", arguments->data, "Training rows: CSV with a header, also .gz or .zst; - for standard input")
      ->required()
      ->type_name("FILE");
  fit->add_option("-o,--output", arguments->output, "Where the model goes; - for standard output")
      ->type_name("FILE")
      ->capture_default_str();
  fit->add_flag("--json", arguments->json, "Print the summary as JSON");
  add_search_choice(*fit, *arguments);
  add_search_options(*fit, *arguments);
  add_data_options(*fit, *arguments);
  add_training_options(*fit, *arguments);
  add_options_of(*fit, *arguments);
  add_single_fit_options(*fit, *arguments);
  add_explanation_options(*fit, *arguments);
  fit->callback([fit, arguments, &common, &run] {
    check_warm_start(*fit, *arguments);
    check_search_choice(*fit, *arguments);
    run = [fit, arguments, &common] { return run_fit(*fit, *arguments, common); };
  });
}

}  // namespace xofm::app
