// LBFGSpp with what it lacks: a callback, a limit on evaluations, a stopping rule of our own, and a line search whose
// failure is an outcome and not an exception.
#include <LBFGS.h>
#include <LBFGSB.h>

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "xofm/optimize.hpp"

namespace xofm {

namespace {

using Vector = Eigen::VectorXd;

constexpr int memory = 10;              // pairs of steps kept
constexpr int improvement_window = 10;  // evaluations over which an improvement is asked for
constexpr int max_blind_count = 25;     // below the steps of a line search, which would take the wall for a minimum

// Leaves LBFGSpp's loop from inside an evaluation.
struct Stop {
  StopReason reason;
};

class Evaluations {
 public:
  Evaluations(const Objective& objective, int max_epochs, double tolerance,
              const std::function<bool(int, double)>& progress)
      : objective_(objective), max_epochs_(max_epochs), tolerance_(tolerance), progress_(progress) {
    best_.objective = std::numeric_limits<double>::infinity();
  }

  double operator()(const Vector& x, Vector& gradient) {
    if (best_.epochs >= max_epochs_) throw Stop{StopReason::epoch_limit};
    const std::span<const double> point(x.data(), static_cast<std::size_t>(x.size()));
    gradient.resize(x.size());
    double value = objective_(point, {gradient.data(), point.size()});
    ++best_.epochs;
    if (std::isfinite(value)) {
      if (history_.empty()) first_value_ = value;
      blind_count_ = 0;
    } else {
      // No number here. The interpolation of the line search would carry an infinity or NaN into the point itself, so
      // it gets a level wall as high as the start, from which it steps back.
      if (history_.empty() || ++blind_count_ > max_blind_count) throw Stop{StopReason::no_descent};
      value = first_value_;
      gradient.setZero();
    }
    if (value < best_.objective) {
      best_.objective = value;
      best_.point.assign(point.begin(), point.end());
    }
    history_.push_back(best_.objective);
    if (progress_ && !progress_(best_.epochs, best_.objective)) throw Stop{StopReason::interrupted};
    if (history_.size() > improvement_window) {
      const double before = history_[history_.size() - 1 - improvement_window];
      if (before - best_.objective < tolerance_ * std::abs(best_.objective)) throw Stop{StopReason::converged};
    }
    return value;
  }

  const Minimum& best() const { return best_; }
  Minimum finish(StopReason reason) {
    best_.reason = reason;
    return std::move(best_);
  }

 private:
  const Objective& objective_;
  int max_epochs_;
  double tolerance_;
  const std::function<bool(int, double)>& progress_;
  Minimum best_;
  std::vector<double> history_;  // best value after each evaluation
  double first_value_ = 0;
  int blind_count_ = 0;  // evaluations in a row without a finite value
};

template <class Param>
Param parameters() {
  Param param;
  param.m = memory;
  param.epsilon = 0;  // a gradient of zero still ends it
  param.epsilon_rel = 1e-12;
  param.max_iterations = 0;  // Evaluations counts
  param.max_linesearch = 30;
  return param;
}

// One run of LBFGSpp; it ends in all the ways that throw, or at a point without slope.
StopReason run(Evaluations& evaluations, Vector x, const std::optional<Vector>& lower) {
  double value = 0;
  try {
    if (lower) {
      auto param = parameters<LBFGSpp::LBFGSBParam<double>>();
      const Vector upper = Vector::Constant(x.size(), std::numeric_limits<double>::infinity());
      LBFGSpp::LBFGSBSolver<double>(param).minimize(evaluations, x, value, *lower, upper);
    } else {
      auto param = parameters<LBFGSpp::LBFGSParam<double>>();
      param.linesearch = LBFGSpp::LBFGS_LINESEARCH_BACKTRACKING_STRONG_WOLFE;
      LBFGSpp::LBFGSSolver<double, LBFGSpp::LineSearchNocedalWright>(param).minimize(evaluations, x, value);
    }
    return StopReason::converged;
  } catch (const Stop& stop) {
    return stop.reason;
  } catch (const std::runtime_error&) {  // the line search found no acceptable step
  } catch (const std::logic_error&) {    // the direction does not descend, or is not a number
  }
  return StopReason::no_descent;
}

}  // namespace

Minimum minimize_lbfgs(const Objective& objective, std::vector<double> start, std::span<const double> lower,
                       int max_epochs, double tolerance, const std::function<bool(int, double)>& progress) {
  std::optional<Vector> bounds;
  if (!lower.empty()) bounds = Eigen::Map<const Vector>(lower.data(), static_cast<Eigen::Index>(lower.size()));
  Evaluations evaluations(objective, max_epochs, tolerance, progress);
  Vector x = Eigen::Map<const Vector>(start.data(), static_cast<Eigen::Index>(start.size()));
  // A failed line search often means stale memory only: begin anew from the best point as long as that helps.
  for (double before = std::numeric_limits<double>::infinity();;) {
    const StopReason reason = run(evaluations, x, bounds);
    const Minimum& best = evaluations.best();
    if (reason != StopReason::no_descent || !(best.objective < before)) {
      if (best.point.empty()) return {std::move(start), best.objective, best.epochs, reason};
      return evaluations.finish(reason);
    }
    before = best.objective;
    x = Eigen::Map<const Vector>(best.point.data(), static_cast<Eigen::Index>(best.point.size()));
  }
}

}  // namespace xofm
