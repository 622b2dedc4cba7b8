#include "xofm/train.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/base/random.hpp"
#include "core/optimize/pair_sgd.hpp"
#include "core/score/score_table.hpp"
#include "core/train/constraints.hpp"
#include "core/train/objective.hpp"
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
  return options;
}

namespace {

using detail::Constraints;
using detail::TrainingObjective;

void check_options(const TrainOptions& options) {
  const auto need = [](bool ok, const char* name, auto value, const char* allowed) {
    if (!ok) throw Error(ErrorCode::invalid_option, fmt::format("{} is {}; it must be {}", name, value, allowed));
  };
  const auto& optimizer = options.optimizer;
  need(options.factor_count >= 0 && options.factor_count <= 1000, "factor_count", options.factor_count, "0 to 1000");
  need(options.margin > 0 && std::isfinite(options.margin), "margin", options.margin, "a positive number");
  need(options.increment_penalty >= 0 && std::isfinite(options.increment_penalty), "increment_penalty",
       options.increment_penalty, "0 or more");
  need(options.factor_penalty >= 0 && std::isfinite(options.factor_penalty), "factor_penalty", options.factor_penalty,
       "0 or more");
  need(optimizer.max_epochs >= 1, "max_epochs", optimizer.max_epochs, "at least 1");
  need(optimizer.tolerance >= 0 && std::isfinite(optimizer.tolerance), "tolerance", optimizer.tolerance, "0 or more");
  need(optimizer.restart_count >= 1, "restart_count", optimizer.restart_count, "at least 1");
  need(optimizer.init_stddev >= 0 && std::isfinite(optimizer.init_stddev), "init_stddev", optimizer.init_stddev,
       "0 or more");
  need(optimizer.learning_rate > 0 && std::isfinite(optimizer.learning_rate), "learning_rate", optimizer.learning_rate,
       "a positive number");
  need(optimizer.learning_rate_decay >= 0 && std::isfinite(optimizer.learning_rate_decay), "learning_rate_decay",
       optimizer.learning_rate_decay, "0 or more");
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

std::uint64_t fingerprint(const Dataset& data) {
  std::uint64_t hash = detail::mix(data.row_count());
  const auto add = [&](std::uint64_t bits) { hash = detail::mix(hash ^ bits); };
  for (const auto& column : data.columns) {
    for (const double value : column) add(std::bit_cast<std::uint64_t>(value));
  }
  for (const int label : data.labels) add(static_cast<std::uint64_t>(label));
  for (const double weight : data.weights) add(std::bit_cast<std::uint64_t>(weight));
  return hash;
}

// Increments zero, factors normal (Algorithm 1, line 2), inside the constraints; or the warm start's, with further
// factors random and superfluous ones dropped.
Parameters starting_point(const Encoder& encoder, const TrainOptions& options, const Constraints& constraints,
                          const Model* warm_start, int restart) {
  detail::Random random(options.optimizer.seed, static_cast<std::uint64_t>(restart));
  Parameters start;
  start.factor_count = options.factor_count;
  const auto k = static_cast<std::size_t>(start.factor_count);
  start.increments.assign(encoder.coordinate_count(), 0.0);
  for (std::size_t i = 0; i < encoder.coordinate_count() * k; ++i) {
    const double value = options.optimizer.init_stddev * random.normal();
    start.factors.push_back(constraints.factors[i] == detail::Bound::not_negative ? std::abs(value) : value);
  }
  if (warm_start != nullptr && restart == 1) {
    start.increments = warm_start->parameters.increments;
    const auto old_k = static_cast<std::size_t>(warm_start->parameters.factor_count);
    for (std::size_t n = 0; n < encoder.coordinate_count(); ++n) {
      for (std::size_t f = 0; f < std::min(k, old_k); ++f) {
        start.factors[n * k + f] = warm_start->parameters.factors[n * old_k + f];
      }
    }
  }
  constraints.project(start);
  return start;
}

struct Problem {
  const Dataset& data;
  const TrainOptions& options;
  const Encoder& encoder;
  const EncodedRows& rows;
  const Constraints& constraints;
  const PairLoss& loss;
};

Minimum run_lbfgs(const Problem& problem, TrainingObjective& objective, std::vector<double> start,
                  const std::function<bool(double, double)>& progress) {
  const auto& options = problem.options.optimizer;
  const std::vector<double> lower = problem.constraints.lower_bounds();
  const Objective evaluate = std::ref(objective);
  objective.set_form(problem.options.loss_form);
  Minimum minimum = minimize_lbfgs(evaluate, std::move(start), lower, options.max_epochs, options.tolerance, progress);
  const bool may_go_on = minimum.reason == StopReason::converged || minimum.reason == StopReason::no_descent;
  if (problem.options.loss_form != LossForm::automatic || !objective.was_approximate() || !may_go_on) return minimum;
  // The histogram has brought us near; the exact form finishes.
  const int used = minimum.epochs;
  if (used >= options.max_epochs) return minimum;
  objective.set_form(LossForm::sweep);
  const auto continued = [&](int epochs, double value) { return !progress || progress(used + epochs, value); };
  minimum = minimize_lbfgs(evaluate, std::move(minimum.point), lower, options.max_epochs - used, options.tolerance,
                           continued);
  minimum.epochs += used;
  return minimum;
}

Minimum run_sgd(const Problem& problem, TrainingObjective& objective, Parameters start, std::uint64_t seed,
                const std::function<bool(double, double)>& progress) {
  const detail::SgdProblem sgd{problem.encoder,
                               problem.rows,
                               problem.data.labels,
                               problem.data.schema.class_count(),
                               problem.data.weights,
                               problem.options.margin,
                               {problem.options.increment_penalty, problem.options.factor_penalty},
                               problem.constraints};
  OptimizerOptions options = problem.options.optimizer;
  options.seed = seed;
  objective.set_form(problem.options.loss_form);
  return detail::minimize_sgd(sgd, std::move(start), options, std::ref(objective), progress);
}

struct Winner {
  Minimum minimum;
  int restart = 1;
};

Winner minimize(const Problem& problem, TrainingObjective& objective, const ProgressCallback& progress,
                const Model* warm_start) {
  const auto& options = problem.options.optimizer;
  Winner winner;
  for (int restart = 1; restart <= options.restart_count; ++restart) {
    const auto report = [&](double epoch, double value) {
      return !progress || progress({restart, options.restart_count, epoch, options.max_epochs, value});
    };
    Parameters start = starting_point(problem.encoder, problem.options, problem.constraints, warm_start, restart);
    Minimum minimum;
    if (options.method == Optimizer::sgd) {
      minimum = run_sgd(problem, objective, std::move(start),
                        detail::mix(options.seed + static_cast<std::uint64_t>(restart)), report);
    } else {
      std::vector<double> point = std::move(start.increments);
      point.insert(point.end(), start.factors.begin(), start.factors.end());
      minimum = run_lbfgs(problem, objective, std::move(point), report);
    }
    const bool stop = minimum.reason == StopReason::interrupted;
    if (restart == 1 || minimum.objective < winner.minimum.objective) winner = {std::move(minimum), restart};
    if (stop) {
      winner.minimum.reason = StopReason::interrupted;
      break;
    }
  }
  return winner;
}

TrainingDistribution describe(const Dataset& data, const Encoder& encoder, const EncodedRows& rows) {
  TrainingDistribution distribution;
  const std::size_t coordinates = encoder.coordinate_count();
  const auto classes = static_cast<std::size_t>(data.schema.class_count());
  distribution.mean_encoding.assign(coordinates, 0.0);
  distribution.class_histogram.assign(coordinates, std::vector<double>(classes));
  double total = 0;
  for (std::size_t i = 0; i < rows.row_count; ++i) {
    const double w = data.weights.empty() ? 1.0 : data.weights[i];
    total += w;
    for (std::size_t j = 0; j < rows.attribute_count; ++j) {
      const std::size_t cell = i * rows.attribute_count + j;
      const std::size_t n = encoder.offsets[j] + rows.coordinates[cell];
      distribution.class_histogram[n][static_cast<std::size_t>(data.labels[i])] += w;
      distribution.mean_encoding[n] += w * rows.fractions[cell];
    }
  }
  // So far each coordinate has its own fractions; the rows in later segments fill it too.
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    double after = 0;
    for (int c = encoder.attributes[j].coordinate_count() - 1; c >= 0; --c) {
      if (!encoder.attributes[j].is_segment(c)) continue;
      const std::size_t n = encoder.offsets[j] + static_cast<std::size_t>(c);
      distribution.mean_encoding[n] += after;
      for (const double w : distribution.class_histogram[n]) after += w;
    }
  }
  for (double& mean : distribution.mean_encoding) mean /= total;
  return distribution;
}

struct Learned {
  Parameters parameters;
  TrainingDistribution distribution;
  std::vector<double> scores;  // of the training rows
  Minimum minimum;
  int restart = 1;
};

// Everything that needs the encoded rows, which are as large as the data and end here.
Learned learn(const Dataset& data, const TrainOptions& options, const Encoder& encoder,
              const ProgressCallback& progress, const Model* warm_start) {
  const EncodedRows rows = encode(encoder, data);
  const Constraints constraints = detail::find_constraints(encoder, options.factor_count);
  const PairLoss loss(data.labels, data.schema.class_count(), data.weights, options.margin);
  TrainingObjective objective(encoder, rows, loss, constraints, options.factor_count,
                              {options.increment_penalty, options.factor_penalty});
  Winner winner = minimize({data, options, encoder, rows, constraints, loss}, objective, progress, warm_start);

  Learned learned;
  const auto& point = winner.minimum.point;
  const auto split = point.begin() + static_cast<std::ptrdiff_t>(encoder.coordinate_count());
  learned.parameters.factor_count = options.factor_count;
  learned.parameters.increments.assign(point.begin(), split);
  learned.parameters.factors.assign(split, point.end());
  constraints.project(learned.parameters);
  learned.distribution = describe(data, encoder, rows);
  learned.scores = detail::score_rows(encoder, learned.parameters, rows);
  learned.minimum = std::move(winner.minimum);
  learned.restart = winner.restart;
  return learned;
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

}  // namespace

Fit train(const Dataset& data, const TrainOptions& options, const ProgressCallback& progress, const Model* warm_start) {
  check(data);
  check_options(options);
  if (data.labels.empty()) throw Error(ErrorCode::invalid_data, "training needs labelled rows; there are none");
  if (data.columns.empty()) throw Error(ErrorCode::invalid_data, "training needs at least one attribute");
  if (std::any_of(data.weights.begin(), data.weights.end(), [](double w) { return w == 0; })) {
    return train_weighted(data, options, progress, warm_start);
  }
  if (warm_start != nullptr) check_warm_start(*warm_start, data, options.encoder);

  Fit fit;
  Model& model = fit.model;
  model.schema = data.schema;
  model.options = options;
  if (warm_start != nullptr) model.options.encoder = warm_start->options.encoder;
  model.encoder = warm_start != nullptr ? warm_start->encoder : fit_encoder(data, options.encoder);
  Learned learned = learn(data, options, model.encoder, progress, warm_start);
  model.parameters = std::move(learned.parameters);
  model.distribution = std::move(learned.distribution);
  model.certificate = certify(model.encoder, model.parameters);
  model.assignment = fit_assignment(learned.scores, data.labels, data.weights, data.schema.class_count(),
                                    options.margin, options.assignment);

  TrainingSummary& summary = model.summary;
  summary.row_count = data.row_count();
  summary.class_weights.assign(static_cast<std::size_t>(data.schema.class_count()), 0.0);
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    summary.class_weights[static_cast<std::size_t>(data.labels[i])] += data.weights.empty() ? 1.0 : data.weights[i];
  }
  summary.objective = learned.minimum.objective;
  const auto squares = [](const std::vector<double>& v) {
    return std::inner_product(v.begin(), v.end(), v.begin(), 0.0);
  };
  summary.loss = summary.objective - options.increment_penalty * squares(model.parameters.increments) -
                 options.factor_penalty * squares(model.parameters.factors);
  summary.epochs = learned.minimum.epochs;
  summary.best_restart = learned.restart;
  summary.stop_reason = learned.minimum.reason;
  summary.data_fingerprint = fingerprint(data);
  return fit;
}

}  // namespace xofm
