#include "tune_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "options.hpp"
#include "terminal.hpp"

namespace xofm::app {

namespace {

// "20000" passes, "90s", "5m" or "1h" of time.
void parse_budget(const std::string& text, TuneArguments& arguments) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const std::string unit(stop, end);
  const double seconds = unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (error != std::errc() || !(number > 0) || !std::isfinite(number) || (seconds == 0 && !unit.empty())) {
    throw CLI::ValidationError(fmt::format(
        "--budget is '{}'; it must be a number of training passes, such as 20000, or a time, such as 60s, 5m or 1h",
        text));
  }
  (seconds > 0 ? arguments.time_limit : arguments.pass_budget) = seconds > 0 ? number * seconds : number;
}

template <class Value>
void fix(const CLI::App& app, const char* option, std::vector<Value>& values, const Value& given) {
  if (app.count(option) > 0) values = {given};
}

int pick_count(const TuningRecord& record) {
  int count = 0;
  for (const TriedRecipe& tried : record.tried) count += tried.count;
  return count;
}

std::string row_text(const Recipe& r) {
  return fmt::format("{:<6} {:<11} {:>8} {:>6g} {:>8} {:>9g} {:>8g} {:>9g} {:<9} {:>6g} {:>7} {:>7g}",
                     name_of(r.method), name_of(r.knots), r.segment_count, r.spike_share, r.factor_count,
                     r.increment_penalty, r.sparsity_penalty, r.factor_penalty, name_of(r.pair_weighting),
                     r.init_stddev, r.max_epochs, r.auto_direction);
}

std::string recipe_text(const Recipe& r) {
  std::string text =
      fmt::format("{} knots, {} segments{}", name_of(r.knots), r.segment_count, r.spike_share > 0 ? " and spikes" : "");
  if (r.method == Optimizer::boost) {
    return fmt::format("boosting, {}, {} trees{}", text, r.max_epochs, r.factor_count > 0 ? "" : ", no pairs");
  }
  return text +
         fmt::format(", {}{}, penalties {:g} and {:g}{}, {} epochs",
                     r.factor_count > 0 ? fmt::format("{} factors", r.factor_count) : "no pairs",
                     r.auto_direction > 0 ? ", monotone by correlation" : "", r.increment_penalty, r.factor_penalty,
                     r.sparsity_penalty > 0 ? fmt::format(", sparsity {:g}", r.sparsity_penalty) : "", r.max_epochs);
}

}  // namespace

void add_tune_options(CLI::App& app, TuneArguments& arguments) {
  const char* const group = "Search";
  add_choice<Aim>(app, "--metric", Aim::mae, "What the search makes small: the mean distance in classes, or the errors",
                  [&arguments](Aim metric) { arguments.metric = metric; })
      ->group(group);
  as_list(app.add_option_function<std::vector<std::string>>(
              "--budget",
              [&arguments](const std::vector<std::string>& parts) {
                for (const auto& part : parts) parse_budget(part, arguments);
              },
              "Training passes to spend (repeatable), or time (60s, 5m), after which the best so far is taken"),
          "PASSES|TIME,...")
      ->default_str("by the size of the data")
      ->group(group);
  app.add_flag("--take-best", arguments.best,
               "Take the best kind of model, not the simplest within one standard error of it")
      ->group(group);
}

TuneOptions tune_options(const CLI::App& app, const TuneArguments& arguments, const TrainOptions& options) {
  TuneOptions tuning;
  tuning.metric = arguments.metric.value_or(options.assignment.aim);
  tuning.pass_budget = arguments.pass_budget;
  tuning.time_limit = arguments.time_limit;
  tuning.prefer_simple = !arguments.best;
  tuning.seed = options.optimizer.seed;
  if (app.count("--bag-count") > 0) tuning.bag_count = options.bag_count;
  SearchSpace& space = tuning.space;
  fix(app, "--knots", space.knots, options.encoder.knots);
  fix(app, "--segment-count", space.segment_counts, options.encoder.segment_count);
  fix(app, "--spike-share", space.spike_shares, options.encoder.spike_share);
  fix(app, "--method", space.methods, options.optimizer.method);
  fix(app, "--auto-direction", space.auto_directions, options.auto_direction);
  fix(app, "--factor-count", space.factor_counts, options.factor_count);
  fix(app, "--increment-penalty", space.increment_penalties, options.increment_penalty);
  fix(app, "--sparsity-penalty", space.sparsity_penalties, options.sparsity_penalty);
  fix(app, "--factor-penalty", space.factor_penalties, options.factor_penalty);
  fix(app, "--pair-weighting", space.pair_weightings, options.pair_weighting);
  fix(app, "--init-stddev", space.init_stddevs, options.optimizer.init_stddev);
  fix(app, "--max-epochs", space.max_epochs, options.optimizer.max_epochs);
  fix(app, "--rule", space.rules, options.assignment.rule);
  if (options.assignment.reference_scores != ReferenceScores::automatic) {
    space.reference_scores = {options.assignment.reference_scores};
  }
  return tuning;
}

