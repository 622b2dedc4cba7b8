#include "core/train/learner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/score/score_table.hpp"
#include "core/train/boost.hpp"
#include "core/train/gradient_learner.hpp"
#include "xofm/error.hpp"

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
  return method == Optimizer::lbfgs ? lbfgs : method == Optimizer::sgd ? sgd : boost;
}

std::unique_ptr<Learner> make_learner(const LearningRows& rows, const TrainOptions& options, const Recipe& recipe,
                                      std::uint64_t seed, const Parameters* warm_start) {
  if (recipe.method == Optimizer::boost) return std::make_unique<Booster>(rows, options, recipe);
  return std::make_unique<GradientLearner>(rows, options, recipe, seed, warm_start);
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
      throw Error(ErrorCode::invalid_option, "boost cannot keep a direction; monotone attributes need lbfgs or sgd");
    }
  }
}

Learned learn(const LearningRows& rows, const TrainOptions& options, const Recipe& recipe, std::uint64_t seed,
              const ProgressCallback& progress, const Parameters* warm_start) {
  const std::unique_ptr<Learner> learner = make_learner(rows, options, recipe, seed, warm_start);
  learner->advance(recipe.max_epochs, progress);
  return learner->learned();
}

std::vector<double> score_rows(const Encoder& encoder, const Learned& learned, const EncodedRows& rows) {
  std::vector<double> scores = score_rows(encoder, learned.parameters, rows);
  if (learned.products.empty()) return scores;
  struct Place {
    std::size_t attribute;
    std::uint32_t coordinate;
    bool is_segment;
  };
  const auto place_of = [&](std::size_t n) {
    const auto next = std::upper_bound(encoder.offsets.begin(), encoder.offsets.end(), n);
    const auto j = static_cast<std::size_t>(next - encoder.offsets.begin()) - 1;
    const auto coordinate = static_cast<std::uint32_t>(n - encoder.offsets[j]);
    return Place{j, coordinate, encoder.attributes[j].is_segment(static_cast<int>(coordinate))};
  };
  // How much of a coordinate is filled.
  const auto filling = [&](std::size_t row, const Place& place) {
    const std::size_t cell = row * rows.attribute_count + place.attribute;
    const std::uint32_t at = rows.coordinates[cell];
    if (at == place.coordinate) return rows.fractions[cell];
    const bool is_before = place.is_segment && place.coordinate < at;
    return is_before && encoder.attributes[place.attribute].is_segment(static_cast<int>(at)) ? 1.0 : 0.0;
  };
  std::vector<std::pair<std::pair<Place, Place>, double>> products;
  for (const auto& [pair, product] : learned.products) {
    products.push_back({{place_of(pair.first), place_of(pair.second)}, product});
  }
  const std::size_t block_count = block_count_for(rows.row_count, 256, 64);
  parallel_for(block_count, [&](std::size_t block) {
    const auto [begin, end] = block_range(rows.row_count, block_count, block);
    for (std::size_t i = begin; i < end; ++i) {
      for (const auto& [places, product] : products) {
        const double first = filling(i, places.first);
        if (first != 0) scores[i] += product * first * filling(i, places.second);
      }
    }
  });
  return scores;
}

}  // namespace xofm::detail
