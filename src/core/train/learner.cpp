#include "core/train/learner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/score/score_table.hpp"
#include "core/train/boost.hpp"
#include "core/train/gibbs.hpp"
#include "xofm/error.hpp"
#include "xofm/names.hpp"

namespace xofm::detail {

const Traits& traits_of(Optimizer method) {
  static const Traits lbfgs;
  static const Traits sgd{
      .has_all_penalties = false, .is_quick = false, .refusal = "sgd is the paper's and has its penalties only"};
  static const Traits boost{.starts_warm = false,
                            .keeps_directions = false,
                            .has_all_penalties = false,
                            .has_few_settings = true,
                            .refusal = "boost has increment_penalty only"};
  static const Traits gibbs{.starts_warm = false,
                            .keeps_directions = false,
                            .has_all_penalties = false,
                            .has_few_settings = true,
                            .refusal = "gibbs has no penalties: it draws the precisions of its priors"};
  switch (method) {
    case Optimizer::lbfgs:
      return lbfgs;
    case Optimizer::sgd:
      return sgd;
    case Optimizer::boost:
      return boost;
    case Optimizer::gibbs:
      break;
  }
  return gibbs;
}

std::unique_ptr<Learner> make_learner(const LearningRows& rows, const TrainOptions& options, const Recipe& recipe,
                                      std::uint64_t seed, const Parameters* warm_start) {
  if (recipe.method == Optimizer::boost) return std::make_unique<Booster>(rows, options, recipe);
  if (recipe.method == Optimizer::gibbs) return std::make_unique<Gibbs>(rows, options, recipe, seed);
  return make_gradient_learner(rows, options, recipe, seed, warm_start);
}

void check_methods(const TrainOptions& options) {
  const auto& directions = options.attributes.directions;
  const bool has_directions =
      options.auto_direction > 0 || std::any_of(directions.begin(), directions.end(),
                                                [](const auto& entry) { return entry.second != Direction::none; });
  for (const Recipe& part : options.parts) {
    const Traits& traits = traits_of(part.method);
    const bool has_others = options.smoothness_penalty > 0 || options.pair_penalty > 0 || part.sparsity_penalty > 0;
    if (has_others && !traits.has_all_penalties) {
      throw Error(ErrorCode::invalid_option,
                  fmt::format("smoothness_penalty, pair_penalty and sparsity_penalty need the method lbfgs; {}",
                              traits.refusal));
    }
    if (has_directions && !traits.keeps_directions) {
      throw Error(ErrorCode::invalid_option,
                  fmt::format("{} cannot keep a direction; monotone attributes need lbfgs or "
                              "sgd",
                              name_of(part.method)));
    }
  }
}

Learned learn(const LearningRows& rows, const TrainOptions& options, const Recipe& recipe, std::uint64_t seed,
              const ProgressCallback& progress, const Parameters* warm_start) {
  const std::unique_ptr<Learner> learner = make_learner(rows, options, recipe, seed, warm_start);
  learner->advance(recipe.max_epochs, progress);
  Learned learned = learner->learned();
  if (!is_usable(learned) && learned.reason != StopReason::interrupted) refuse_diverged(options, recipe);
  return learned;
}

bool is_usable(const Learned& learned) {
  const auto finite = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  };
  return !learned.is_untrained && std::isfinite(learned.objective) && finite(learned.parameters.increments) &&
         finite(learned.parameters.factors);
}

void refuse_diverged(const TrainOptions& options, const Recipe& recipe) {
  if (recipe.method == Optimizer::sgd) {
    throw Error(ErrorCode::diverged,
                fmt::format("training has diverged at learning_rate {}: no epoch was better than the start, and no "
                            "model is made; try a tenth of it, or the method lbfgs, which needs none",
                            options.optimizer.learning_rate));
  }
  throw Error(ErrorCode::diverged,
              "training has diverged: it left the finite numbers, and no model is made; try a smaller init_stddev or "
              "margin, or larger penalties");
}

std::vector<double> score_rows(const Encoder& encoder, const Learned& learned, const EncodedRows& rows) {
  std::vector<double> scores = score_rows(encoder, learned.parameters, rows);
  add_products(encoder, learned.products, rows, scores);
  return scores;
}

}  // namespace xofm::detail
