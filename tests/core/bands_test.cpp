#include "xofm/bands.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/random.hpp"
#include "core/data/folds.hpp"
#include "core/train/average.hpp"
#include "support/random_rows.hpp"
#include "support/train_cases.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/generate.hpp"
#include "xofm/threads.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

using test_support::quick;

struct Trained {
  Dataset data;
  Model model;
};

Trained trained(std::size_t row_count, TrainOptions options = quick(2)) {
  Dataset data = generate({.row_count = row_count, .attribute_count = 4, .class_count = 4, .noise = 0.3, .seed = 11});
  Model model = train(data, options).model;
  return {std::move(data), std::move(model)};
}

// Share of all knots at which the model's own curve lies inside the band.
double share_inside(const Model& model, const CurveBands& bands) {
  double inside = 0;
  double count = 0;
  for (std::size_t j = 0; j < bands.attributes.size(); ++j) {
    const AttributeCurve curve = purified_curve(model, j);
    for (std::size_t i = 0; i < curve.values.size(); ++i) {
      const CurveBand& band = bands.attributes[j];
      inside += curve.values[i] >= band.lower[i] && curve.values[i] <= band.upper[i] ? 1 : 0;
      count += 1;
    }
  }
  return inside / count;
}

double mean_width(const CurveBands& bands) {
  double sum = 0;
  double count = 0;
  for (const CurveBand& band : bands.attributes) {
    for (std::size_t i = 0; i < band.lower.size(); ++i) {
      sum += band.upper[i] - band.lower[i];
      count += 1;
    }
  }
  return sum / count;
}

// The twin: training on the rows drawn, as a data set of their own, on the model's knots.
std::vector<Model> slow_refits(const Model& model, const Dataset& data, std::size_t count) {
  const TrainOptions& options = model.options;
  const std::uint64_t seed = detail::mix(options.optimizer.seed ^ 0xba2d);
  const auto encoder = std::make_shared<const Encoder>(model.encoder);
  std::vector<Model> refits(count, model);
  for (std::size_t b = 0; b < count; ++b) {
    detail::Random random(seed, b);
    std::vector<std::size_t> drawn;
    for (const auto& members : detail::rows_by_class(data.labels, data.schema.class_count())) {
      for (std::size_t i = 0; i < members.size(); ++i) drawn.push_back(members[random.below(members.size())]);
    }
    const Dataset sample = subset(data, drawn);
    const EncodedRows rows = encode(model.encoder, sample);
    const detail::LearningRows learning{model.encoder, rows, sample.labels, data.schema.class_count(), sample.weights};
    const auto learned = std::make_shared<const detail::Learned>(
        detail::learn(learning, options, options.recipe(), detail::mix(seed + b)));
    refits[b].parameters = detail::average({{encoder, learned}}).parameters;
  }
  return refits;
}

void expect_range_of_refits(const CurveBands& bands, const std::vector<Model>& refits) {
  constexpr double rounding = 1e-6;  // few epochs, so rounding of the gradients has not grown
  for (std::size_t j = 0; j < bands.attributes.size(); ++j) {
    std::vector<AttributeCurve> curves;
    for (const Model& refit : refits) curves.push_back(purified_curve(refit, j));
    const auto expect_range = [&](auto value, double lower, double upper) {
      std::vector<double> values;
      for (const AttributeCurve& curve : curves) values.push_back(value(curve));
      EXPECT_NEAR(lower, *std::min_element(values.begin(), values.end()), rounding);
      EXPECT_NEAR(upper, *std::max_element(values.begin(), values.end()), rounding);
    };
    const CurveBand& band = bands.attributes[j];
    ASSERT_EQ(band.lower.size(), curves[0].values.size());
    ASSERT_EQ(band.upper.size(), curves[0].values.size());
    for (std::size_t i = 0; i < band.lower.size(); ++i) {
      expect_range([&](const AttributeCurve& curve) { return curve.values[i]; }, band.lower[i], band.upper[i]);
    }
    ASSERT_EQ(band.missing_lower.has_value(), curves[0].missing.has_value());
    if (!band.missing_lower) continue;
    expect_range([](const AttributeCurve& curve) { return *curve.missing; }, *band.missing_lower, *band.missing_upper);
  }
}

TEST(Bands, AreTheCurvesOfTrainingsOnTheRowsDrawn) {
  const Dataset data = test_support::random_rows(
      {.row_count = 80, .categorical_count = 1, .missing_share = 0.1, .weighted = true, .noise = 0.3}, 5);
  for (const int bag_count : {1, 3}) {
    TrainOptions options = quick(2);
    options.bag_count = bag_count;
    options.recipe().max_epochs = 15;
    const Model model = train(data, options).model;
    const CurveBands bands = *fit_bands(model, data, {.refit_count = 3, .lower_share = 0, .upper_share = 1});
    expect_range_of_refits(bands, slow_refits(model, data, 3));
  }
}

