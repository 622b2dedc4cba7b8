#include "core/optimize/pair_sgd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/optimize/random_order.hpp"

namespace xofm::detail {

OrderedPairs::OrderedPairs(std::span<const int> labels, int class_count, std::span<const double> weights)
    : members_(static_cast<std::size_t>(class_count)), starts_{0} {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (!weights.empty() && weights[i] == 0) continue;
    members_[static_cast<std::size_t>(labels[i])].push_back(static_cast<std::uint32_t>(i));
  }
  for (std::size_t high = 1; high < members_.size(); ++high) {
    for (std::size_t low = 0; low < high; ++low) {
      blocks_.push_back({&members_[high], &members_[low]});
      starts_.push_back(starts_.back() + members_[high].size() * members_[low].size());
    }
  }
}

OrderedPairs::Pair OrderedPairs::operator[](std::uint64_t number) const {
  const auto above = std::upper_bound(starts_.begin(), starts_.end(), number);
  const auto index = static_cast<std::size_t>(above - starts_.begin()) - 1;
  const Block& block = blocks_[index];
  const std::uint64_t rest = number - starts_[index];
  return {(*block.higher)[rest / block.lower->size()], (*block.lower)[rest % block.lower->size()]};
}

namespace {

// What a step is for a gradient, parameter by parameter. What no gradient reaches keeps what it remembers, as if no
// time had passed: with sparse rows most steps reach few parameters.
class Steps {
 public:
  Steps(StepRule rule, std::size_t count)
      : rule_(rule), squares_(rule == StepRule::constant ? 0 : count), means_(rule == StepRule::adam ? count : 0) {}

  void set_rate(double learning_rate) { learning_rate_ = learning_rate; }

  // To be taken from the parameter.
  double of(std::size_t parameter, double gradient) {
    constexpr double least = 1e-8;  // keeps the first steps finite
    if (rule_ == StepRule::constant) return learning_rate_ * gradient;
    if (gradient == 0) return 0;
    Fading& square = squares_[parameter];
    if (rule_ == StepRule::adagrad) {
      square.sum += gradient * gradient;
      return learning_rate_ * gradient / (std::sqrt(square.sum) + least);
    }
    square.add(gradient * gradient, 0.999);
    return learning_rate_ * means_[parameter].add(gradient, 0.9) / (std::sqrt(square.mean()) + least);
  }

 private:
  // A mean in which older values weigh less and less. It begins at zero, whose weight is divided out.
  struct Fading {
    double sum = 0;
    double start = 1;  // weight of the beginning

    double mean() const { return sum / (1 - start); }
    double add(double value, double memory) {
      sum = memory * sum + (1 - memory) * value;
      start *= memory;
      return mean();
    }
  };

  StepRule rule_;
  double learning_rate_ = 0;
  std::vector<Fading> squares_;
  std::vector<Fading> means_;
};

// A row's factor sum and score.
struct Scored {
  std::vector<double> sum;  // sum_n Phi_n v_n
  double score = 0;
};

// Two ways to a score. Where pair after pair misses, each step changes everything, and a score is added up coordinate
// by coordinate. Once a pair is in order, most of the next ones will be, and change nothing: what is common to all rows
// is summed up, and a score then costs O(attributes * factors), whatever the number of segments.
class PairStepper {
 public:
  PairStepper(const SgdProblem& problem, Parameters start, StepRule rule)
      : problem_(problem),
        parameters_(std::move(start)),
        steps_(rule, parameters_.increments.size() + parameters_.factors.size()),
        k_(static_cast<std::size_t>(parameters_.factor_count)),
        roots_(parameters_.increments.size()),
        squares_(parameters_.increments.size()),
        before_(parameters_.increments.size() * (k_ + 2)),
        higher_phi_(parameters_.increments.size()),
        lower_phi_(parameters_.increments.size()) {
    higher_.sum.resize(k_);
    lower_.sum.resize(k_);
    // Delta = Delta'^2 has no slope at Delta' = 0, so the squares start at a small positive value.
    constexpr double least_root = 0.1;
    for (std::size_t n = 0; n < roots_.size(); ++n) {
      if (problem_.constraints.increments[n] != Bound::not_negative) continue;
      roots_[n] = std::max(std::sqrt(std::max(parameters_.increments[n], 0.0)), least_root);
      parameters_.increments[n] = roots_[n] * roots_[n];
    }
  }

  const Parameters& parameters() const { return parameters_; }

