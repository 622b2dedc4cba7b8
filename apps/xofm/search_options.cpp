#include "search_options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "options.hpp"

namespace xofm::app {

namespace {

// "20000" passes, "90s", "5m" or "1h" of time.
void parse_budget(const std::string& text, FitArguments& arguments) {
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
  arguments.search_changes.emplace_back([=](SearchOptions& search) {
    (seconds > 0 ? search.time_limit : search.pass_budget) = seconds > 0 ? number * seconds : number;
  });
}

bool wants_search(const FitArguments& arguments, const TrainOptions& train, const Dataset& data) {
  if (arguments.tune) return *arguments.tune;
  return arguments.warm_start.empty() && arguments.preset == "default" && arguments.options_of.empty() &&
         train.recipe().method == Optimizer::lbfgs && suits_search(data);
}

SearchOptions search_options(const CLI::App& app, const FitArguments& arguments, const TrainOptions& train) {
  if (app.count("--bag-count") > 0) {
    throw Error(ErrorCode::invalid_option,
                "--bag-count needs --no-tune: a search averages the fits of its folds already");
  }
  SearchOptions search;
  search.aim = train.assignment.aim;
  search.fold_count = train.assignment.fold_count;
  for (const auto& apply : arguments.search_changes) apply(search);
  detail::for_each_train_field([&](const auto& field) {
    using Options = typename std::remove_cvref_t<decltype(field)>::Options;
    if (field.list == nullptr || app.count(flag_of(field)) == 0) return;
    search.space.*field.list = {detail::within<Options>(train).*field.member};
  });
  if (arguments.preset == "paper") {
    PaperGrid& grid = search.paper.emplace();
    if (app.count("--segment-count") > 0) grid.segment_counts = {train.recipe().segment_count};
    if (app.count("--margin") > 0) grid.margins = {train.margin};
    if (app.count("--method") > 0) grid.most_pairs = std::numeric_limits<double>::infinity();
  }
  detail::check(search);
  return search;
}

}  // namespace

void add_search_options(CLI::App& app, FitArguments& arguments) {
  const std::string group(detail::group::search);
  as_list(app.add_option_function<std::vector<std::string>>(
              "--budget",
              [&arguments](const std::vector<std::string>& parts) {
                for (const auto& part : parts) parse_budget(part, arguments);
              },
              "Training passes to spend (repeatable), or time (60s, 5m), after which the best so far is taken"),
          "PASSES|TIME,...")
      ->default_str("by the size of the data")
      ->group(group);
  const SearchOptions defaults;
  detail::for_each_field<SearchOptions>([&](const auto& field) {
    using Value = typename std::remove_cvref_t<decltype(field)>::Value;
    add_field(app, field, defaults.*field.member, [&arguments, member = field.member](Value value) {
      arguments.search_changes.emplace_back([=](SearchOptions& search) { search.*member = value; });
    });
  });
  // What --aim was called before; hidden.
  add_choice<Aim>(app, "--metric", Aim::mae, "", [&arguments](Aim aim) {
    arguments.changes.emplace_back([=](TrainOptions& train) { train.assignment.aim = aim; });
  })->group("");
}

void add_search_choice(CLI::App& app, FitArguments& arguments) {
  app.add_flag_callback(
         "--tune", [&arguments] { arguments.tune = true; }, "Search for the options, on very large data too")
      ->group("Search");
  app.add_flag_callback(
         "--no-tune", [&arguments] { arguments.tune = false; }, "Do not search: train with the options as they are")
      ->group("Search");
}

void check_search_choice(const CLI::App& app, const FitArguments& arguments) {
  const bool has_choice = app.get_option_no_throw("--no-tune") != nullptr;
  if (has_choice && app.count("--tune") > 0 && app.count("--no-tune") > 0) {
    throw CLI::ValidationError("--tune", "and --no-tune contradict each other; leave one of the two out");
  }
  if (arguments.tune.value_or(false) && (!arguments.warm_start.empty() || !arguments.options_of.empty())) {
    throw CLI::ValidationError("--tune",
                               "a search goes neither with --warm-start nor with --options-of; leave one out");
  }
  const bool is_paper = arguments.preset == "paper";
  if (arguments.tune.value_or(true) && !is_paper) return;
  const auto refuse = [&](const std::string& flag) {
    if (app.count(flag) == 0) return;
    throw CLI::ValidationError(
        flag, is_paper ? "belongs to the search that --preset paper does without; leave one of the two out"
                       : "belongs to the search that --no-tune forbids; leave one of the two out");
  };
  refuse("--budget");
  detail::for_each_field<SearchOptions>([&](const auto& field) {
    if (field.has_flag) refuse(flag_of(field));
  });
}

FitOptions fit_options(const CLI::App& app, const FitArguments& arguments, const TrainOptions& train,
                       const Dataset& data) {
  FitOptions options{.train = train, .search = std::nullopt, .band_count = arguments.bands};
  if (wants_search(arguments, train, data)) {
    options.search = search_options(app, arguments, train);
    if (!arguments.has_pairs && !options.search->paper) options.train.terms.pairs = PairChoice::automatic;
  }
  return options;
}

}  // namespace xofm::app
