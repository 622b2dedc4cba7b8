#include "core/train/blend.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.hpp"
#include "core/score/score_table.hpp"
#include "support/random_rows.hpp"
#include "xofm/bands.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/generate.hpp"
#include "xofm/path.hpp"
#include "xofm/threads.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

Parameters random_parameters(const Encoder& encoder, int factor_count, std::uint64_t seed) {
  detail::Random random(seed);
  Parameters parameters;
  parameters.factor_count = factor_count;
  for (std::size_t n = 0; n < encoder.coordinate_count(); ++n) {
    parameters.increments.push_back(random.normal());
    for (int f = 0; f < factor_count; ++f) parameters.factors.push_back(random.normal());
  }
  return parameters;
}

Dataset some_rows(std::uint64_t seed) {
  return test_support::random_rows({.row_count = 60, .categorical_count = 1, .missing_share = 0.1}, seed);
}

Encoder with_knots(const std::vector<double>& knots) {
  Encoder encoder;
  encoder.attributes.emplace_back().knots = knots;
  number_coordinates(encoder);
  return encoder;
}

TEST(Blend, KnotsAtWhichNothingBendsGoAndTheScoresStay) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Dataset data = some_rows(seed);
    const Encoder from = fit_encoder(data, {.segment_count = 3});
    const Encoder other = fit_encoder(data, {.knots = KnotPlacement::equal_width, .segment_count = 7});
    Encoder encoder = detail::unite({&from, &other});
    const Parameters parameters = random_parameters(from, 2, seed);
    Parameters moved = detail::transfer(parameters, from, encoder);
    const auto before = detail::score_rows(from, parameters, encode(from, data));
    detail::drop_idle_knots(encoder, moved);
    EXPECT_EQ(encoder.offsets, from.offsets);
    for (std::size_t j = 0; j < from.attributes.size(); ++j) {
      EXPECT_EQ(encoder.attributes[j].knots, from.attributes[j].knots);
      EXPECT_EQ(encoder.attributes[j].typical.coordinate, from.attributes[j].typical.coordinate);
      EXPECT_NEAR(encoder.attributes[j].typical.fraction, from.attributes[j].typical.fraction, 1e-12);
    }
    const auto after = detail::score_rows(encoder, moved, encode(encoder, data));
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-12 * (1 + std::abs(before[i])));
  }
}

TEST(Blend, AModelOnMoreKnotsHasTheSameScores) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Dataset data = some_rows(seed);
    EncoderOptions coarse{.segment_count = 3};
    EncoderOptions fine{.knots = KnotPlacement::equal_width, .segment_count = 7};
    // One attribute is filled from the top down.
    const std::string& name = data.schema.attributes[0].name;
    coarse.directions[name] = fine.directions[name] = Direction::decreasing;
    const Encoder from = fit_encoder(data, coarse);
    const Encoder other = fit_encoder(data, fine);
    const Encoder to = detail::unite({&from, &other});
    const Parameters parameters = random_parameters(from, 2, seed);
    const Parameters moved = detail::transfer(parameters, from, to);
    EXPECT_EQ(moved.increments.size(), to.coordinate_count());
    const auto before = detail::score_rows(from, parameters, encode(from, data));
    const auto after = detail::score_rows(to, moved, encode(to, data));
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(after[i], before[i], 1e-12 * (1 + std::abs(before[i])));
  }
}

// Knots 0, 1 with u = 2 and v = 3; the union has 0.25 too. Shares 1/4 and 3/4: factors 0.75 and 2.25; increments
// 2/4 = 0.5 and 3/4 * 2 - 3/4 * 1/4 * 9 = -0.1875. At 1: 0.5 - 0.1875 + 0.75 * 2.25 = 2.
TEST(Blend, ACutSegmentTakesBackTheProductsOfItsParts) {
  const Encoder from = with_knots({0, 1});
  const Encoder other = with_knots({0, 0.25, 1});
  const Parameters moved = detail::transfer({{2}, 1, {3}}, from, detail::unite({&from, &other}));
  EXPECT_EQ(moved.factors, (std::vector<double>{0.75, 2.25}));
  EXPECT_EQ(moved.increments, (std::vector<double>{0.5, -0.1875}));
}

TEST(Blend, BeyondThePartsOwnRangeItsScoreStandsStill) {
  const Encoder from = with_knots({1, 2});
  const Encoder wide = with_knots({0, 3});
  const Parameters moved = detail::transfer({{5}, 0, {}}, from, detail::unite({&from, &wide}));
  EXPECT_EQ(moved.increments, (std::vector<double>{0, 5, 0}));
}

