#include "xofm/fit.hpp"

#include <algorithm>
#include <chrono>

#include "core/base/progress.hpp"
#include "core/options/fields.hpp"
#include "core/student/student_model.hpp"
#include "core/train/road.hpp"
#include "core/tune/paper_choice.hpp"
#include "core/tune/search.hpp"
#include "xofm/bands.hpp"

namespace xofm {

namespace {

constexpr double search_share = 0.75;  // of the progress, and of a time limit
constexpr double bands_share = 0.3;    // of the progress, if there are bands

Model searched(const Dataset& data, const TrainOptions& base, const SearchOptions& given,
               const ProgressCallback& progress) {
  SearchOptions options = given;
  const double time_limit = options.time_limit;
  options.time_limit *= search_share;
  const auto start = std::chrono::steady_clock::now();
  bool is_late = false;
  // What comes after the search ends with what it has when the time is up.
  const ProgressCallback in_time = [&](const Progress& p) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    is_late = is_late || (time_limit > 0 && elapsed.count() > time_limit);
    return (!progress || progress(p)) && !is_late;
  };
  detail::Found found;
  detail::run_search(data, base, options, detail::part_of(progress, 0, search_share), found);
  const TrainOptions& chosen = found.result.options;
  const bool has_terms = chosen.terms.pairs != PairChoice::all;
  Model model;
  if (found.teachers.by_fold.empty()) {
    // Nothing was trained before the search had to stop: the recipe that it would have started from, as far as it
    // comes.
    model = train(data, chosen, in_time).model;
  } else {
    const double taught = has_terms ? (1 + search_share) / 2 : 1;
    // The fits that judged a part of the rows have not seen it. Once asked to stop, they must do.
    if (found.folds->is_held_out() && in_time({.share = search_share, .phase = "train"})) {
      detail::Members whole = detail::fit_parts(data, chosen, chosen.optimizer.seed,
                                                detail::part_of(in_time, search_share, taught, "train"));
      const auto cut_off = [](const detail::Member& m) { return m.learned->reason == StopReason::interrupted; };
      if (std::none_of(whole.begin(), whole.end(), cut_off)) found.teachers.whole = std::move(whole);
    }
    model = has_terms ? detail::make_student(data, chosen, found.teachers, detail::part_of(in_time, taught, 1))
                      : detail::make_average(data, chosen, found.teachers);
    if (!has_terms) model.validation = found.result.validation;
  }
  model.record.search = std::move(found.result.record);
  model.record.search->time_limit = time_limit;
  model.record.search->out_of_time = model.record.search->out_of_time || is_late;
  model.record.interrupted = (model.record.interrupted && !is_late) || found.result.interrupted;
  return model;
}

}  // namespace

namespace {

Model chosen_as_paper(const Dataset& data, const TrainOptions& base, const SearchOptions& options,
                      const ProgressCallback& progress) {
  SearchResult chosen = detail::choose_as_paper(data, base, options, detail::part_of(progress, 0, search_share));
  Model model = detail::train_as_paper(data, chosen.options, detail::part_of(progress, search_share, 1, "train"));
  if (chosen.validation.trial_count > 0) model.validation = std::move(chosen.validation);
  model.record.search = std::move(chosen.record);
  model.record.interrupted = model.record.interrupted || chosen.interrupted;
  return model;
}

}  // namespace

Fit fit(const Dataset& data, const FitOptions& options, const ProgressCallback& progress) {
  const double model_end = options.band_count > 0 ? 1 - bands_share : 1;
  const ProgressCallback model_part = detail::part_of(progress, 0, model_end);
  Fit fit;
  if (options.search) {
    detail::check(*options.search);
    fit = detail::for_counting_rows(data, options.train, [&](const Dataset& rows, const TrainOptions& base) {
      return Fit{(options.search->paper ? chosen_as_paper : searched)(rows, base, *options.search, model_part)};
    });
  } else {
    fit = train(data, options.train, model_part);
  }
  if (options.band_count > 0 && !fit.interrupted()) {
    fit.model.bands = fit_bands(fit.model, data, {.refit_count = options.band_count},
                                detail::part_of(progress, model_end, 1, "bands"));
    fit.model.record.interrupted = !fit.model.bands;
  }
  return fit;
}

SearchResult search(const Dataset& data, const TrainOptions& base, const SearchOptions& options,
                    const ProgressCallback& progress) {
  detail::check(options);
  SearchResult result;
  detail::for_counting_rows(data, base, [&](const Dataset& rows, const TrainOptions& rest) {
    if (options.paper) {
      result = detail::choose_as_paper(rows, rest, options, progress);
      return Fit{};
    }
    detail::Found found;
    detail::run_search(rows, rest, options, progress, found);
    result = std::move(found.result);
    return Fit{};
  });
  result.options.class_weights = base.class_weights;
  return result;
}

}  // namespace xofm
