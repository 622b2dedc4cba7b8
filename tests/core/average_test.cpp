#include "core/train/average.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.hpp"
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

// Some products between coordinates of different attributes, as boosting makes them.
detail::Products random_products(const Encoder& encoder, std::uint64_t seed) {
  detail::Random random(seed, 1);
  detail::Products products;
  for (std::size_t a = 0; a < encoder.offsets[1]; ++a) {
    for (std::size_t b = encoder.offsets[1]; b < encoder.coordinate_count(); b += 2) products[{a, b}] = random.normal();
  }
  return products;
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

detail::Learned learned(Parameters parameters) { return {.parameters = std::move(parameters)}; }

detail::Member member_of(const Encoder& encoder, detail::Learned learned, double weight) {
  return {std::make_shared<const Encoder>(encoder), std::make_shared<const detail::Learned>(std::move(learned)),
          weight};
}

void expect_same_scores(const std::vector<double>& a, const std::vector<double>& b, double tolerance = 1e-12) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance * (1 + std::abs(b[i]))) << i;
}

TEST(Average, AModelOnMoreKnotsHasTheSameScores) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Dataset data = some_rows(seed);
    // One attribute is filled from the top down.
    const AttributeOptions attributes{.directions = {{data.schema.attributes[0].name, Direction::decreasing}}};
    const Encoder from = fit_encoder(data, {.segment_count = 3, .attributes = attributes});
    const Encoder other =
        fit_encoder(data, {.knots = KnotPlacement::equal_width, .segment_count = 7, .attributes = attributes});
    const Encoder to = detail::unite({&from, &other});
    detail::Learned before = learned(random_parameters(from, 2, seed));
    before.products = random_products(from, seed);
    const detail::Learned moved = detail::transfer(before, from, to);
    EXPECT_EQ(moved.parameters.increments.size(), to.coordinate_count());
    expect_same_scores(detail::score_rows(to, moved, encode(to, data)),
                       detail::score_rows(from, before, encode(from, data)));
  }
}

// Knots 0, 1 with u = 2 and v = 3; the union has 0.25 too. Shares 1/4 and 3/4: factors 0.75 and 2.25; increments
// 2/4 = 0.5 and 3/4 * 2 - 3/4 * 1/4 * 9 = -0.1875. At 1: 0.5 - 0.1875 + 0.75 * 2.25 = 2.
TEST(Average, ACutSegmentTakesBackTheProductsOfItsParts) {
  const Encoder from = with_knots({0, 1});
  const Encoder other = with_knots({0, 0.25, 1});
  const Parameters moved = detail::transfer(learned({{2}, 1, {3}}), from, detail::unite({&from, &other})).parameters;
  EXPECT_EQ(moved.factors, (std::vector<double>{0.75, 2.25}));
  EXPECT_EQ(moved.increments, (std::vector<double>{0.5, -0.1875}));
}

TEST(Average, BeyondItsOwnRangeTheScoreOfAFitStandsStill) {
  const Encoder from = with_knots({1, 2});
  const Encoder wide = with_knots({0, 3});
  const Parameters moved = detail::transfer(learned({{5}, 0, {}}), from, detail::unite({&from, &wide})).parameters;
  EXPECT_EQ(moved.increments, (std::vector<double>{0, 5, 0}));
}

TEST(Average, OneModelScoresTheWeightedMeanOfTheScores) {
  constexpr double tolerance = 1e-10;  // factors of products are eigenvectors
  const Dataset data = some_rows(3);
  const Encoder encoders[] = {fit_encoder(data, {.segment_count = 4}),
                              fit_encoder(data, {.knots = KnotPlacement::equal_width, .segment_count = 3})};
  for (const bool has_products : {false, true}) {
    detail::Members members;
    std::vector<double> expected(data.row_count());
    const double weights[] = {3, 1, 0.5};
    for (std::size_t b = 0; b < 3; ++b) {
      const Encoder& encoder = encoders[b % 2];
      detail::Learned fit = learned(random_parameters(encoder, static_cast<int>(b), b + 1));
      if (has_products) fit.products = random_products(encoder, b);
      const std::vector<double> scores = detail::score_rows(encoder, fit, encode(encoder, data));
      for (std::size_t i = 0; i < scores.size(); ++i) expected[i] += weights[b] / 4.5 * scores[i];
      members.push_back(member_of(encoder, std::move(fit), weights[b]));
    }
    const auto [encoder, parameters] = detail::average(members);
    if (!has_products) {
      EXPECT_EQ(parameters.factor_count, 0 + 1 + 2);
    }
    expect_same_scores(detail::score_rows(encoder, learned(parameters), encode(encoder, data)), expected, tolerance);
  }
}

