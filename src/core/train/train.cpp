#include "xofm/train.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/progress.hpp"
#include "core/base/random.hpp"
#include "core/data/class_weights.hpp"
#include "core/options/fields.hpp"
#include "core/student/student_model.hpp"
#include "core/train/average.hpp"
#include "core/train/directions.hpp"
#include "core/train/finish.hpp"
#include "core/train/road.hpp"
#include "xofm/error.hpp"
#include "xofm/names.hpp"

namespace xofm {

TrainOptions paper_preset() {
  TrainOptions options;
  Recipe& recipe = options.recipe();
  recipe.knots = KnotPlacement::equal_width;
  recipe.segment_count = 5;
  recipe.increment_penalty = 0;
  recipe.factor_penalty = 0;
  recipe.method = Optimizer::sgd;
  recipe.max_epochs = 20;
  options.assignment.rule = AssignmentRule::support;
  options.assignment.reference_scores = ReferenceScores::training;
  return options;
}

namespace {

// Its encoder reads the columns by position and the levels by code: both must mean the same.
void check_warm_start(const Model& warm_start, const Dataset& data, const TrainOptions& options) {
  if (options.bag_count > 1 || options.parts.size() > 1) {
    throw Error(ErrorCode::invalid_option,
                "a warm start serves a single fit; with bag_count above 1 or several parts leave it out");
  }
  if (!detail::traits_of(options.recipe().method).starts_warm) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("{} starts from nothing; leave the warm start out, or take lbfgs",
                            name_of(options.recipe().method)));
  }
  if (warm_start.terms || options.terms.pairs != PairChoice::all) {
    throw Error(ErrorCode::invalid_option,
                "a warm start serves models with u and V; curves and chosen pairs are made anew. Leave the warm start "
                "out, or train both with --pairs all");
  }
  const auto& known = warm_start.schema.attributes;
  const auto& given = data.schema.attributes;
  if (known.size() != given.size()) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("the warm start has {} attributes; the rows have {}", known.size(), given.size()));
  }
  for (std::size_t j = 0; j < known.size(); ++j) {
    if (known[j].name != given[j].name || known[j].kind != given[j].kind || known[j].levels != given[j].levels) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("attribute {} is '{}' in the warm start and '{}' in the rows; they must agree in name, "
                              "kind and levels",
                              j + 1, known[j].name, given[j].name));
    }
    const auto& directions = options.attributes.directions;
    const auto wanted = directions.find(known[j].name);
    const Direction kept = warm_start.encoder.attributes[j].direction;
    if (wanted != directions.end() && wanted->second != kept) {
      throw Error(
          ErrorCode::invalid_option,
          fmt::format("attribute '{}' is to be {}, but the warm start has it as {} and keeps it so; train without "
                      "a warm start",
                      known[j].name, name_of(wanted->second), name_of(kept)));
    }
  }
}

// Whether a single fit takes scores of unseen rows. By itself not where refits are slow, nor where a fold would be a
// handful of rows.
bool takes_unseen_scores(const Dataset& data, const TrainOptions& options) {
  constexpr std::size_t least_fold = 10;
  if (options.bag_count > 1) return true;
  if (options.assignment.reference_scores == ReferenceScores::training) return false;
  if (options.assignment.reference_scores == ReferenceScores::out_of_sample) return true;
  const auto is_quick = [](const Recipe& part) { return detail::traits_of(part.method).is_quick; };
  return std::all_of(options.parts.begin(), options.parts.end(), is_quick) &&
         data.row_count() >= least_fold * static_cast<std::size_t>(options.assignment.fold_count) &&
         detail::has_quick_refits(data.row_count(), data.attribute_count());
}

// One fit of all rows on the knots of the warm start.
detail::Members continue_from(const Model& warm_start, const Dataset& data, const TrainOptions& options,
                              const ProgressCallback& progress) {
  const detail::Encoding encoding{std::make_shared<const Encoder>(warm_start.encoder),
                                  encode(warm_start.encoder, data)};
  const detail::LearningRows rows{*encoding.encoder, encoding.rows, data.labels, data.schema.class_count(),
                                  data.weights};
  return {detail::make_member(
      encoding,
      detail::learn(rows, options, options.recipe(), options.optimizer.seed, progress, &warm_start.parameters), 1,
      data.weights)};
}

}  // namespace

Model detail::make_average(const Dataset& data, const TrainOptions& options, const Teachers& teachers) {
  const Members members = teachers.all();
  Model model;
  model.schema = data.schema;
  model.options = options;
  model.options.attributes = directed_attributes(data, options);
  Average mean = average(members);
  model.encoder = std::move(mean.encoder);
  model.parameters = std::move(mean.parameters);
  model.certificate = certify(model.encoder, model.parameters);
  std::vector<double> unseen;
  if (!teachers.by_fold.empty()) {
    unseen = teachers.for_all_rows(unseen_scores(*teachers.folds, teachers.by_fold), data.row_count());
  }
  finish_model(model, data, std::move(unseen), members);
  model.record.interrupted = teachers.interrupted;
  if (teachers.interrupted) model.summary.stop_reason = StopReason::interrupted;
  return model;
}