TrainOptions blended(int bag_count) {
  TrainOptions options;
  options.bag_count = bag_count;
  const Recipe curves{.segment_count = 5, .factor_count = 0, .max_epochs = 12};
  const Recipe pairs{.knots = KnotPlacement::equal_width, .segment_count = 4, .factor_count = 2, .max_epochs = 12};
  options.blend = {{curves, 3}, {pairs, 1}};
  return options;
}

TEST(Blend, TheScoreIsTheWeightedMeanOfThePartsScores) {
  const Dataset data = some_rows(4);
  for (const int bag_count : {1, 3}) {
    const TrainOptions options = blended(bag_count);
    const Model model = train(data, options).model;
    std::vector<double> expected(data.row_count(), 0.0);
    for (std::size_t p = 0; p < 2; ++p) {
      TrainOptions own = options;
      own.blend.clear();
      detail::apply(options.blend[p].recipe, own);
      own.optimizer.seed += 1000 * p;
      const std::vector<double> scores = train(data, own).model.score(data);
      for (std::size_t i = 0; i < scores.size(); ++i) expected[i] += (p == 0 ? 0.75 : 0.25) * scores[i];
    }
    const std::vector<double> scores = model.score(data);
    for (std::size_t i = 0; i < scores.size(); ++i)
      EXPECT_NEAR(scores[i], expected[i], 1e-12 * (1 + std::abs(expected[i])));
    EXPECT_FALSE(model.assignment.conformity.empty());
  }
}

TEST(Blend, ItsExplanationAddsUpAndItsBandsAreMade) {
  const Dataset data = some_rows(5);
  const Model model = train(data, blended(2)).model;
  const Dataset one = subset(data, std::vector<std::size_t>{7});
  const auto explanation = explain(model, one, 0);
  double sum = explanation.base;
  double size = std::abs(sum);
  for (const double part : explanation.attributes) sum += part, size += std::abs(part);
  for (const auto& pair : explanation.pairs) sum += pair.value, size += std::abs(pair.value);
  EXPECT_NEAR(sum, model.score(one)[0], 1e-12 * size);
  const auto bands = fit_bands(model, data, {.refit_count = 3});
  ASSERT_TRUE(bands);
  for (std::size_t j = 0; j < bands->attributes.size(); ++j) {
    EXPECT_EQ(bands->attributes[j].lower.size(), purified_curve(model, j).values.size());
  }
}

TEST(Blend, MonotonePartsMakeAMonotoneModel) {
  const Dataset data = generate({.row_count = 80, .attribute_count = 3, .class_count = 3, .seed = 2});
  TrainOptions options = blended(2);
  options.encoder.directions = {{data.schema.attributes[0].name, Direction::increasing},
                                {data.schema.attributes[1].name, Direction::decreasing}};
  const Model model = train(data, options).model;
  EXPECT_TRUE(model.certificate.holds);
  EXPECT_EQ(model.encoder.attributes[1].direction, Direction::decreasing);
}

TEST(Blend, IsTheSameForAnyNumberOfThreadsAndEndsWhenAsked) {
  const Dataset data = some_rows(6);
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return train(data, blended(2)).model.parameters;
  };
  EXPECT_EQ(run(1).factors, run(3).factors);
  // Asked to stop in the second part, the first alone is the model.
  const Fit fit = train(data, blended(1), [](const Progress& progress) { return progress.share < 0.6; });
  EXPECT_TRUE(fit.interrupted());
  EXPECT_EQ(fit.model.parameters.factor_count, 0);
}

TEST(Blend, PartsThatDoNotGoTogetherAreRefused) {
  const Dataset data = some_rows(7);
  TrainOptions options = blended(1);
  options.blend[1].recipe.auto_direction = 0.5;
  EXPECT_THROW(train(data, options), Error);
  options = blended(1);
  options.blend[0].count = 0;
  EXPECT_THROW(train(data, options), Error);
  options = blended(1);
  options.blend[0].recipe.segment_count = 0;
  EXPECT_THROW(train(data, options), Error);
  EXPECT_THROW(fit_path(data, blended(1), {}), Error);
  const Model model = train(data, blended(1)).model;
  EXPECT_THROW(train(data, blended(1), {}, &model), Error);
}

}  // namespace
}  // namespace xofm
