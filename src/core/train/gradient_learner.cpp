// Learning by gradients: L-BFGS on full ones, or the paper's descent pair by pair.

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/random.hpp"
#include "core/optimize/constraints.hpp"
#include "core/optimize/objective.hpp"
#include "core/optimize/pair_sgd.hpp"
#include "core/train/learner.hpp"

namespace xofm::detail {

namespace {

class GradientLearner : public Learner {
 public:
  GradientLearner(const LearningRows& rows, const TrainOptions& options, const Recipe& recipe, std::uint64_t seed,
                  const Parameters* warm_start);

  void advance(int epochs, const ProgressCallback& progress) override;
  Learned learned() const override { return learned_; }

 private:
  Parameters starting_point(int restart) const;
  Minimum minimize(const PairLoss& loss, Parameters start, int restart, int epochs, const ProgressCallback& progress);
  Minimum minimize_full(TrainingObjective& objective, std::vector<double> start, int epochs,
                        const std::function<bool(double, double)>& report) const;
  Penalties penalties() const;

  LearningRows rows_;
  const TrainOptions* options_;
  Recipe recipe_;
  std::uint64_t seed_;
  Constraints constraints_;
  Learned learned_;
  int allowed_ = 0;  // epochs so far
  bool is_started_ = false;
};

GradientLearner::GradientLearner(const LearningRows& rows, const TrainOptions& options, const Recipe& recipe,
                                 std::uint64_t seed, const Parameters* warm_start)
    : rows_(rows),
      options_(&options),
      recipe_(recipe),
      seed_(seed),
      constraints_(find_constraints(rows.encoder, recipe.factor_count)) {
  if (warm_start == nullptr) return;
  is_started_ = true;
  learned_.parameters = *warm_start;
}

Penalties GradientLearner::penalties() const {
  return {recipe_.increment_penalty, recipe_.factor_penalty, options_->smoothness_penalty, options_->pair_penalty,
          recipe_.sparsity_penalty};
}

// Random; or, for the first, where it stands, with further factors random and superfluous ones dropped.
Parameters GradientLearner::starting_point(int restart) const {
  Parameters start = random_start(rows_.encoder, recipe_, constraints_, seed_, restart);
  const auto k = static_cast<std::size_t>(start.factor_count);
  const std::size_t count = start.increments.size();
  if (is_started_ && restart == 1) {
    const Parameters& known = learned_.parameters;
    start.increments = known.increments;
    const auto known_k = static_cast<std::size_t>(known.factor_count);
    for (std::size_t n = 0; n < count; ++n) {
      for (std::size_t f = 0; f < std::min(k, known_k); ++f) start.factors[n * k + f] = known.factors[n * known_k + f];
    }
  }
  constraints_.project(start);
  return start;
}

Minimum GradientLearner::minimize_full(TrainingObjective& objective, std::vector<double> start, int epochs,
                                       const std::function<bool(double, double)>& report) const {
  const double tolerance = options_->optimizer.tolerance;
  const std::vector<double> lower = constraints_.lower_bounds();
  const Objective evaluate = std::ref(objective);
  Minimum minimum = minimize_lbfgs(evaluate, std::move(start), lower, epochs, tolerance, report);
  const bool may_go_on = minimum.reason == StopReason::converged || minimum.reason == StopReason::no_descent;
  const int used = minimum.epochs;
  if (options_->loss_form != LossForm::automatic || !objective.was_approximate() || !may_go_on || used >= epochs) {
    return minimum;
  }
  // The histogram has brought us near; the exact form finishes.
  objective.set_form(LossForm::sweep);
  minimum = minimize_lbfgs(evaluate, std::move(minimum.point), lower, epochs - used, tolerance,
                           [&](int more, double value) { return report(used + more, value); });
  minimum.epochs += used;
  return minimum;
}

Minimum GradientLearner::minimize(const PairLoss& loss, Parameters start, int restart, int epochs,
                                  const ProgressCallback& progress) {
  TrainingObjective objective(rows_.encoder, rows_.rows, loss, constraints_, recipe_.factor_count, penalties());
  objective.set_form(options_->loss_form);
  const int restart_count = allowed_ > 0 ? 1 : options_->optimizer.restart_count;
  const auto report = [&](double epoch, double value) {
    const double share = (restart - 1 + epoch / epochs) / restart_count;
    return !progress || progress({.share = share, .epoch = allowed_ + epoch, .objective = value});
  };
  if (recipe_.method == Optimizer::sgd) {
    const SgdProblem sgd{rows_.encoder, rows_.rows, rows_.labels, rows_.weights, loss, penalties(), constraints_};
    OptimizerOptions options = options_->optimizer;
    options.seed = mix(seed_ + static_cast<std::uint64_t>(restart));
    return minimize_sgd(sgd, std::move(start), options, epochs, std::ref(objective), report);
  }
  std::vector<double> point = std::move(start.increments);
  point.insert(point.end(), start.factors.begin(), start.factors.end());
  return minimize_full(objective, std::move(point), epochs, report);
}

void GradientLearner::advance(int epochs, const ProgressCallback& progress) {
  const int more = epochs - allowed_;
  if (more <= 0) return;
  const PairLoss loss(rows_.labels, rows_.class_count, rows_.weights, options_->margin, recipe_.pair_weighting);
  const int used = learned_.epochs;
  const bool was_random = !is_started_;
  Minimum best;
  const int restart_count = allowed_ > 0 ? 1 : options_->optimizer.restart_count;
  for (int restart = 1; restart <= restart_count; ++restart) {
    Minimum minimum = minimize(loss, starting_point(restart), restart, more, progress);
    const bool stop = minimum.reason == StopReason::interrupted;
    learned_.passes += minimum.epochs;
    if (restart == 1 || minimum.objective < best.objective) {
      best = std::move(minimum);
      if (allowed_ == 0) learned_.restart = restart;
    }
    if (stop) {
      best.reason = StopReason::interrupted;
      break;
    }
  }
  std::vector<double> ignored(best.point.size());
  learned_.objective = best.objective;
  learned_.loss = best.objective - add_penalties(rows_.encoder, recipe_.factor_count, penalties(), best.point, ignored);
  learned_.epochs = used + best.epochs;
  learned_.reason = best.reason;
  // A minimum of zero may be the start; a warm start is worth keeping unless training has left the finite numbers.
  learned_.is_untrained = best.is_start && ((was_random && best.objective > 0) || best.reason == StopReason::diverged);
  const auto split = best.point.begin() + static_cast<std::ptrdiff_t>(rows_.encoder.coordinate_count());
  learned_.parameters = {{best.point.begin(), split}, recipe_.factor_count, {split, best.point.end()}};
  constraints_.project(learned_.parameters);
  drop_vanished_groups(rows_.encoder, penalties(), learned_.parameters);
  allowed_ = epochs;
  is_started_ = true;
}

}  // namespace

Parameters random_start(const Encoder& encoder, const Recipe& recipe, const Constraints& constraints,
                        std::uint64_t seed, int restart) {
  Random random(seed, static_cast<std::uint64_t>(restart));
  Parameters start;
  start.factor_count = recipe.factor_count;
  start.increments.assign(encoder.coordinate_count(), 0.0);
  const std::size_t count = start.increments.size() * static_cast<std::size_t>(recipe.factor_count);
  for (std::size_t i = 0; i < count; ++i) {
    const double value = recipe.init_stddev * random.normal();
    start.factors.push_back(constraints.factors[i] == Bound::not_negative ? std::abs(value) : value);
  }
  constraints.project(start);
  return start;
}

std::unique_ptr<Learner> make_gradient_learner(const LearningRows& rows, const TrainOptions& options,
                                               const Recipe& recipe, std::uint64_t seed, const Parameters* warm_start) {
  return std::make_unique<GradientLearner>(rows, options, recipe, seed, warm_start);
}

}  // namespace xofm::detail
