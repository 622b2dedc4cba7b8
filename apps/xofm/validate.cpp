// xofm validate: how good models trained with these options are on rows that they have not seen.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "io/csv_read.hpp"
#include "io/csv_text.hpp"
#include "io/trials_csv.hpp"
#include "options.hpp"
#include "reliability.hpp"
#include "search_options.hpp"
#include "search_text.hpp"
#include "terminal.hpp"
#include "validate_output.hpp"
#include "xofm/error.hpp"

namespace xofm::app {

namespace {

struct ValidateArguments {
  FitArguments fit;
  int folds = 5;
  int repeats = 1;
  double holdout_share = 0;  // 0: folds
  std::string fold_column;
  std::string splits;
  std::string predictions;
  bool reliability = false;
  std::string export_splits;
};

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::invalid_option, message); }

// The ways to split exclude each other; folds and random splits can be repeated, given ones cannot.
void check_ways(const CLI::App& validate) {
  std::string chosen;
  for (const char* const way : {"--folds", "--holdout-share", "--fold-column", "--splits"}) {
    if (validate.count(way) == 0) continue;
    if (!chosen.empty()) {
      throw CLI::ValidationError(fmt::format("{} and {} are two ways to split the rows; choose one", chosen, way));
    }
    chosen = way;
  }
  if (validate.count("--repeats") > 0 && (chosen == "--fold-column" || chosen == "--splits")) {
    throw CLI::ValidationError(fmt::format("--repeats makes no sense with {}, which gives the trials", chosen));
  }
  if (validate.count("--holdout-share") > 0) {
    const auto share = validate.get_option("--holdout-share")->as<double>();
    if (!(share > 0 && share < 1)) {
      throw CLI::ValidationError(fmt::format("--holdout-share is {}; it must be a share between 0 and 1", share));
    }
  }
}

void check_arguments(const ValidateArguments& a) {
  if (!(a.folds >= 2)) refuse(fmt::format("--folds is {}; it must be at least 2", a.folds));
  if (!(a.repeats >= 1)) refuse(fmt::format("--repeats is {}; it must be at least 1", a.repeats));
  const int to_output = (a.fit.json ? 1 : 0) + (a.predictions == "-" ? 1 : 0) + (a.export_splits == "-" ? 1 : 0);
  if (to_output > 1) {
    refuse("of --json, --predictions - and --export-splits - only one can write to standard output; give a file");
  }
  if (!a.predictions.empty() && a.predictions == a.export_splits) {
    refuse(fmt::format("--predictions and --export-splits both write to '{}'", a.predictions));
  }
  if (a.splits == "-" && a.fit.data == "-") {
    refuse("the data and --splits cannot both be read from standard input; give one as a file");
  }
  const CsvOptions& csv = a.fit.csv;
  const auto refuse_fold_as = [&](const char* what) {
    refuse(fmt::format("the column '{}' is given by --fold-column and as {}; choose one", a.fold_column, what));
  };
  if (a.fold_column.empty()) return;
  if (csv.label == a.fold_column) refuse_fold_as("label");
  if (csv.weight == a.fold_column) refuse_fold_as("weight");
  if (std::find(csv.use.begin(), csv.use.end(), a.fold_column) != csv.use.end()) refuse_fold_as("an attribute to use");
}

struct Problem {
  Dataset data;
  std::vector<Trial> trials;
};

Problem read_problem(const ValidateArguments& a, std::uint64_t seed) {
  CsvOptions csv = csv_options(a.fit);
  const detail::Text text(a.fit.data, csv.encoding);
  const std::string file = detail::input_name(a.fit.data);
  Problem problem;
  if (!a.fold_column.empty()) {
    problem.trials = column_trials(detail::read_fold_column(text.view(), file, a.fold_column, csv.separator));
    csv.ignore.push_back(a.fold_column);
  }
  problem.data = detail::read_training_text(text.view(), file, csv);
  if (!a.splits.empty()) {
    problem.trials = detail::read_trials(a.splits, problem.data.row_count());
  } else if (a.holdout_share > 0) {
    problem.trials = holdout_trials(problem.data, a.holdout_share, a.repeats, seed);
  } else if (a.fold_column.empty()) {
    problem.trials = k_fold_trials(problem.data, a.folds, a.repeats, seed);
  }
  check(problem.trials, problem.data);
  return problem;
}

// The paper's 30 random splits, four fifths to learn from, unless others are asked for.
void split_as_paper(const CLI::App& validate, ValidateArguments& a) {
  if (a.fit.preset != "paper") return;
  for (const char* const way : {"--folds", "--holdout-share", "--fold-column", "--splits"}) {
    if (validate.count(way) > 0) return;
  }
  a.holdout_share = 0.2;
  if (validate.count("--repeats") == 0) a.repeats = 30;
}