TuneResult run_search(const Dataset& data, const TrainOptions& base, const TuneOptions& options, bool show_progress) {
  ProgressBar bar("tune", show_progress);
  return tune(data, base, options, [&](const TuneProgress& progress) {
    bar.update(progress.share,
               fmt::format("{} recipes{}", progress.candidate_count, progress.validating ? ", validating" : ""));
    return !InterruptGuard::interrupted();
  });
}

void print_tried(const TuningRecord& record, std::size_t count) {
  constexpr const char* format =
      "{:>5}  {:<6} {:<11} {:>8} {:>6} {:>8} {:>9} {:>8} {:>9} {:<9} {:>6} {:>7} {:>7} {:>8} {:>8} {:>7}\n";
  fmt::print(fmt::runtime(format), "", "method", "knots", "segments", "spike", "factors", "increment", "sparsity",
             "factor", "pair", "init", "epochs", "auto", "loss", "accuracy", "mae");
  fmt::print(fmt::runtime(format), "share", "", "", "", "share", "", "penalty", "penalty", "penalty", "weighting",
             "stddev", "", "direct.", "", "", "");
  const int total = pick_count(record);
  std::size_t left_out = 0;
  for (std::size_t c = 0; c < record.tried.size(); ++c) {
    const TriedRecipe& tried = record.tried[c];
    // Those of the model are shown wherever they are.
    if (c >= count && tried.count == 0) {
      ++left_out;
      continue;
    }
    fmt::print("{:>5}  {} {:>8.4f} {:>8.4f} {:>7.4f}\n",
               tried.count > 0 ? fmt::format("{:.0f} %", 100.0 * tried.count / total) : "", row_text(tried.recipe),
               tried.loss, tried.accuracy, tried.mae);
  }
  if (left_out > 0) fmt::print("       and {} more\n", left_out);
}

std::string tried_csv(const TuningRecord& record) {
  std::string text =
      "rank,count,method,knots,segment_count,spike_share,factor_count,increment_penalty,sparsity_penalty,factor_"
      "penalty,pair_weighting,"
      "init_stddev,"
      "max_epochs,auto_direction,loss,accuracy,mae\n";
  for (std::size_t c = 0; c < record.tried.size(); ++c) {
    const TriedRecipe& t = record.tried[c];
    const Recipe& r = t.recipe;
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", c + 1, t.count,
                   name_of(r.method), name_of(r.knots), r.segment_count, r.spike_share, r.factor_count,
                   r.increment_penalty, r.sparsity_penalty, r.factor_penalty, name_of(r.pair_weighting), r.init_stddev,
                   r.max_epochs, r.auto_direction, t.loss, t.accuracy, t.mae);
  }
  return text;
}

std::string choice_text(const TuningRecord& record) {
  std::string parts;
  for (const TriedRecipe& tried : record.tried) {
    if (tried.count == 0) continue;
    const Recipe& r = tried.recipe;
    fmt::format_to(std::back_inserter(parts), "\n  {:3.0f} % {}", 100.0 * tried.count / pick_count(record),
                   recipe_text(r));
  }
  return fmt::format("{} recipes, {:.0f} training passes{}:{}", record.tried.size(), record.passes,
                     record.out_of_time   ? " until the time was up"
                     : record.interrupted ? " until interrupted"
                                          : "",
                     parts);
}

}  // namespace xofm::app