  // One step of Algorithm 1, lines 5-10, with the pair's share of the weights.
  void step(OrderedPairs::Pair pair, double pair_weight, double learning_rate) {
    if (has_sums_) {
      score_by_sums(pair.higher, higher_);
      score_by_sums(pair.lower, lower_);
    } else {
      expand(pair.higher, higher_phi_);
      expand(pair.lower, lower_phi_);
      score(higher_phi_, higher_);
      score(lower_phi_, lower_);
    }
    const double miss = std::max(0.0, lower_.score - higher_.score + problem_.loss.margin());
    const Penalties& penalties = problem_.penalties;
    const bool is_penalized = penalties.increment != 0 || penalties.factor != 0;
    if (miss == 0 && !is_penalized) {
      if (!has_sums_) sum_up();
      return;
    }
    if (has_sums_) {
      expand(pair.higher, higher_phi_);
      expand(pair.lower, lower_phi_);
    }
    const double slope = 2 * miss * pair_weight;  // d l^2 / d (U_lower - U_higher)
    const std::size_t count = higher_phi_.size();
    steps_.set_rate(learning_rate);
    for (std::size_t n = 0; n < count; ++n) {
      const double high = higher_phi_[n];
      const double low = lower_phi_[n];
      if (high == 0 && low == 0 && !is_penalized) continue;
      step_increment(n, slope * (low - high));
      double* const v = parameters_.factors.data() + n * k_;
      const Bound* const bounds = problem_.constraints.factors.data() + n * k_;
      for (std::size_t f = 0; f < k_; ++f) {
        if (bounds[f] == Bound::zero) continue;
        const double gradient =
            slope * (low * lower_.sum[f] - high * higher_.sum[f] - v[f] * (low * low - high * high));
        v[f] -= steps_.of(count + n * k_ + f, gradient + 2 * penalties.factor * v[f]);
        if (bounds[f] == Bound::not_negative) v[f] = std::max(v[f], 0.0);
      }
    }
    has_sums_ = false;
  }

 private:
  void step_increment(std::size_t n, double gradient) {
    double& u = parameters_.increments[n];
    gradient += 2 * problem_.penalties.increment * u;
    switch (problem_.constraints.increments[n]) {
      case Bound::free:
        u -= steps_.of(n, gradient);
        break;
      case Bound::not_negative:  // chain rule through u = root^2; the penalty stays on u
        roots_[n] -= steps_.of(n, 2 * roots_[n] * gradient);
        u = roots_[n] * roots_[n];
        break;
      case Bound::zero:
        break;
    }
  }

  // |v_n|^2, and for each segment what the full ones before it add: factors, increment, |v|^2.
  void sum_up() {
    for (std::size_t j = 0; j < problem_.encoder.attributes.size(); ++j) {
      const auto& attribute = problem_.encoder.attributes[j];
      const int segments = attribute.kind == AttributeKind::numeric ? attribute.segment_count() : 0;
      running_.assign(k_ + 2, 0.0);
      for (std::size_t n = problem_.encoder.offsets[j]; n < problem_.encoder.offsets[j + 1]; ++n) {
        const double* const v = parameters_.factors.data() + n * k_;
        squares_[n] = 0;
        for (std::size_t f = 0; f < k_; ++f) squares_[n] += v[f] * v[f];
        if (static_cast<int>(n - problem_.encoder.offsets[j]) >= segments) continue;  // nothing is before it
        std::copy(running_.begin(), running_.end(), before_.begin() + static_cast<std::ptrdiff_t>(n * (k_ + 2)));
        for (std::size_t f = 0; f < k_; ++f) running_[f] += v[f];
        running_[k_] += parameters_.increments[n];
        running_[k_ + 1] += squares_[n];
      }
    }
    has_sums_ = true;
  }

  void score(const std::vector<double>& phi, Scored& scored) const {
    std::fill(scored.sum.begin(), scored.sum.end(), 0.0);
    double linear = 0;
    double squares = 0;
    for (std::size_t n = 0; n < phi.size(); ++n) {
      if (phi[n] == 0) continue;
      const double* const v = parameters_.factors.data() + n * k_;
      double norm = 0;
      for (std::size_t f = 0; f < k_; ++f) {
        scored.sum[f] += phi[n] * v[f];
        norm += v[f] * v[f];
      }
      linear += phi[n] * parameters_.increments[n];
      squares += phi[n] * phi[n] * norm;
    }
    finish(linear, squares, scored);
  }

  void score_by_sums(std::size_t row, Scored& scored) const {
    std::fill(scored.sum.begin(), scored.sum.end(), 0.0);
    double linear = 0;
    double squares = 0;
    for (std::size_t j = 0; j < problem_.rows.attribute_count; ++j) {
      const std::size_t cell = row * problem_.rows.attribute_count + j;
      const std::size_t n = problem_.encoder.offsets[j] + static_cast<std::size_t>(problem_.rows.coordinates[cell]);
      const double phi = problem_.rows.fractions[cell];
      const double* const before = before_.data() + n * (k_ + 2);
      const double* const v = parameters_.factors.data() + n * k_;
      for (std::size_t f = 0; f < k_; ++f) scored.sum[f] += before[f] + phi * v[f];
      linear += before[k_] + phi * parameters_.increments[n];
      squares += before[k_ + 1] + phi * phi * squares_[n];
    }
    finish(linear, squares, scored);
  }

