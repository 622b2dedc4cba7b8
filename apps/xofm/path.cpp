// xofm path: the same training over a grid of penalties, with the error on rows held out.
#include "xofm/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "fit_options.hpp"
#include "io/output_file.hpp"
#include "options.hpp"
#include "terminal.hpp"
#include "xofm/bands.hpp"
#include "xofm/model_file.hpp"
#include "xofm/train.hpp"

namespace xofm::app {

namespace {

using Json = nlohmann::ordered_json;

struct PathArguments {
  FitArguments fit;
  PathOptions path;
  std::string table;
  std::string model;
};

void check_arguments(const PathArguments& a) {
  check_bands(a.fit);
  if (a.fit.json && (a.table == "-" || a.model == "-")) {
    throw Error(ErrorCode::invalid_option, "--json and - both write to standard output; give a file");
  }
  if (!a.table.empty() && a.table == a.model) {
    throw Error(ErrorCode::invalid_option, fmt::format("--output and --model both write to '{}'", a.table));
  }
  if (a.fit.bands > 0 && a.model.empty()) {
    throw Error(ErrorCode::invalid_option, "--bands belong to a model; say where it goes with --model");
  }
  // Whether the files can be written is known before the work, not after.
  for (const auto& file : {a.table, a.model}) {
    if (!file.empty() && file != "-") const detail::OutputFile probe(file);
  }
}

// The point with the least error; of equal ones the greatest penalties, which give the simplest model.
std::size_t best_point(const PenaltyPath& path) {
  std::size_t best = 0;
  for (std::size_t p = 0; p < path.points.size(); ++p) {
    if (path.points[p].mae.mean <= path.points[best].mae.mean) best = p;
  }
  return best;
}

std::string mean_text(const MeanSpread& value) {
  return std::isnan(value.mean) ? fmt::format("{:>17}", "-")
                                : fmt::format("{:8.4f} ± {:6.4f}", value.mean, value.spread);
}

void print_table(const PenaltyPath& path) {
  const bool validated = path.fold_count > 0;
  if (validated) {
    fmt::print("Accuracy and MAE on rows held out, mean and spread over {} folds; pair loss on all rows\n\n",
               path.fold_count);
  } else {
    fmt::print("Pair loss on all rows; --folds validates too\n\n");
  }
  fmt::print("{:>17} {:>14} {:>10}   {:>17} {:>17}\n", "increment_penalty", "factor_penalty", "pair loss", "accuracy",
             "MAE");
  const std::size_t best = best_point(path);
  for (std::size_t p = 0; p < path.points.size(); ++p) {
    const PathPoint& point = path.points[p];
    fmt::print("{:>17} {:>14} {:>10.5f}   {} {}{}\n", point.increment_penalty, point.factor_penalty, point.loss,
               mean_text(point.accuracy), mean_text(point.mae), validated && p == best ? "  least MAE" : "");
  }
}

Json number_json(double value) { return std::isnan(value) ? Json() : Json(value); }

void print_json(const PathArguments& arguments, const PenaltyPath& path) {
  Json json = {{"fold_count", path.fold_count},
               {"increment_penalties", path.increment_penalties},
               {"factor_penalties", path.factor_penalties},
               {"points", Json::array()}};
  for (const PathPoint& point : path.points) {
    json["points"].push_back(
        {{"increment_penalty", point.increment_penalty},
         {"factor_penalty", point.factor_penalty},
         {"objective", point.objective},
         {"loss", point.loss},
         {"accuracy", {{"mean", number_json(point.accuracy.mean)}, {"spread", number_json(point.accuracy.spread)}}},
         {"mae", {{"mean", number_json(point.mae.mean)}, {"spread", number_json(point.mae.spread)}}}});
  }
  if (!arguments.model.empty()) json["model"] = arguments.model;
  // A path need not be UTF-8; JSON must be.
  fmt::print("{}\n", json_text(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
}

std::string table_csv(const PenaltyPath& path) {
  std::string text =
      "increment_penalty,factor_penalty,objective,loss,accuracy_mean,accuracy_spread,mae_mean,mae_spread\n";
  const auto number = [](double value) { return std::isnan(value) ? std::string() : fmt::format("{}", value); };
  for (const PathPoint& point : path.points) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{}\n", point.increment_penalty, point.factor_penalty,
                   point.objective, point.loss, number(point.accuracy.mean), number(point.accuracy.spread),
                   number(point.mae.mean), number(point.mae.spread));
  }
  return text;
}

// The model of the given options, with what it carries for people; none if it was interrupted.
std::optional<Model> make_model(const PathArguments& arguments, const Dataset& data, const TrainOptions& options,
                                ProgressBar& bar) {
  const auto report = [&](const Progress& progress) {
    bar.update(progress.share, "the model of these options");
    return !InterruptGuard::interrupted();
  };
  Fit fit = train(data, options, report);
  if (fit.interrupted()) return std::nullopt;
  if (arguments.fit.bands > 0) {
    fit.model.bands = fit_bands(fit.model, data, {.refit_count = arguments.fit.bands}, report);
    if (!fit.model.bands) return std::nullopt;
  }
  return std::move(fit.model);
}

int run_path(const PathArguments& arguments, const Common& common) {
  check_arguments(arguments);
  const TrainOptions options = train_options(arguments.fit);
  Dataset data = read_csv(arguments.fit.data, csv_options(arguments.fit));
  describe_attributes(data.schema, arguments.fit);
  std::optional<PenaltyPath> path;
  std::optional<Model> model;
  {
    const bool shows_progress = !common.quiet && !arguments.fit.json;
    const InterruptGuard guard(shows_progress ? stopping_text : "");
    ProgressBar bar("path", shows_progress);
    path = fit_path(data, options, arguments.path, [&](const Progress& progress) {
      bar.update(progress.share, "models over the penalties");
      return !InterruptGuard::interrupted();
    });
    if (!path) return exit_interrupted;
    if (!arguments.model.empty()) {
      model = make_model(arguments, data, options, bar);
      if (!model) return exit_interrupted;
    }
  }
  if (!arguments.table.empty()) {
    detail::OutputFile file(arguments.table);
    file.write(table_csv(*path));
    file.commit();
  }
  if (model) {
    model->path = *path;
    save_model(*model, arguments.model);
  }
  if (arguments.fit.json) {
    print_json(arguments, *path);
  } else if (!common.quiet && arguments.table != "-" && arguments.model != "-") {
    print_table(*path);
    if (model) fmt::print("\nModel with this path written to {}\n", printable(arguments.model));
  }
  return exit_ok;
}

CLI::Option* add_penalties(CLI::App& app, const std::string& flag, std::vector<double>& values,
                           const std::string& text) {
  return as_list(app.add_option(flag, values, text), "NUMBER,...")
      ->check(number_problem<double>)
      ->default_str(fmt::format("{}", fmt::join(values, ",")));
}

}  // namespace

void add_path(CLI::App& app, const Common& common, Run& run) {
  auto arguments = std::make_shared<PathArguments>();
  CLI::App* const path = app.add_subcommand("path", "Train over a grid of penalties and see what each of them does");
  path->footer(
      R"(Trains a model for every pair of the two penalties, each starting from its neighbour, and measures it on rows held
out. --model keeps them all: a model of the given options whose file carries the path, so that a report can show
curves and interactions under every penalty.

Examples:
  xofm path train.csv --label class
  xofm path train.csv --increment-penalties 0,0.001,0.01,0.1 --factor-penalties 0.01 -o path.csv
  xofm path train.csv --folds 10 --json
  xofm path train.csv --model model.json --bands 20 --descriptions columns.csv)");
  path->add_option("data", arguments->fit.data,
                   "Labelled rows: CSV with a header, also .gz or .zst; - for standard input")
      ->required()
      ->type_name("FILE");
  path->add_option("-o,--output", arguments->table, "Where the table goes, as CSV; - for standard output")
      ->type_name("FILE");
  path->add_option("--model", arguments->model, "Where a model with this path goes; - for standard output")
      ->type_name("FILE");
  path->add_flag("--json", arguments->fit.json, "Print the table as JSON");
  const char* const group = "Path";
  add_penalties(*path, "--increment-penalties", arguments->path.increment_penalties, "Penalties on the curves to try")
      ->group(group);
  add_penalties(*path, "--factor-penalties", arguments->path.factor_penalties, "Penalties on the interactions to try")
      ->group(group);
  add_number(*path, "--folds", arguments->path.fold_count,
             "Parts of the rows, each held out once at every penalty; 0: no validation")
      ->group(group);
  add_data_options(*path, arguments->fit);
  add_training_options(*path, arguments->fit);
  add_explanation_options(*path, arguments->fit);
  path->callback([arguments, &common, &run] { run = [arguments, &common] { return run_path(*arguments, common); }; });
}

}  // namespace xofm::app