Fit detail::for_counting_rows(const Dataset& data, const TrainOptions& options,
                              const std::function<Fit(const Dataset&, const TrainOptions&)>& make) {
  check(data);
  check(options);
  check_methods(options);
  if (data.labels.empty()) throw Error(ErrorCode::invalid_data, "training needs labelled rows; there are none");
  if (data.columns.empty()) throw Error(ErrorCode::invalid_data, "training needs at least one attribute");
  TrainOptions rest = options;
  rest.class_weights.clear();
  const Dataset weighted = options.class_weights.empty() ? Dataset{} : weight_classes(data, options.class_weights);
  const Dataset& all = options.class_weights.empty() ? data : weighted;
  Fit fit;
  if (std::find(all.weights.begin(), all.weights.end(), 0.0) == all.weights.end()) {
    fit = make(all, rest);
  } else {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < all.row_count(); ++i) {
      if (all.weights[i] > 0) kept.push_back(i);
    }
    fit = make(subset(all, kept), rest);
    for (auto& points : fit.model.assignment.reference.classes) {
      for (auto& point : points) point.row = kept[point.row - 1] + 1;  // rows as they were given
    }
  }
  Reference& reference = fit.model.assignment.reference;
  reference.ids.clear();
  for (const auto& points : reference.classes) {
    if (data.ids.empty()) break;
    auto& ids = reference.ids.emplace_back();
    for (const auto& point : points) ids.push_back(data.ids[point.row - 1]);
  }
  fit.model.options.class_weights = options.class_weights;
  return fit;
}

namespace {

// Curves and a few pairs. Rows and options make sense, and all rows count.
Model train_student(const Dataset& data, const TrainOptions& options, const ProgressCallback& progress) {
  constexpr double teaching_share = 0.7;
  const int fold_count = options.assignment.fold_count;
  // Of many rows one fold is held out, and the teacher of the model learns from all.
  const bool holds_out = options.bag_count == 1 && !detail::has_quick_refits(data.row_count(), data.attribute_count());
  const detail::Folds folds(data, fold_count, detail::mix(options.optimizer.seed ^ 0xf01d), holds_out);
  detail::Teachers teachers{&folds};
  const ProgressCallback noted = detail::noting(progress, teachers.interrupted);
  const double folds_end = holds_out ? teaching_share / 2 : teaching_share;
  const int round_count = (options.bag_count + fold_count - 1) / fold_count;
  teachers.by_fold =
      detail::fit_folds(folds, options, round_count, false, detail::part_of(noted, 0, folds_end, "train"));
  if (holds_out) {
    teachers.whole = detail::fit_parts(data, options, options.optimizer.seed,
                                       detail::part_of(noted, folds_end, teaching_share, "train"));
  }
  return detail::make_student(data, options, teachers, detail::part_of(noted, teaching_share, 1));
}

// u and V.
Model train_average(const Dataset& data, const TrainOptions& options, const ProgressCallback& progress,
                    const Model* warm_start) {
  const bool is_bagged = options.bag_count > 1;
  const int fold_count =
      is_bagged ? std::min(options.assignment.fold_count, options.bag_count) : options.assignment.fold_count;
  std::optional<detail::Folds> folds;
  detail::Teachers teachers;
  const ProgressCallback noted = detail::noting(progress, teachers.interrupted);
  const bool has_folds = is_bagged || takes_unseen_scores(data, options);
  const double whole_end = is_bagged ? 0.0 : has_folds ? 1.0 / (1 + fold_count) : 1.0;
  if (!is_bagged) {
    const ProgressCallback part = detail::part_of(noted, 0, whole_end, "train");
    teachers.whole = warm_start != nullptr ? continue_from(*warm_start, data, options, part)
                                           : detail::fit_parts(data, options, options.optimizer.seed, part);
  }
  if (has_folds && !teachers.interrupted) {
    folds.emplace(data, fold_count, detail::mix(options.optimizer.seed ^ 0xf01d));
    teachers.folds = &*folds;
    const int round_count = is_bagged ? (options.bag_count + fold_count - 1) / fold_count : 1;
    teachers.by_fold =
        detail::fit_folds(*folds, options, round_count, true, detail::part_of(noted, whole_end, 1, "train"));
    // Half a refit says nothing about the fit.
    if (teachers.interrupted && !is_bagged) teachers.by_fold.clear();
  }
  return detail::make_average(data, options, teachers);
}

}  // namespace

Fit train(const Dataset& data, const TrainOptions& options, const ProgressCallback& progress, const Model* warm_start) {
  return detail::for_counting_rows(data, options, [&](const Dataset& rows, const TrainOptions& rest) {
    if (rest.terms.pairs != PairChoice::all && warm_start == nullptr) return Fit{train_student(rows, rest, progress)};
    TrainOptions own = rest;
    if (warm_start != nullptr) {
      check_warm_start(*warm_start, rows, rest);
      const Recipe& known = warm_start->options.recipe();
      own.recipe().knots = known.knots;
      own.recipe().segment_count = known.segment_count;
      own.recipe().spike_share = known.spike_share;
      own.attributes = warm_start->options.attributes;
    }
    return Fit{train_average(rows, own, progress, warm_start)};
  });
}

}  // namespace xofm
