#include "core/train/gibbs.hpp"

#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "core/base/parallel.hpp"
#include "core/sample/draw.hpp"
#include "core/sample/mixing.hpp"
#include "core/score/score_table.hpp"
#include "xofm/error.hpp"
#include "xofm/loss.hpp"

namespace xofm::detail {

namespace {

constexpr std::size_t most_draws = 128;    // kept of a chain, first half included
constexpr std::size_t watched_rows = 100;  // whose scores are looked at
constexpr double mixed = 1.1;              // R-hat

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// quantities(draw) gives `count` numbers.
template <class Chains, class Quantities>
SamplingRecord::Mixing worst_mixing(const Chains& chains, std::size_t count, const Quantities& quantities) {
  std::vector<std::vector<std::vector<double>>> values(count);  // [quantity][chain][draw]
  for (const auto& chain : chains) {
    for (auto& of_quantity : values) of_quantity.emplace_back();
    for (const auto* const draw : chain) {
      const std::vector<double> now = quantities(*draw);
      for (std::size_t q = 0; q < count; ++q) values[q].back().push_back(now[q]);
    }
  }
  SamplingRecord::Mixing worst{1, HUGE_VAL};
  for (const auto& of_quantity : values) worsen(worst, mixing_of(of_quantity));
  return worst;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

Gibbs::Gibbs(const LearningRows& rows, const TrainOptions& options, const Recipe& recipe, std::uint64_t seed)
    : encoder_(&rows.encoder),
      nodes_(make_nodes(rows.encoder, rows.rows, rows.labels, rows.class_count, rows.weights)),
      loss_(rows.labels, rows.class_count, rows.weights, options.margin, recipe.pair_weighting),
      factor_count_(recipe.factor_count),
      rows_(&rows.rows),
      draws_(static_cast<std::size_t>(options.optimizer.chain_count)),
      strides_(draws_.size(), 1) {
  for (const double weight : rows.weights) {
    if (weight == 0 || weight == 1) continue;
    throw Error(
        ErrorCode::invalid_option,
        "gibbs counts every row alike: it draws a latent score for each; leave weights and class_weights out, or "
        "take lbfgs");
  }
  for (std::size_t c = 0; c < draws_.size(); ++c) {
    chains_.emplace_back(nodes_, factor_count_, recipe.init_stddev, seed, c);
  }
}

void Gibbs::advance(int sweep_count, const ProgressCallback& progress) {
  const int from = sweep_count_;
  // Chains stop together, so that a run that was stopped is a shorter run.
  constexpr int sweeps_between_calls = 10;
  while (sweep_count_ < sweep_count && !is_interrupted_) {
    const int until = std::min(sweep_count, sweep_count_ + sweeps_between_calls);
    parallel_for(chains_.size(), [&](std::size_t c) {
      std::vector<Kept>& draws = draws_[c];
      for (int sweep = sweep_count_ + 1; sweep <= until; ++sweep) {
        chains_[c].sweep();
        if (sweep % strides_[c] != 0) continue;
        draws.push_back(keep(sweep, chains_[c].draw()));
        if (draws.size() < most_draws) continue;
        strides_[c] *= 2;
        std::erase_if(draws, [&](const Kept& kept) { return kept.sweep % strides_[c] != 0; });
      }
    });
    sweep_count_ = until;
    const double share = static_cast<double>(sweep_count_ - from) / (sweep_count - from);
    is_interrupted_ = progress && !progress({.share = share, .epoch = static_cast<double>(sweep_count_)});
  }
}

Gibbs::Kept Gibbs::keep(int sweep, const Draw& draw) {
  Kept kept{sweep, mean_of(draw.scores), {draw.curves, draw.factors, draw.cuts, {}}};
  const std::size_t count = std::min(watched_rows, draw.scores.size());
  for (std::size_t i = 0; i < count; ++i) kept.draw.scores.push_back(draw.scores[i * draw.scores.size() / count]);
  return kept;
}

Gibbs::Draws Gibbs::kept(std::size_t chain) const {
  Draws kept;
  for (const Kept& one : draws_[chain]) {
    if (2 * one.sweep > sweep_count_) kept.push_back(&one);
  }
  return kept;
}

// Coordinates change the values of their nodes: within segments a coordinate is the step from the node before.
Parameters Gibbs::parameters_of(const Draw& draw) const {
  const auto k = static_cast<std::size_t>(factor_count_);
  Parameters parameters{draw.curves, factor_count_, draw.factors};
  for (const Nodes::Attribute& attribute : nodes_.attributes) {
    for (std::size_t n = attribute.first + std::max<std::size_t>(attribute.widths.size(), 1);
         n-- > attribute.first + 1;) {
      parameters.increments[n] -= parameters.increments[n - 1];
      for (std::size_t f = 0; f < k; ++f) parameters.factors[n * k + f] -= parameters.factors[(n - 1) * k + f];
    }
    // What Equation 4 adds for two segments of one attribute the draw does not have: piecewise linear in it, a step of
    // <sum of v before, v> across each segment.
    std::vector<double> before(k);
    for (std::size_t s = 0; s < attribute.widths.size(); ++s) {
      const std::size_t n = attribute.first + s;
      for (std::size_t f = 0; f < k; ++f) {
        parameters.increments[n] -= before[f] * parameters.factors[n * k + f];
        before[f] += parameters.factors[n * k + f];
      }
    }
  }
  return parameters;
}

std::vector<Parameters> Gibbs::draws() const {
  std::vector<Parameters> all;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    for (const Kept* const one : kept(c)) all.push_back(parameters_of(one->draw));
  }
  return all;
}

Parameters Gibbs::mean() const {
  constexpr double idle = 1e-10;  // of all squares: factors that together carry less are left out
  const std::vector<Parameters> all = draws();
  const auto count = static_cast<double>(all.size());
  const auto size = static_cast<Eigen::Index>(encoder_->coordinate_count());
  Parameters mean;
  mean.increments.assign(encoder_->coordinate_count(), 0.0);
  Eigen::MatrixXd products = Eigen::MatrixXd::Zero(size, size);
  for (const Parameters& one : all) {
    for (std::size_t n = 0; n < mean.increments.size(); ++n) mean.increments[n] += one.increments[n] / count;
    if (factor_count_ == 0) continue;
    const Eigen::Map<const RowMatrix> factors(one.factors.data(), size, factor_count_);
    products.noalias() += factors * factors.transpose() / count;
  }
  if (factor_count_ == 0) return mean;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(products);
  const Eigen::VectorXd squares = solver.eigenvalues().cwiseMax(0);  // ascending
  Eigen::Index dropped = 0;
  for (double sum = squares(0); dropped + 1 < size && sum < idle * squares.sum(); sum += squares(dropped)) ++dropped;
  const RowMatrix root =
      solver.eigenvectors().rightCols(size - dropped) * squares.tail(size - dropped).cwiseSqrt().asDiagonal();
  mean.factor_count = static_cast<int>(root.cols());
  mean.factors.assign(root.data(), root.data() + root.size());
  return mean;
}

std::vector<double> Gibbs::probabilities(const EncodedRows& rows) const {
  const auto classes = static_cast<std::size_t>(nodes_.class_count);
  std::vector<double> sums(rows.row_count * classes);
  std::size_t count = 0;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    for (const Kept* const one : kept(c)) {
      ++count;
      const std::vector<double>& cuts = one->draw.cuts;
      const std::vector<double> scores = score_rows(*encoder_, parameters_of(one->draw), rows);
      for (std::size_t i = 0; i < rows.row_count; ++i) {
        for (std::size_t h = 0; h < classes; ++h) {
          const double low = h == 0 ? -HUGE_VAL : cuts[h - 1] - scores[i];
          const double high = h + 1 == classes ? HUGE_VAL : cuts[h] - scores[i];
          sums[i * classes + h] += std::exp(log_normal_share(low, high));
        }
      }
    }
  }
  for (double& sum : sums) sum /= static_cast<double>(count);
  return sums;
}

std::vector<double> Gibbs::centred_curves(const Draw& draw) const {
  std::vector<double> curves = draw.curves;
  for (const Nodes::Attribute& attribute : nodes_.attributes) {
    const std::span<double> curve(&curves[attribute.first], attribute.count);
    double mean = 0;
    for (const Nodes::Cell& cell : attribute.cells) {
      mean += cell.share * curve[cell.node];
      if (cell.share_before != 0) mean += cell.share_before * curve[cell.node - 1u];
    }
    mean /= static_cast<double>(nodes_.row_count);
    for (double& value : curve) value -= mean;
  }
  return curves;
}

SamplingRecord Gibbs::record() const {
  SamplingRecord record;
  record.chain_count = static_cast<int>(chains_.size());
  std::vector<Draws> all;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    all.push_back(kept(c));
    record.draw_count += static_cast<int>(all.back().size());
  }
  const auto less = [](std::vector<double> values, double mean) {
    for (double& value : values) value -= mean;
    return values;
  };
  record.scores = worst_mixing(all, std::min(watched_rows, nodes_.row_count),
                               [&](const Kept& one) { return less(one.draw.scores, one.mean_score); });
  record.curves = worst_mixing(all, nodes_.node_count, [&](const Kept& one) { return centred_curves(one.draw); });
  record.cuts = worst_mixing(all, static_cast<std::size_t>(nodes_.class_count - 1),
                             [&](const Kept& one) { return less(one.draw.cuts, one.mean_score); });
  return record;
}

Learned Gibbs::learned() const {
  Learned learned;
  if (sweep_count_ == 0) return learned;
  learned.parameters = mean();
  const std::vector<double> scores = score_rows(*encoder_, learned.parameters, *rows_);
  std::vector<double> derivative(scores.size());
  learned.loss = loss_(scores, derivative, loss_.suits_histogram(scores) ? LossForm::histogram : LossForm::sweep);
  learned.objective = learned.loss;
  learned.epochs = learned.passes = sweep_count_;
  learned.sampling = record();
  const SamplingRecord& sampling = *learned.sampling;
  const bool has_mixed = std::max({sampling.scores.r_hat, sampling.curves.r_hat, sampling.cuts.r_hat}) <= mixed &&
                         !std::isnan(sampling.scores.r_hat);
  learned.reason = is_interrupted_ ? StopReason::interrupted
                   : has_mixed     ? StopReason::converged
                                   : StopReason::epoch_limit;
  return learned;
}

}  // namespace xofm::detail
