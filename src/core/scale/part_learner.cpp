#include "core/scale/part_learner.hpp"

#include <fmt/format.h>

#include <functional>
#include <numeric>

#include "core/train/average.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {

PartedRows make_parted_rows(PartSums sums, Encoder encoder, int class_count) {
  PartedRows rows{std::move(sums), std::move(encoder), class_count, {}};
  const Bytes found = rows.sums(write_request(
      {.task = Task::tally, .encoder = rows.encoder, .class_count = static_cast<std::int32_t>(class_count)}));
  if (found.empty()) throw Error(ErrorCode::invalid_data, "there are no partitions to train on");
  rows.tally = read_tally(found, rows.encoder, class_count);
  return rows;
}

std::vector<double> pair_shares(const Tally& tally, double margin, PairWeighting weighting) {
  // One row for each class, with the weight of all of them: the loss of these knows the classes' weights.
  const auto classes = static_cast<int>(tally.class_weights.size());
  std::vector<int> labels(tally.class_weights.size());
  std::iota(labels.begin(), labels.end(), 0);
  const PairLoss loss(labels, classes, tally.class_weights, margin, weighting);
  double total = 0;
  std::vector<double> shares;
  for (int a = 0; a < classes; ++a) {
    for (int b = 0; b < classes; ++b) {
      shares.push_back(a == b ? 0.0 : loss.class_pair_weight(a, b));
      const auto weight = [&](int h) { return tally.class_weights[static_cast<std::size_t>(h)]; };
      if (a < b) total += shares.back() * weight(a) * weight(b);
    }
  }
  for (double& share : shares) share /= total;
  return shares;
}

PartObjective::PartObjective(const PartedRows& rows, const Encoder& encoder, const Constraints& constraints,
                             const Recipe& recipe, double margin, const Penalties& penalties)
    : rows_(&rows),
      encoder_(&encoder),
      constraints_(&constraints),
      factor_count_(recipe.factor_count),
      penalties_(penalties),
      request_{.task = Task::pair_loss,
               .encoder = rows.encoder,
               .class_count = static_cast<std::int32_t>(rows.class_count),
               .margin = margin,
               .step = margin * coarse_step,
               .between = pair_shares(rows.tally, margin, recipe.pair_weighting)} {}

double PartObjective::operator()(std::span<const double> point, std::span<double> gradient) const {
  const std::size_t coordinates = encoder_->coordinate_count();
  const auto k = static_cast<std::size_t>(factor_count_);
  Learned own;
  own.parameters = {{point.begin(), point.begin() + static_cast<std::ptrdiff_t>(coordinates)},
                    factor_count_,
                    {point.begin() + static_cast<std::ptrdiff_t>(coordinates), point.end()}};
  request_.parameters = transfer(own, *encoder_, rows_->encoder).parameters;
  const std::size_t fine = request_.parameters.increments.size();
  const std::vector<double> found = read_numbers(rows_->sums(write_request(request_)), 1 + fine * (k + 1));

  // On the rows' knots u' = s (u - b |v|^2) and v' = s v for each piece (share s, share b before it).
  std::fill(gradient.begin(), gradient.end(), 0.0);
  const double* const by_increment = found.data() + 1;
  const double* const by_factor = by_increment + fine;
  std::size_t n = 0;
  for (std::size_t j = 0; j < encoder_->attributes.size(); ++j) {
    for (const Piece& piece : pieces_of(encoder_->attributes[j], rows_->encoder.attributes[j])) {
      const std::size_t old = encoder_->offsets[j] + piece.old_coordinate;
      gradient[old] += piece.share * by_increment[n];
      for (std::size_t f = 0; f < k; ++f) {
        const double v = own.parameters.factors[old * k + f];
        gradient[coordinates + old * k + f] +=
            piece.share * (by_factor[n * k + f] - 2 * piece.before * v * by_increment[n]);
      }
      ++n;
    }
  }
  const double value = found[0] + add_penalties(*encoder_, factor_count_, penalties_, point, gradient);
  const auto fix = [](std::span<double> slopes, const std::vector<Bound>& bounds) {
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      if (bounds[i] == Bound::zero) slopes[i] = 0;
    }
  };
  fix(gradient.first(coordinates), constraints_->increments);
  fix(gradient.subspan(coordinates), constraints_->factors);
  return value;
}

Learned learn_parts(const PartedRows& rows, const Encoder& encoder, const TrainOptions& options, const Recipe& recipe,
                    std::uint64_t seed, const ProgressCallback& progress) {
  if (recipe.method != Optimizer::lbfgs) {
    throw Error(ErrorCode::invalid_option,
                "rows beyond memory are trained on by lbfgs only: boost and sgd need all rows at hand");
  }
  const Constraints constraints = find_constraints(encoder, recipe.factor_count);
  const Penalties penalties{recipe.increment_penalty, recipe.factor_penalty, options.smoothness_penalty,
                            options.pair_penalty, recipe.sparsity_penalty};
  PartObjective objective(rows, encoder, constraints, recipe, options.margin, penalties);
  const std::vector<double> lower = constraints.lower_bounds();
  const double tolerance = options.optimizer.tolerance;
  Learned learned;
  Minimum best;
  const int restart_count = options.optimizer.restart_count;
  for (int restart = 1; restart <= restart_count; ++restart) {
    const auto report = [&](int epoch, double value) {
      const double share = (restart - 1 + static_cast<double>(epoch) / recipe.max_epochs) / restart_count;
      return !progress || progress({.share = share, .epoch = static_cast<double>(epoch), .objective = value});
    };
    Parameters start = random_start(encoder, recipe, constraints, seed, restart);
    std::vector<double> point = std::move(start.increments);
    point.insert(point.end(), start.factors.begin(), start.factors.end());
    objective.set_step(options.margin * coarse_step);
    Minimum minimum =
        minimize_lbfgs(std::cref(objective), std::move(point), lower, recipe.max_epochs, tolerance, report);
    const int used = minimum.epochs;
    const bool may_go_on = minimum.reason == StopReason::converged || minimum.reason == StopReason::no_descent;
    if (may_go_on && used < recipe.max_epochs) {
      objective.set_step(options.margin * fine_step);
      minimum = minimize_lbfgs(std::cref(objective), std::move(minimum.point), lower, recipe.max_epochs - used,
                               tolerance, [&](int more, double value) { return report(used + more, value); });
      minimum.epochs += used;
    }
    learned.passes += minimum.epochs;
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
  std::vector<double> ignored(best.point.size());
  learned.objective = best.objective;
  learned.loss = best.objective - add_penalties(encoder, recipe.factor_count, penalties, best.point, ignored);
  learned.epochs = best.epochs;
  learned.reason = best.reason;
  const auto split = best.point.begin() + static_cast<std::ptrdiff_t>(encoder.coordinate_count());
  learned.parameters = {{best.point.begin(), split}, recipe.factor_count, {split, best.point.end()}};
  constraints.project(learned.parameters);
  drop_vanished_groups(encoder, penalties, learned.parameters);
  if (!is_usable(learned)) refuse_diverged(options, recipe);
  return learned;
}

}  // namespace xofm::detail
