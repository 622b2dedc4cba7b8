#include "core/optimize/pair_sgd.hpp"

#include <algorithm>
#include <array>
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

// The attribute vector Phi of a row (Definition 1) with its factor sum and score.
struct Expanded {
  std::vector<double> phi;
  std::vector<double> sum;  // sum_n Phi_n v_n
  double score = 0;
};

class PairStepper {
 public:
  PairStepper(const SgdProblem& problem, Parameters start)
      : problem_(problem), parameters_(std::move(start)), roots_(parameters_.increments.size()) {
    const auto k = static_cast<std::size_t>(parameters_.factor_count);
    for (Expanded* row : {&higher_, &lower_}) {
      row->phi.resize(parameters_.increments.size());
      row->sum.resize(k);
    }
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
    expand(pair.higher, higher_);
    expand(pair.lower, lower_);
    const double miss = std::max(0.0, lower_.score - higher_.score + problem_.loss.margin());
    const Penalties& penalties = problem_.penalties;
    const bool is_penalized = penalties.increment != 0 || penalties.factor != 0;
    if (miss == 0 && !is_penalized) return;
    const double slope = 2 * miss * pair_weight;  // d l^2 / d (U_lower - U_higher)
    const auto k = static_cast<std::size_t>(parameters_.factor_count);
    for (std::size_t n = 0; n < higher_.phi.size(); ++n) {
      const double high = higher_.phi[n];
      const double low = lower_.phi[n];
      if (high == 0 && low == 0 && !is_penalized) continue;
      step_increment(n, slope * (low - high), learning_rate);
      double* const v = parameters_.factors.data() + n * k;
      const Bound* const bounds = problem_.constraints.factors.data() + n * k;
      for (std::size_t f = 0; f < k; ++f) {
        if (bounds[f] == Bound::zero) continue;
        const double gradient =
            slope * (low * lower_.sum[f] - high * higher_.sum[f] - v[f] * (low * low - high * high));
        v[f] -= learning_rate * (gradient + 2 * penalties.factor * v[f]);
        if (bounds[f] == Bound::not_negative) v[f] = std::max(v[f], 0.0);
      }
    }
  }

 private:
  void step_increment(std::size_t n, double gradient, double learning_rate) {
    double& u = parameters_.increments[n];
    switch (problem_.constraints.increments[n]) {
      case Bound::free:
        u -= learning_rate * (gradient + 2 * problem_.penalties.increment * u);
        break;
      case Bound::not_negative:  // chain rule through u = root^2; the penalty stays on u
        roots_[n] -= learning_rate * 2 * roots_[n] * (gradient + 2 * problem_.penalties.increment * u);
        u = roots_[n] * roots_[n];
        break;
      case Bound::zero:
        break;
    }
  }

  void expand(std::size_t row, Expanded& expanded) const {
    // The paper's number of factors; known to the compiler, the sums stay in registers.
    if (parameters_.factor_count == 4) {
      expand<4>(row, expanded);
    } else {
      expand<0>(row, expanded);
    }
  }

  // Factors: their number, or 0 for any.
  template <std::size_t Factors>
  void expand(std::size_t row, Expanded& expanded) const {
    const auto& encoder = problem_.encoder;
    const std::size_t k = Factors > 0 ? Factors : static_cast<std::size_t>(parameters_.factor_count);
    std::fill(expanded.phi.begin(), expanded.phi.end(), 0.0);
    std::fill(expanded.sum.begin(), expanded.sum.end(), 0.0);
    std::array<double, Factors> fixed_sum{};
    double* const sum = Factors > 0 ? fixed_sum.data() : expanded.sum.data();
    double linear = 0;
    double squares = 0;
    const auto fill = [&](std::size_t n, double phi) {
      expanded.phi[n] = phi;
      linear += phi * parameters_.increments[n];
      const double* const v = parameters_.factors.data() + n * k;
      double square = 0;
      for (std::size_t f = 0; f < k; ++f) {
        sum[f] += phi * v[f];
        square += v[f] * v[f];
      }
      squares += phi * phi * square;
    };
    for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
      const std::size_t cell = row * problem_.rows.attribute_count + j;
      const int coordinate = problem_.rows.coordinates[cell];
      const std::size_t offset = encoder.offsets[j];
      if (encoder.attributes[j].is_segment(coordinate)) {
        for (int c = 0; c < coordinate; ++c) fill(offset + static_cast<std::size_t>(c), 1.0);
      }
      fill(offset + static_cast<std::size_t>(coordinate), problem_.rows.fractions[cell]);
    }
    if (Factors > 0) std::copy_n(sum, k, expanded.sum.begin());
    double square = 0;
    for (const double s : expanded.sum) square += s * s;
    expanded.score = linear + 0.5 * (square - squares);
  }

  const SgdProblem& problem_;
  Parameters parameters_;
  std::vector<double> roots_;
  Expanded higher_;
  Expanded lower_;
};

}  // namespace

Minimum minimize_sgd(const SgdProblem& problem, Parameters start, const OptimizerOptions& options,
                     const Objective& evaluate, const std::function<bool(double, double)>& progress) {
  constexpr std::uint64_t pairs_between_calls = 1 << 16;
  constexpr std::size_t improvement_window = 10;
  const OrderedPairs pairs(problem.labels, problem.loss.class_count(), problem.weights);
  const auto weight = [&](std::size_t row) { return problem.weights.empty() ? 1.0 : problem.weights[row]; };

  Minimum best;
  const auto consider = [&](const Parameters& parameters) {
    std::vector<double> point = parameters.increments;
    point.insert(point.end(), parameters.factors.begin(), parameters.factors.end());
    std::vector<double> gradient(point.size());
    const double value = evaluate(point, gradient);
    if (best.point.empty() || value < best.objective) {
      best.objective = value;
      best.point = std::move(point);
    }
    return std::isfinite(value);
  };
  const auto stop = [&](StopReason reason) {
    best.reason = reason;
    return std::move(best);
  };

  consider(start);  // before the stepper lifts bounded increments off zero: a warm start is never made worse
  PairStepper stepper(problem, std::move(start));
  std::vector<double> history = {best.objective};
  while (best.epochs < options.max_epochs) {
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