  static void finish(double linear, double squares, Scored& scored) {
    double square = 0;
    for (const double s : scored.sum) square += s * s;
    scored.score = linear + 0.5 * (square - squares);
  }

  // The attribute vector Phi of a row (Definition 1).
  void expand(std::size_t row, std::vector<double>& phi) const {
    std::fill(phi.begin(), phi.end(), 0.0);
    for (std::size_t j = 0; j < problem_.rows.attribute_count; ++j) {
      const std::size_t cell = row * problem_.rows.attribute_count + j;
      const int coordinate = problem_.rows.coordinates[cell];
      const std::size_t n = problem_.encoder.offsets[j] + static_cast<std::size_t>(coordinate);
      if (problem_.encoder.attributes[j].is_segment(coordinate)) {
        std::fill(phi.begin() + static_cast<std::ptrdiff_t>(problem_.encoder.offsets[j]),
                  phi.begin() + static_cast<std::ptrdiff_t>(n), 1.0);
      }
      phi[n] = problem_.rows.fractions[cell];
    }
  }

  const SgdProblem& problem_;
  Parameters parameters_;
  Steps steps_;
  std::size_t k_;
  std::vector<double> roots_;
  bool has_sums_ = false;        // whether the next two belong to the parameters as they are
  std::vector<double> squares_;  // |v_n|^2
  std::vector<double> before_;   // per coordinate: the sums over the segments before it
  std::vector<double> running_;
  Scored higher_;
  Scored lower_;
  std::vector<double> higher_phi_;
  std::vector<double> lower_phi_;
};

}  // namespace

Minimum minimize_sgd(const SgdProblem& problem, Parameters start, const OptimizerOptions& options, int max_epochs,
                     const Objective& evaluate, const std::function<bool(double, double)>& progress) {
  constexpr std::uint64_t pairs_between_calls = 1 << 16;
  constexpr std::size_t improvement_window = 10;
  const OrderedPairs pairs(problem.labels, problem.loss.class_count(), problem.weights);
  const auto weight = [&](std::size_t row) { return problem.weights.empty() ? 1.0 : problem.weights[row]; };

  Minimum best;
  bool is_at_start = true;
  const auto consider = [&](const Parameters& parameters) {
    std::vector<double> point = parameters.increments;
    point.insert(point.end(), parameters.factors.begin(), parameters.factors.end());
    std::vector<double> gradient(point.size());
    const double value = evaluate(point, gradient);
    if (best.point.empty() || value < best.objective) {
      is_at_start = best.point.empty();
      best.is_start = false;
      best.objective = value;
      best.point = std::move(point);
    } else if (!(value <= best.objective)) {
      best.is_start = is_at_start;
    }
    return std::isfinite(value);
  };
  const auto stop = [&](StopReason reason) {
    best.reason = reason;
    return std::move(best);
  };

  consider(start);  // before the stepper lifts bounded increments off zero: a warm start is never made worse
  PairStepper stepper(problem, std::move(start), options.step);
  std::vector<double> history = {best.objective};
  while (best.epochs < max_epochs) {
    if (best.objective == 0) return stop(StopReason::converged);  // no pair misses: nothing moves any more
    const RandomOrder order(pairs.count(), mix(options.seed) + static_cast<std::uint64_t>(best.epochs));
    for (std::uint64_t p = 0; p < pairs.count(); ++p) {
      const double epoch = best.epochs + static_cast<double>(p) / static_cast<double>(pairs.count());
      if (p % pairs_between_calls == 0 && progress && !progress(epoch, best.objective)) {
        consider(stepper.parameters());
        return stop(StopReason::interrupted);
      }
      const auto pair = pairs[order[p]];
      const double pair_weight =
          weight(pair.higher) * weight(pair.lower) *
          problem.loss.class_pair_weight(problem.labels[pair.higher], problem.labels[pair.lower]);
      stepper.step(pair, pair_weight, options.learning_rate / (1 + options.learning_rate_decay * epoch));
    }
    ++best.epochs;
    if (!consider(stepper.parameters())) return stop(StopReason::diverged);
    history.push_back(best.objective);
    if (history.size() > improvement_window) {
      const double before = history[history.size() - 1 - improvement_window];
      if (before - best.objective < options.tolerance * std::abs(best.objective)) return stop(StopReason::converged);
    }
  }
  return stop(StopReason::epoch_limit);
}

}  // namespace xofm::detail
