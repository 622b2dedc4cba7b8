#include "xofm/train.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/score/score_table.hpp"
#include "core/student/train_terms.hpp"
#include "core/train/blend.hpp"
#include "core/train/class_weights.hpp"
#include "core/train/directions.hpp"
#include "core/train/distribution.hpp"
#include "core/train/factors.hpp"
#include "core/train/learn.hpp"
#include "core/train/resample.hpp"
#include "xofm/error.hpp"
#include "xofm/names.hpp"

namespace xofm {

TrainOptions paper_preset() {
  TrainOptions options;
  options.encoder.knots = KnotPlacement::equal_width;
  options.encoder.segment_count = 5;
  options.increment_penalty = 0;
  options.factor_penalty = 0;
  options.optimizer.method = Optimizer::sgd;
  options.optimizer.max_epochs = 20;
  options.assignment.rule = AssignmentRule::support;
  options.assignment.reference_scores = ReferenceScores::training;
  return options;
}

namespace {

void check_options(const TrainOptions& options) {
  const auto need = [](bool ok, const char* name, auto value, const char* allowed) {
    if (!ok) throw Error(ErrorCode::invalid_option, fmt::format("{} is {}; it must be {}", name, value, allowed));
  };
  const auto& optimizer = options.optimizer;
  need(options.factor_count >= 0 && options.factor_count <= 1000, "factor_count", options.factor_count, "0 to 1000");
  need(options.auto_direction >= 0 && options.auto_direction <= 1, "auto_direction", options.auto_direction, "0 to 1");
  need(options.margin > 0 && std::isfinite(options.margin), "margin", options.margin, "a positive number");
  need(options.increment_penalty >= 0 && std::isfinite(options.increment_penalty), "increment_penalty",
       options.increment_penalty, "0 or more");
  need(options.factor_penalty >= 0 && std::isfinite(options.factor_penalty), "factor_penalty", options.factor_penalty,
       "0 or more");
  need(options.smoothness_penalty >= 0 && std::isfinite(options.smoothness_penalty), "smoothness_penalty",
       options.smoothness_penalty, "0 or more");
  need(options.pair_penalty >= 0 && std::isfinite(options.pair_penalty), "pair_penalty", options.pair_penalty,
       "0 or more");
  need(options.sparsity_penalty >= 0 && std::isfinite(options.sparsity_penalty), "sparsity_penalty",
       options.sparsity_penalty, "0 or more");
  const bool has_other_penalties =
      options.smoothness_penalty > 0 || options.pair_penalty > 0 || options.sparsity_penalty > 0;
  if (optimizer.method != Optimizer::lbfgs && has_other_penalties) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("smoothness_penalty, pair_penalty and sparsity_penalty need the method lbfgs; {}",
                            optimizer.method == Optimizer::sgd ? "sgd is the paper's and has its penalties only"
                                                               : "boost has increment_penalty only"));
  }
  const auto is_directed = [](const auto& entry) { return entry.second != Direction::none; };
  const auto& directions = options.encoder.directions;
  if (optimizer.method == Optimizer::boost &&
      (options.auto_direction > 0 || std::any_of(directions.begin(), directions.end(), is_directed))) {
    throw Error(ErrorCode::invalid_option, "boost cannot keep a direction; monotone attributes need lbfgs or sgd");
  }
  need(optimizer.max_epochs >= 1, "max_epochs", optimizer.max_epochs, "at least 1");
  need(optimizer.tolerance >= 0 && std::isfinite(optimizer.tolerance), "tolerance", optimizer.tolerance, "0 or more");
  need(optimizer.restart_count >= 1, "restart_count", optimizer.restart_count, "at least 1");
  need(optimizer.init_stddev >= 0 && std::isfinite(optimizer.init_stddev), "init_stddev", optimizer.init_stddev,
       "0 or more");
  need(optimizer.learning_rate > 0 && std::isfinite(optimizer.learning_rate), "learning_rate", optimizer.learning_rate,
       "a positive number");
  need(optimizer.learning_rate_decay >= 0 && std::isfinite(optimizer.learning_rate_decay), "learning_rate_decay",
       optimizer.learning_rate_decay, "0 or more");
  need(options.terms.pair_count >= 0, "pair_count", options.terms.pair_count, "0 or more");
  need(options.terms.most_terms >= 0, "most_terms", options.terms.most_terms, "0 or more");
  need(options.bag_count >= 1 && options.bag_count <= 1000, "bag_count", options.bag_count, "1 to 1000");
  need(options.assignment.fold_count >= 2 && options.assignment.fold_count <= 100, "fold_count",
       options.assignment.fold_count, "2 to 100");
  need(options.assignment.reference_limit >= 2, "reference_limit", options.assignment.reference_limit, "at least 2");
}

// Its encoder reads the columns by position and the levels by code: both must mean the same.
void check_warm_start(const Model& warm_start, const Dataset& data, const EncoderOptions& options) {
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
    const auto wanted = options.directions.find(known[j].name);
    const Direction kept = warm_start.encoder.attributes[j].direction;
    if (wanted != options.directions.end() && wanted->second != kept) {
      throw Error(
          ErrorCode::invalid_option,
          fmt::format("attribute '{}' is to be {}, but the warm start has it as {} and keeps it so; train without "
                      "a warm start",
                      known[j].name, name_of(wanted->second), name_of(kept)));
    }
  }
}

void check_blend(const std::vector<BlendPart>& blend) {
  for (const BlendPart& part : blend) {
    if (!(part.count >= 1)) {
      throw Error(ErrorCode::invalid_option,
                  fmt::format("a part of the blend has count {}; it must be 1 or more", part.count));
    }
    if (part.recipe.auto_direction != blend.front().recipe.auto_direction) {
      throw Error(ErrorCode::invalid_option, "the parts of a blend must have the same auto_direction");
    }
  }
}

