#include "core/train/learn.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/random.hpp"
#include "core/optimize/pair_sgd.hpp"
#include "core/train/boost.hpp"
#include "core/train/constraints.hpp"
#include "core/train/objective.hpp"

namespace xofm::detail {

namespace {

// Increments zero, factors normal (Algorithm 1, line 2), inside the constraints; or the warm start's, with further
// factors random and superfluous ones dropped.
Parameters starting_point(const Encoder& encoder, const TrainOptions& options, const Constraints& constraints,
                          const Parameters* warm_start, int restart) {
  Random random(options.optimizer.seed, static_cast<std::uint64_t>(restart));
  Parameters start;
  start.factor_count = options.factor_count;
  const auto k = static_cast<std::size_t>(start.factor_count);
  start.increments.assign(encoder.coordinate_count(), 0.0);
  for (std::size_t i = 0; i < encoder.coordinate_count() * k; ++i) {
    const double value = options.optimizer.init_stddev * random.normal();
    start.factors.push_back(constraints.factors[i] == Bound::not_negative ? std::abs(value) : value);
  }
  if (warm_start != nullptr && restart == 1) {
    start.increments = warm_start->increments;
    const auto old_k = static_cast<std::size_t>(warm_start->factor_count);
    for (std::size_t n = 0; n < encoder.coordinate_count(); ++n) {
      for (std::size_t f = 0; f < std::min(k, old_k); ++f) {
        start.factors[n * k + f] = warm_start->factors[n * old_k + f];
      }
    }
  }
  constraints.project(start);
  return start;
}

Penalties penalties_of(const TrainOptions& options) {
  return {options.increment_penalty, options.factor_penalty, options.smoothness_penalty, options.pair_penalty,
          options.sparsity_penalty};
}

struct Problem {
  const LearningRows& rows;
  const TrainOptions& options;
  const Constraints& constraints;
  const PairLoss& loss;
};

using Report = std::function<bool(double epoch, double objective)>;

Minimum run_lbfgs(const Problem& problem, TrainingObjective& objective, std::vector<double> start,
                  const Report& report) {
  const auto& options = problem.options.optimizer;
  const std::vector<double> lower = problem.constraints.lower_bounds();
  const Objective evaluate = std::ref(objective);
  objective.set_form(problem.options.loss_form);
  Minimum minimum = minimize_lbfgs(evaluate, std::move(start), lower, options.max_epochs, options.tolerance, report);
  const bool may_go_on = minimum.reason == StopReason::converged || minimum.reason == StopReason::no_descent;
  if (problem.options.loss_form != LossForm::automatic || !objective.was_approximate() || !may_go_on) return minimum;
  // The histogram has brought us near; the exact form finishes.
  const int used = minimum.epochs;
  if (used >= options.max_epochs) return minimum;
  objective.set_form(LossForm::sweep);
  const auto continued = [&](int epochs, double value) { return report(used + epochs, value); };
  minimum = minimize_lbfgs(evaluate, std::move(minimum.point), lower, options.max_epochs - used, options.tolerance,
                           continued);
  minimum.epochs += used;
  return minimum;
}

Minimum run_sgd(const Problem& problem, TrainingObjective& objective, Parameters start, std::uint64_t seed,
                const Report& report) {
  const SgdProblem sgd{problem.rows.encoder, problem.rows.rows, problem.rows.labels,
                       problem.rows.weights, problem.loss,      penalties_of(problem.options),
                       problem.constraints};
  OptimizerOptions options = problem.options.optimizer;
  options.seed = seed;
  objective.set_form(problem.options.loss_form);
  return minimize_sgd(sgd, std::move(start), options, std::ref(objective), report);
}

Learned boosted(const LearningRows& rows, const TrainOptions& options, const ProgressCallback& progress) {
  Booster booster(rows, options);
  Learned learned;
  learned.reason = booster.grow(options.optimizer.max_epochs, progress);
  learned.parameters = booster.parameters();
  learned.objective = learned.loss = booster.loss();
  learned.epochs = booster.tree_count();
  return learned;
}

}  // namespace

Learned learn(const LearningRows& rows, const TrainOptions& options, const ProgressCallback& progress,
              const Parameters* warm_start) {
  if (options.optimizer.method == Optimizer::boost) return boosted(rows, options, progress);
  const Constraints constraints = find_constraints(rows.encoder, options.factor_count);
  const PairLoss loss(rows.labels, rows.class_count, rows.weights, options.margin, options.pair_weighting);
  TrainingObjective objective(rows.encoder, rows.rows, loss, constraints, options.factor_count, penalties_of(options));
  const Problem problem{rows, options, constraints, loss};
  const auto& optimizer = options.optimizer;
  Minimum best;
  Learned learned;
  for (int restart = 1; restart <= optimizer.restart_count; ++restart) {
    const Report report = [&](double epoch, double value) {
      const double share = (restart - 1 + epoch / optimizer.max_epochs) / optimizer.restart_count;
      return !progress || progress({restart, optimizer.restart_count, epoch, optimizer.max_epochs, value, share});
    };
    Parameters start = starting_point(rows.encoder, options, constraints, warm_start, restart);
    Minimum minimum;
    if (optimizer.method == Optimizer::sgd) {
      minimum = run_sgd(problem, objective, std::move(start), mix(optimizer.seed + static_cast<std::uint64_t>(restart)),
                        report);
    } else {
      std::vector<double> point = std::move(start.increments);
      point.insert(point.end(), start.factors.begin(), start.factors.end());
      minimum = run_lbfgs(problem, objective, std::move(point), report);
    }
    const bool stop = minimum.reason == StopReason::interrupted;
    if (restart == 1 || minimum.objective < best.objective) {
      best = std::move(minimum);
      learned.restart = restart;
    }
    if (stop) {
      best.reason = StopReason::interrupted;
      break;
    }
  }
  learned.objective = best.objective;
  std::vector<double> ignored(best.point.size());
  learned.loss =
      best.objective - add_penalties(rows.encoder, options.factor_count, penalties_of(options), best.point, ignored);
  learned.epochs = best.epochs;
  learned.reason = best.reason;
  const auto split = best.point.begin() + static_cast<std::ptrdiff_t>(rows.encoder.coordinate_count());
  learned.parameters = {{best.point.begin(), split}, options.factor_count, {split, best.point.end()}};
  constraints.project(learned.parameters);
  drop_vanished_groups(rows.encoder, penalties_of(options), learned.parameters);
  return learned;
}

}  // namespace xofm::detail