TEST(Bands, ABaggedModelIsRefittedOncePerBandWhateverItsMethod) {
  for (const Optimizer method : {Optimizer::boost, Optimizer::lbfgs}) {
    constexpr int epochs = 8;
    TrainOptions options = quick(2);
    options.bag_count = 5;
    options.recipe().method = method;
    options.recipe().max_epochs = epochs;
    options.optimizer.tolerance = 0;
    const auto [data, model] = trained(150, options);
    int report_count = 0;  // one per tree or evaluation
    const CurveBands bands =
        *fit_bands(model, data, {.refit_count = 3, .lower_share = 0, .upper_share = 1}, [&](const Progress& progress) {
          report_count += progress.epoch > 0 ? 1 : 0;
          return true;
        });
    EXPECT_EQ(report_count, 3 * epochs);
    expect_range_of_refits(bands, slow_refits(model, data, 3));
  }
}

TEST(Bands, TheirEndsAreQuantilesOfTheRefits) {
  const Dataset data = generate({.row_count = 80, .attribute_count = 2, .class_count = 3});
  const Model model = train(data, quick(0)).model;
  const double middle = fit_bands(model, data, {.refit_count = 3, .lower_share = 0.5})->attributes[1].lower[2];
  std::vector<double> values;
  for (const Model& refit : slow_refits(model, data, 3)) values.push_back(purified_curve(refit, 1).values[2]);
  std::sort(values.begin(), values.end());
  EXPECT_NEAR(middle, values[1], 1e-4);  // convex, but stopped at the tolerance of training
}

TEST(Bands, HoldTheModelsOwnCurveAtMostKnots) {
  const auto [data, model] = trained(400);
  const CurveBands bands = *fit_bands(model, data, {.refit_count = 40});
  EXPECT_EQ(bands.refit_count, 40);
  EXPECT_GE(share_inside(model, bands), 0.75);  // 90 % of the refits; the penalty draws all of them the same way
}

TEST(Bands, NarrowAsRowsAreAdded) {
  const auto [few_data, few] = trained(200);
  const auto [many_data, many] = trained(5000);
  EXPECT_LT(mean_width(*fit_bands(many, many_data)), 0.5 * mean_width(*fit_bands(few, few_data)));
}

TEST(Bands, AreTheSameBitsForAnyNumberOfThreads) {
  for (const int bag_count : {1, 3}) {
    TrainOptions options = quick(2);
    options.bag_count = bag_count;
    const auto [data, model] = trained(150, options);
    const auto run = [&, &data = data, &model = model](int threads) {
      const ThreadLimit limit(threads);
      return *fit_bands(model, data, {.refit_count = 5});
    };
    const CurveBands one = run(1);
    const CurveBands two = run(2);
    for (std::size_t j = 0; j < one.attributes.size(); ++j) {
      EXPECT_EQ(one.attributes[j].lower, two.attributes[j].lower);
      EXPECT_EQ(one.attributes[j].upper, two.attributes[j].upper);
    }
  }
}

TEST(Bands, OtherRowsThanThoseOfTrainingAreRefused) {
  auto [data, model] = trained(100);
  std::swap(data.labels[0], data.labels[1]);
  data.columns[0][0] += 1;
  EXPECT_THROW(fit_bands(model, data), Error);
}

TEST(Bands, RowsOfWeightZeroHaveNoPart) {
  Dataset data = generate({.row_count = 120, .attribute_count = 3, .class_count = 3});
  data.weights.assign(120, 1.0);
  for (std::size_t i = 0; i < 120; i += 3) data.weights[i] = 0;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < 120; ++i) {
    if (i % 3 != 0) kept.push_back(i);
  }
  const Dataset rest = subset(data, kept);
  const CurveBands all = *fit_bands(train(data, quick(1)).model, data, {.refit_count = 3});
  const CurveBands fewer = *fit_bands(train(rest, quick(1)).model, rest, {.refit_count = 3});
  for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(all.attributes[j].upper, fewer.attributes[j].upper);
}

TEST(Bands, OptionsHaveTheirRanges) {
  const auto [data, model] = trained(60);
  for (const BandOptions& options :
       {BandOptions{.refit_count = 1}, BandOptions{.refit_count = 1001}, BandOptions{.lower_share = 0.95},
        BandOptions{.upper_share = 1.5}, BandOptions{.lower_share = -0.1}, BandOptions{.lower_share = std::nan("")}}) {
    EXPECT_THROW(fit_bands(model, data, options), Error);
  }
}

TEST(Bands, AnInterruptedCallGivesNone) {
  for (const int bag_count : {1, 2}) {
    TrainOptions options = quick(2);
    options.bag_count = bag_count;
    const auto [data, model] = trained(100, options);
    double last = 0;
    int calls = 0;
    const auto stop_soon = [&](const Progress& progress) {
      last = progress.share;
      return ++calls < 10;
    };
    EXPECT_FALSE(fit_bands(model, data, {.refit_count = 6}, stop_soon));
    EXPECT_LT(last, 1.0);
  }
}

}  // namespace
}  // namespace xofm