struct Trained {
  detail::LearnedScores scores;
  TrainingDistribution distribution;
};

// Everything that needs the encoded rows, which are as large as the data and end here.
Trained learn_all(const Dataset& data, const TrainOptions& options, const Encoder& encoder,
                  const ProgressCallback& progress, const Model* warm_start) {
  const EncodedRows rows = encode(encoder, data);
  const detail::LearningRows learning{encoder, rows, data.labels, data.schema.class_count(), data.weights};
  const Parameters* const start = warm_start != nullptr ? &warm_start->parameters : nullptr;
  return {detail::learn_scores(learning, options, progress, start), detail::describe(data, encoder, rows)};
}

// Rows of weight zero have no part in anything: not in knots, not in class intervals.
Fit train_weighted(const Dataset& data, const TrainOptions& options, const ProgressCallback& progress,
                   const Model* warm_start) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    if (data.weights[i] > 0) kept.push_back(i);
  }
  Fit fit = train(subset(data, kept), options, progress, warm_start);
  for (auto& points : fit.model.assignment.reference.classes) {
    for (auto& point : points) point.row = kept[point.row - 1] + 1;  // rows as they were given
  }
  return fit;
}

// What it says of the rows.
void summarize(const Dataset& data, TrainingSummary& summary) {
  summary.row_count = data.row_count();
  summary.class_weights.assign(static_cast<std::size_t>(data.schema.class_count()), 0.0);
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    summary.class_weights[static_cast<std::size_t>(data.labels[i])] += data.weights.empty() ? 1.0 : data.weights[i];
  }
  summary.data_fingerprint = detail::fingerprint(data);
}

}  // namespace

Fit train(const Dataset& data, const TrainOptions& options, const ProgressCallback& progress, const Model* warm_start) {
  check(data);
  check_options(options);
  check_blend(options.blend);
  for (const BlendPart& part : options.blend) {
    TrainOptions own = options;
    detail::apply(part.recipe, own);
    check_options(own);
  }
  if (data.labels.empty()) throw Error(ErrorCode::invalid_data, "training needs labelled rows; there are none");
  if (data.columns.empty()) throw Error(ErrorCode::invalid_data, "training needs at least one attribute");
  if (!options.class_weights.empty()) {
    TrainOptions rest = options;
    rest.class_weights.clear();
    Fit fit = train(detail::weight_classes(data, options.class_weights), rest, progress, warm_start);
    fit.model.options.class_weights = options.class_weights;
    return fit;
  }
  if (std::any_of(data.weights.begin(), data.weights.end(), [](double w) { return w == 0; })) {
    return train_weighted(data, options, progress, warm_start);
  }
  if (warm_start != nullptr && (options.bag_count > 1 || !options.blend.empty())) {
    throw Error(ErrorCode::invalid_option,
                "a warm start serves a single fit; with bag_count above 1 or a blend leave it out");
  }
  if (warm_start != nullptr && options.optimizer.method == Optimizer::boost) {
    throw Error(ErrorCode::invalid_option, "boost starts from nothing; leave the warm start out, or take lbfgs");
  }
  if (warm_start != nullptr && (warm_start->terms || options.terms.pairs != PairChoice::all)) {
    throw Error(ErrorCode::invalid_option,
                "a warm start serves models with u and V; curves and chosen pairs are made anew. Leave the warm start "
                "out, or train both with --pairs all");
  }
  if (warm_start != nullptr) check_warm_start(*warm_start, data, options.encoder);

  if (options.terms.pairs != PairChoice::all) {
    Fit fit = detail::train_terms(data, options, progress);
    summarize(data, fit.model.summary);
    return fit;
  }
  Fit fit;
  Model& model = fit.model;
  model.schema = data.schema;
  model.options = options;
  Trained trained;
  if (!options.blend.empty()) {
    detail::Blend blend = detail::plan_blend(data, options);
    trained.scores = detail::learn_blend(blend, data, progress);
    model.options.encoder = std::move(blend.encoder_options);
    model.encoder = std::move(blend.encoder);
    const auto is_boosted = [](const BlendPart& part) { return part.recipe.method == Optimizer::boost; };
    if (std::any_of(options.blend.begin(), options.blend.end(), is_boosted)) {
      Parameters& parameters = trained.scores.learned.parameters;
      detail::drop_idle_knots(model.encoder, parameters);
      detail::drop_idle_factors(parameters);
      trained.scores.training_scores = detail::score_rows(model.encoder, parameters, encode(model.encoder, data));
    }
    trained.distribution = detail::describe(data, model.encoder, encode(model.encoder, data));
  } else {
    model.options.encoder =
        warm_start != nullptr ? warm_start->options.encoder : detail::directed_encoder(data, options);
    model.encoder = warm_start != nullptr ? warm_start->encoder : fit_encoder(data, model.options.encoder);
    trained = learn_all(data, options, model.encoder, progress, warm_start);
  }
  const detail::Learned& learned = trained.scores.learned;
  model.parameters = learned.parameters;
  model.distribution = std::move(trained.distribution);
  model.certificate = certify(model.encoder, model.parameters);
  model.assignment = fit_assignment(trained.scores.training_scores, trained.scores.unseen_scores, data.labels,
                                    data.weights, data.schema.class_count(), options.margin, options.assignment);

  TrainingSummary& summary = model.summary;
  summarize(data, summary);
  summary.objective = learned.objective;
  summary.loss = learned.loss;
  summary.epochs = learned.epochs;
  summary.best_restart = learned.restart;
  summary.stop_reason = learned.reason;
  return fit;
}

}  // namespace xofm