TrainOptions averaged(int bag_count) {
  return {.parts = {{.segment_count = 5, .factor_count = 0, .max_epochs = 12, .weight = 3},
                    {.knots = KnotPlacement::equal_width, .segment_count = 4, .factor_count = 2, .max_epochs = 12}},
          .bag_count = bag_count};
}

// A part as options of its own.
TrainOptions part_alone(const TrainOptions& options, std::size_t part) {
  TrainOptions own = options;
  own.parts = {options.parts[part]};
  own.optimizer.seed += part;
  return own;
}

TEST(Average, TheScoreOfTrainingIsTheWeightedMeanOfThePartsScores) {
  const Dataset data = some_rows(4);
  for (const int bag_count : {1, 3}) {
    TrainOptions options = averaged(bag_count);
    // Without factors nothing is random, so that the fits without each fold are the same too.
    if (bag_count > 1) options.parts[1].factor_count = 0;
    const Model model = train(data, options).model;
    std::vector<double> expected(data.row_count());
    for (std::size_t p = 0; p < 2; ++p) {
      TrainOptions own = part_alone(options, p);
      if (bag_count > 1) own.optimizer.seed = options.optimizer.seed;  // the same folds
      const std::vector<double> scores = train(data, own).model.score(data);
      for (std::size_t i = 0; i < scores.size(); ++i) expected[i] += (p == 0 ? 0.75 : 0.25) * scores[i];
    }
    expect_same_scores(model.score(data), expected);
    EXPECT_FALSE(model.assignment.conformity.empty());
  }
}

TEST(Average, OnlyTheRatioOfTheWeightsCounts) {
  const Dataset data = some_rows(4);
  TrainOptions options = averaged(1);
  const std::vector<double> scores = train(data, options).model.score(data);
  for (Recipe& part : options.parts) part.weight *= 0.125;  // exact
  EXPECT_EQ(train(data, options).model.score(data), scores);
  options.parts[1].weight = 0;
  expect_same_scores(train(data, options).model.score(data), train(data, part_alone(options, 0)).model.score(data));
}

TEST(Average, ItsExplanationAddsUpAndItsBandsAreMade) {
  const Dataset data = some_rows(5);
  const Model model = train(data, averaged(2)).model;
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

TEST(Average, MonotonePartsMakeAMonotoneModel) {
  const Dataset data = generate({.row_count = 80, .attribute_count = 3, .class_count = 3, .seed = 2});
  TrainOptions options = averaged(2);
  options.attributes.directions = {{data.schema.attributes[0].name, Direction::increasing},
                                   {data.schema.attributes[1].name, Direction::decreasing}};
  const Model model = train(data, options).model;
  EXPECT_TRUE(model.certificate.holds);
  EXPECT_EQ(model.encoder.attributes[1].direction, Direction::decreasing);
}

TEST(Average, IsTheSameForAnyNumberOfThreadsAndEndsWhenAsked) {
  const Dataset data = some_rows(6);
  const auto run = [&](int threads) {
    const ThreadLimit limit(threads);
    return train(data, averaged(2)).model.parameters;
  };
  EXPECT_EQ(run(1).factors, run(3).factors);
  // Asked to stop in the middle of the parts, they are averaged as far as they have come.
  const Fit fit = train(data, averaged(1), [](const Progress& progress) { return progress.share < 0.1; });
  EXPECT_TRUE(fit.interrupted());
  EXPECT_EQ(fit.model.parameters.factor_count, 2);
  EXPECT_EQ(fit.model.assignment.reference_source, ReferenceScores::training);
}

TEST(Average, PartsThatDoNotGoTogetherAreRefused) {
  const Dataset data = some_rows(7);
  TrainOptions options = averaged(1);
  options.parts[0].weight = -1;
  EXPECT_THROW(train(data, options), Error);
  options.parts[0].weight = options.parts[1].weight = 0;
  EXPECT_THROW(train(data, options), Error);
  options = averaged(1);
  options.parts[1].segment_count = 0;
  EXPECT_THROW(train(data, options), Error);
  EXPECT_THROW(fit_path(data, averaged(1), {}), Error);
  const Model model = train(data, averaged(1)).model;
  EXPECT_THROW(train(data, averaged(1), {}, &model), Error);
}

}  // namespace
}  // namespace xofm
