#include "xofm/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/train/class_weights.hpp"
#include "core/tune/candidates.hpp"
#include "core/tune/search.hpp"
#include "xofm/error.hpp"

namespace xofm {

namespace {

// Rows of weight zero have no part in anything.
Dataset weighted_rows(const Dataset& data) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    if (data.weights[i] > 0) kept.push_back(i);
  }
  return subset(data, kept);
}

void check(const TuneOptions& options) {
  const auto need = [](bool ok, const char* name, auto value, const char* allowed) {
    if (!ok) throw Error(ErrorCode::invalid_option, fmt::format("{} is {}; it must be {}", name, value, allowed));
  };
  need(options.bag_count >= 1 && options.bag_count <= 1000, "bag_count", options.bag_count, "1 to 1000");
  need(options.pass_budget >= 0 && std::isfinite(options.pass_budget), "pass_budget", options.pass_budget, "0 or more");
  need(options.time_limit >= 0 && std::isfinite(options.time_limit), "time_limit", options.time_limit, "0 or more");
  detail::check(options.space);
}

}  // namespace

double default_pass_budget(const Dataset& data) {
  const double work = static_cast<double>(data.row_count()) * (static_cast<double>(data.attribute_count()) + 10);
  return std::round(std::clamp(4e9 / std::max(work, 1.0), 2e4, 4e4));
}

bool suits_tuning(const Dataset& data) {
  return static_cast<double>(data.row_count()) * (static_cast<double>(data.attribute_count()) + 10) <= 3e5;
}

TuneResult tune(const Dataset& given, const TrainOptions& base_options, const TuneOptions& options,
                const TuneCallback& progress) {
  check(options);
  xofm::check(given);
  if (!base_options.class_weights.empty()) {
    TrainOptions rest = base_options;
    rest.class_weights.clear();
    TuneResult result = tune(detail::weight_classes(given, base_options.class_weights), rest, options, progress);
    result.options.class_weights = base_options.class_weights;
    return result;
  }
  const bool has_zeros = std::any_of(given.weights.begin(), given.weights.end(), [](double w) { return w == 0; });
  const Dataset kept = has_zeros ? weighted_rows(given) : Dataset{};
  const Dataset& data = has_zeros ? kept : given;
  TrainOptions base = base_options;
  base.assignment.aim = options.metric;
  base.bag_count = 1;
  const double budget = options.pass_budget > 0 ? options.pass_budget : default_pass_budget(data);
  detail::Watch watch(options, progress);
  const detail::Search search{data, base, options, watch};
  std::vector<TriedOptions> ranking = detail::screen_candidates(search, budget * detail::screening_share);
  detail::FinalsResult finals = detail::play_finals(search, ranking, budget * (1 - detail::screening_share));

  TuneResult result;
  TuningRecord& record = result.record;
  record.metric = options.metric;
  record.seed = options.seed;
  record.fold_count = options.fold_count;
  record.pass_budget = budget;
  record.passes = watch.passes();
  record.time_limit = options.time_limit;
  record.out_of_time = watch.out_of_time();
  record.interrupted = watch.interrupted();
  record.chosen = finals.chosen;
  result.validation = std::move(finals.validation);
  if (finals.finalists.empty()) {
    // Stopped too early: the best of the screening, or, if nothing is known yet, the options given.
    if (ranking.empty()) {
      ranking.push_back(detail::starting_candidate(options.space));
      ranking.front().max_epochs = options.space.max_epochs.back();
    }
    result.options = search.options_of(ranking.front());
    result.options.bag_count = options.bag_count;
  } else {
    result.options = std::move(finals.options);
    record.tried = finals.finalists;
    std::erase_if(ranking, [&](const TriedOptions& candidate) {
      return std::any_of(finals.finalists.begin(), finals.finalists.end(),
                         [&](const TriedOptions& finalist) { return detail::is_same_model(candidate, finalist); });
    });
  }
  record.tried.insert(record.tried.end(), ranking.begin(), ranking.end());
  return result;
}

}  // namespace xofm