int run_validate(const CLI::App& app, const ValidateArguments& arguments, const Common& common) {
  check_arguments(arguments);
  const TrainOptions train = train_options(arguments.fit);
  // Whether the files can be written is known before the work, not after.
  for (const auto& path : {arguments.predictions, arguments.export_splits}) {
    if (!path.empty() && path != "-") const detail::OutputFile probe(path);
  }
  const Problem problem = read_problem(arguments, train.optimizer.seed);
  const Dataset& data = problem.data;
  const std::vector<Trial>& trials = problem.trials;
  const FitOptions options = fit_options(app, arguments.fit, train, data);
  ValidationResult result;
  {
    const bool shows_progress = !common.quiet && !arguments.fit.json;
    const InterruptGuard guard(shows_progress ? stopping_text : "");
    ProgressBar bar("validate", shows_progress);
    result = validate(data, options, trials, [&](const Progress& progress) {
      bar.update(progress.share, fmt::format("{} of {}", progress.count, counted(trials.size(), "trial")));
      return !InterruptGuard::interrupted();
    });
  }
  if (!arguments.export_splits.empty()) {
    detail::OutputFile file(arguments.export_splits);
    detail::write_trials(file, trials);
    file.commit();
  }
  if (!arguments.predictions.empty()) {
    detail::OutputFile file(arguments.predictions);
    write_validation_predictions(file, result, data.schema, common.raw_cells);
    file.commit();
  }
  if (arguments.fit.json) {
    print_validation_json(result, trials.size(), arguments.reliability ? data.schema.class_count() : 0);
  } else if (!common.quiet && arguments.predictions != "-" && arguments.export_splits != "-") {
    print_validation(result, trials.size(), data);
    if (arguments.reliability) print_reliability(unseen_reliability(result, data.schema.class_count()));
  }
  return result.interrupted ? exit_interrupted : exit_ok;
}

}  // namespace

void add_validate(CLI::App& app, const Common& common, Run& run) {
  auto arguments = std::make_shared<ValidateArguments>();
  CLI::App* const validate = app.add_subcommand("validate", "Measure what xofm fit makes on rows kept out of training");
  validate->footer(
      R"(Makes a model per trial from some of the rows, as xofm fit would, and measures it on others; no model is kept. Knots,
levels and all else come from the rows to learn from, the search for options too: it takes as long as a fit per trial.
--no-tune, --preset and --options-of train without a search. With --preset paper the trials are the paper's: 30 random
splits, a fifth held out; --tune chooses segments and margin anew in each. Trials run at the same time, within --threads.

Examples:
  xofm validate train.csv --label class
  xofm validate train.csv --no-tune --folds 10 --repeats 3 --predictions unseen.csv
  xofm validate train.csv --holdout-share 0.2 --repeats 30 --options-of model.json
  xofm validate train.csv --fold-column fold --json
  xofm validate train.csv --export-splits splits.csv
  xofm validate train.csv --splits splits.csv --preset paper)");
  validate
      ->add_option("data", arguments->fit.data,
                   "Labelled rows: CSV with a header, also .gz or .zst; - for standard input")
      ->required()
      ->type_name("FILE");
  validate->add_option("--predictions", arguments->predictions, "Where the predictions of the unseen rows go, as CSV")
      ->type_name("FILE");
  validate->add_flag("--reliability", arguments->reliability,
                     "Also compare the probabilities of the unseen rows with what happened");
  validate->add_flag("--json", arguments->fit.json, "Print the metrics, of every trial too, as JSON");
  const char* const group = "Splits";
  add_number(*validate, "--folds", arguments->folds, "Parts of the rows, each held out once; stratified by class")
      ->group(group);
  add_number(*validate, "--holdout-share", arguments->holdout_share,
             "Instead of folds: hold out a random share of the rows, stratified by class")
      ->default_str("")
      ->group(group);
  add_number(*validate, "--repeats", arguments->repeats, "How often to do so, each time with other random parts")
      ->group(group);
  validate
      ->add_option("--fold-column", arguments->fold_column,
                   "Instead: column with the fold of each row; not used as an attribute")
      ->type_name("NAME")
      ->group(group);
  validate
      ->add_option("--splits", arguments->splits,
                   "Instead: CSV file with the columns trial, row (both from 1) and part (learn or test)")
      ->type_name("FILE")
      ->group(group);
  validate->add_option("--export-splits", arguments->export_splits, "Where the splits go, in the format of --splits")
      ->type_name("FILE")
      ->group(group);
  add_search_choice(*validate, arguments->fit);
  add_search_options(*validate, arguments->fit);
  add_data_options(*validate, arguments->fit);
  add_training_options(*validate, arguments->fit);
  add_options_of(*validate, arguments->fit);
  validate->callback([validate, arguments, &common, &run] {
    check_ways(*validate);
    check_search_choice(*validate, arguments->fit);
    split_as_paper(*validate, *arguments);
    run = [validate, arguments, &common] { return run_validate(*validate, *arguments, common); };
  });
}

}  // namespace xofm::app
