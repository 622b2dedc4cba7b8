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

std::string row_text(const TriedOptions& t) {
  return fmt::format("{:<11} {:>8} {:>8} {:>9g} {:>9g} {:<9} {:>6g} {:>7} {:>7g}  {:<11} {:<13}", name_of(t.knots),
                     t.segment_count, t.factor_count, t.increment_penalty, t.factor_penalty, name_of(t.pair_weighting),
                     t.init_stddev, t.max_epochs, t.auto_direction, name_of(t.rule), name_of(t.reference_scores));
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
  app.add_flag("--take-best", arguments.best, "Take the best, not the simplest within one standard error of it")
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
  fix(app, "--auto-direction", space.auto_directions, options.auto_direction);
  fix(app, "--factor-count", space.factor_counts, options.factor_count);
  fix(app, "--increment-penalty", space.increment_penalties, options.increment_penalty);
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
               fmt::format("{}, {} candidates", progress.finals ? "finals" : "screening", progress.candidate_count));
    return !InterruptGuard::interrupted();
  });
}

void print_tried(const TuningRecord& record, std::size_t count) {
  fmt::print("   {:<11} {:>8} {:>8} {:>9} {:>9} {:<9} {:>6} {:>7} {:>7}  {:<11} {:<13} {:>8} {:>7} {:>8}  {}\n",
             "knots", "segments", "factors", "increment", "factor", "pair", "init", "epochs", "auto", "rule",
             "reference", "accuracy", "mae", "error of", "seen in");
  fmt::print("   {:<11} {:>8} {:>8} {:>9} {:>9} {:<9} {:>6} {:>7} {:>7}  {:<11} {:<13} {:>8} {:>7} {:>8}\n", "", "", "",
             "penalty", "penalty", "weighting", "stddev", "", "direct.", "", "scores", "", "", "diff.");
  for (std::size_t c = 0; c < std::min(count, record.tried.size()); ++c) {
    const TriedOptions& tried = record.tried[c];
    fmt::print("{} {} {:>8.4f} {:>7.4f} {:>8}  {}\n", c == record.chosen ? " *" : "  ", row_text(tried), tried.accuracy,
               tried.mae, tried.repeat_count > 0 ? fmt::format("{:.4f}", tried.standard_error) : "",
               tried.repeat_count > 0 ? "finals" : "screening");
  }
  if (record.tried.size() > count) fmt::print("   and {} more\n", record.tried.size() - count);
}

std::string tried_csv(const TuningRecord& record) {
  std::string text =
      "rank,chosen,knots,segment_count,factor_count,increment_penalty,factor_penalty,pair_weighting,init_stddev,"
      "max_epochs,auto_direction,rule,reference_scores,repeat_count,accuracy,mae,standard_error\n";
  for (std::size_t c = 0; c < record.tried.size(); ++c) {
    const TriedOptions& t = record.tried[c];
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", c + 1,
                   c == record.chosen ? 1 : 0, name_of(t.knots), t.segment_count, t.factor_count, t.increment_penalty,
                   t.factor_penalty, name_of(t.pair_weighting), t.init_stddev, t.max_epochs, t.auto_direction,
                   name_of(t.rule), name_of(t.reference_scores), t.repeat_count, t.accuracy, t.mae, t.standard_error);
  }
  return text;
}

std::string choice_text(const TuningRecord& record) {
  const TriedOptions& t = record.tried[record.chosen];
  return fmt::format(
      "{} candidates, {:.0f} training passes{}: {} knots, {} segments, {} factors, penalties {:g} and {:g}, {} epochs, "
      "rule {}",
      record.tried.size(), record.passes,
      record.out_of_time   ? " until the time was up"
      : record.interrupted ? " until interrupted"
                           : "",
      name_of(t.knots), t.segment_count, t.factor_count, t.increment_penalty, t.factor_penalty, t.max_epochs,
      name_of(t.rule));
}

}  // namespace xofm::app
