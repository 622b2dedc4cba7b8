#include "core/train/boost.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/base/random.hpp"
#include "core/train/average.hpp"
#include "support/dense_model.hpp"
#include "support/random_rows.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/generate.hpp"
#include "xofm/path.hpp"
#include "xofm/threads.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

using test_support::random_rows;

TrainOptions boosting(int tree_count, int segment_count = 6) {
  return {.parts = {{.method = Optimizer::boost,
                     .segment_count = segment_count,
                     .increment_penalty = 1e-3,
                     .max_epochs = tree_count}}};
}

// Rows with all that a column may be.
Dataset mixed_rows(std::uint64_t seed, std::size_t row_count = 120) {
  return random_rows({.row_count = row_count,
                      .tied_count = 2,
                      .constant_count = 1,
                      .categorical_count = 2,
                      .missing_share = 0.1,
                      .weighted = true},
                     seed);
}

// Encoder and encoded rows that a Booster may refer to.
struct Prepared {
  Prepared(const Dataset& rows, const TrainOptions& options)
      : data(rows),
        encoder(fit_encoder(rows, {.segment_count = options.recipe().segment_count})),
        encoded(encode(encoder, rows)) {}
  detail::LearningRows learning() const {
    return {encoder, encoded, data.labels, data.schema.class_count(), data.weights};
  }
  // Grown to each of these numbers of trees in turn.
  detail::Learned grown(const TrainOptions& options, const std::vector<int>& tree_counts) const {
    detail::Booster booster(learning(), options, options.recipe());
    for (const int count : tree_counts) booster.advance(count, {});
    return booster.learned();
  }
  Dataset data;
  Encoder encoder;
  EncodedRows encoded;
};

// Two attributes of which neither says anything by itself.
Dataset chessboard(std::size_t row_count) {
  detail::Random random(5);
  Dataset data;
  data.schema.attributes = {{.name = "x"}, {.name = "y"}};
  data.schema.class_names = {"1", "2"};
  data.columns.resize(2);
  for (std::size_t i = 0; i < row_count; ++i) {
    for (auto& column : data.columns) column.push_back(random.uniform());
    // A little more of one quarter: with all four equal, no first question would gain anything.
    if (i % 10 == 0) data.columns[0].back() = data.columns[1].back() = 0.9;
    data.labels.push_back((data.columns[0].back() > 0.5) == (data.columns[1].back() > 0.5) ? 1 : 0);
  }
  return data;
}

TEST(Boost, TheModelIsTheSumOfItsTrees) {
  constexpr double tolerance = 1e-10;  // factors are eigenvectors
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const int factor_count : {0, 4}) {
      TrainOptions options = boosting(60);
      options.recipe().factor_count = factor_count;
      const Prepared rows(mixed_rows(seed), options);
      const detail::Learned learned = rows.grown(options, {60});
      EXPECT_EQ(learned.products.empty(), factor_count == 0);
      // The loss that the trees have reached by their own scores is that of the increments and products.
      const std::vector<double> scores = detail::score_rows(rows.encoder, learned, rows.encoded);
      const PairLoss loss(rows.data.labels, rows.data.schema.class_count(), rows.data.weights, options.margin);
      std::vector<double> derivative(scores.size());
      EXPECT_NEAR(loss(scores, derivative, LossForm::sweep), learned.loss, tolerance);
      // As u and V.
      const auto [encoder, parameters] = detail::average(
          {{std::make_shared<const Encoder>(rows.encoder), std::make_shared<detail::Learned>(learned)}});
      EXPECT_EQ(parameters.factor_count > 0, factor_count > 0);
      const std::vector<double> again = detail::score_rows(encoder, {.parameters = parameters}, rows.encoded);
      for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_NEAR(again[i], scores[i], tolerance);
    }
  }
}

// The coordinate at which two means of the negative derivatives leave the least squares, by visiting all rows for each.
std::size_t slow_first_question(const Prepared& rows, const TrainOptions& options) {
  const PairLoss loss(rows.data.labels, rows.data.schema.class_count(), rows.data.weights, options.margin);
  std::vector<double> derivative(rows.data.row_count());
  loss(std::vector<double>(rows.data.row_count()), derivative, LossForm::sweep);
  const double total = std::accumulate(rows.data.weights.begin(), rows.data.weights.end(), 0.0);
  double best = -1;
  std::size_t found = 0;
  for (std::size_t j = 0; j < rows.encoder.attributes.size(); ++j) {
    const AttributeEncoder& attribute = rows.encoder.attributes[j];
    for (int c = 0; c < attribute.coordinate_count(); ++c) {
      double sums[2] = {};
      double weights[2] = {};
      for (std::size_t i = 0; i < derivative.size(); ++i) {
        const auto phi = test_support::dense_run(attribute, rows.data.columns[j][i]);
        const int side = phi[static_cast<std::size_t>(c)] >= 0.5 ? 1 : 0;
        sums[side] -= derivative[i];
        weights[side] += rows.data.weights[i];
      }
      if (weights[0] == 0 || weights[1] == 0) continue;
      const double ridge = options.recipe().increment_penalty * total;
      const double squares = sums[0] * sums[0] / (weights[0] + ridge) + sums[1] * sums[1] / (weights[1] + ridge);
      if (squares <= best * (1 + 1e-9)) continue;
      best = squares;
      found = rows.encoder.offsets[j] + static_cast<std::size_t>(c);
    }
  }
  return found;
}

TEST(Boost, TheFirstQuestionIsTheBestOfAll) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TrainOptions options = boosting(1);
    options.recipe().factor_count = 0;
    const Prepared rows(mixed_rows(seed, 60), options);
    const Parameters parameters = rows.grown(options, {1}).parameters;
    for (std::size_t n = 0; n < parameters.increments.size(); ++n) {
      EXPECT_EQ(parameters.increments[n] != 0, n == slow_first_question(rows, options)) << seed << " " << n;
    }
  }
}

TEST(Boost, EveryTreeLowersTheLoss) {
  const TrainOptions options = boosting(100);
  const Prepared rows(mixed_rows(4), options);
  detail::Booster booster(rows.learning(), options, options.recipe());
  double before = booster.learned().loss;
  for (int tree = 1; tree <= 100; ++tree) {
    booster.advance(tree, {});
    const detail::Learned learned = booster.learned();
    ASSERT_EQ(learned.reason, StopReason::epoch_limit);
    EXPECT_EQ(learned.epochs, tree);
    EXPECT_LT(learned.loss, before);
    before = learned.loss;
  }
}

TEST(Boost, GrowingInStagesIsGrowingAtOnce) {
  const TrainOptions options = boosting(50);
  const Prepared rows(mixed_rows(5), options);
  const detail::Learned stages = rows.grown(options, {7, 30, 50});
  const detail::Learned once = rows.grown(options, {50});
  EXPECT_EQ(stages.parameters.increments, once.parameters.increments);
  EXPECT_EQ(stages.products, once.products);
  EXPECT_EQ(stages.epochs, once.epochs);
}

TEST(Boost, TwoQuestionsSeeWhatOneCannot) {
  const Dataset data = chessboard(400);
  TrainOptions options = boosting(40, 20);
  EXPECT_LT(train(data, options).model.summary.loss, 0.05);
  options.recipe().factor_count = 0;
  EXPECT_GT(train(data, options).model.summary.loss, 0.5);
}

TEST(Boost, ItStopsWhenThereIsNothingLeftToGain) {
  Dataset data = chessboard(40);
  for (auto& column : data.columns) std::fill(column.begin(), column.end(), 1.0);
  const Fit fit = train(data, boosting(30));
  EXPECT_EQ(fit.model.summary.stop_reason, StopReason::converged);
  EXPECT_EQ(fit.model.summary.epochs, 0);
}

TEST(Boost, RowsWithoutWeightAreScoredAndNotLearnedFrom) {
  TrainOptions options = boosting(30);
  Prepared rows(mixed_rows(6), options);
  for (std::size_t i = 0; i < 30; ++i) rows.data.weights[2 + 3 * i] = 0;
  const detail::Learned learned = rows.grown(options, {30});
  for (std::size_t i = 0; i < 30; ++i) rows.data.labels[2 + 3 * i] = 0;
  const detail::Learned other = rows.grown(options, {30});
  EXPECT_EQ(learned.parameters.increments, other.parameters.increments);
  EXPECT_EQ(learned.products, other.products);
}

TEST(Boost, ProgressMayAskToStop) {
  const TrainOptions options = boosting(1000);
  const Fit fit = train(mixed_rows(7), options, [](const Progress& progress) { return progress.epoch < 5; });
  EXPECT_TRUE(fit.interrupted());
  EXPECT_EQ(fit.model.summary.epochs, 5);
}

TEST(Boost, TheSameBitsForAnyNumberOfThreads) {
  const Dataset data = generate({.row_count = 30'000, .attribute_count = 6, .class_count = 3});
  std::vector<std::vector<double>> scores;
  for (const int threads : {1, 2, 5}) {
    const ThreadLimit limit(threads);
    scores.push_back(train(data, boosting(5, 20)).model.score(data));
  }
  EXPECT_EQ(scores[0], scores[1]);
  EXPECT_EQ(scores[0], scores[2]);
}

TEST(Boost, AnAverageWithBoostedPartsIsExplainedExactly) {
  const Dataset data = mixed_rows(8);
  const TrainOptions options{
      .parts = {{.method = Optimizer::boost, .segment_count = 12, .max_epochs = 40, .weight = 2},
                {.method = Optimizer::boost, .segment_count = 5, .factor_count = 0, .max_epochs = 20},
                {.segment_count = 4, .factor_count = 2, .max_epochs = 20}},
      .bag_count = 2,
      .assignment = {.fold_count = 2}};
  const Model model = train(data, options).model;
  const std::vector<double> scores = model.score(data);
  for (const std::size_t row : {0U, 17U, 63U}) {
    const LocalExplanation explanation = explain(model, data, row);
    double sum = explanation.base;
    double sizes = std::abs(sum);
    const auto add = [&](double contribution) {
      sum += contribution;
      sizes += std::abs(contribution);
    };
    for (const double contribution : explanation.attributes) add(contribution);
    for (const PairContribution& pair : explanation.pairs) add(pair.value);
    EXPECT_NEAR(sum, scores[row], 1e-12 * sizes);
  }
}

TEST(Boost, WhatItCannotKeepIsRefused) {
  const Dataset data = mixed_rows(10);
  TrainOptions directed = boosting(5);
  directed.attributes.directions = {{"n0", Direction::increasing}};
  EXPECT_THROW(train(data, directed), Error);
  TrainOptions by_correlation = boosting(5);
  by_correlation.auto_direction = 0.3;
  EXPECT_THROW(train(data, by_correlation), Error);
  TrainOptions sparse = boosting(5);
  sparse.recipe().sparsity_penalty = 0.1;
  EXPECT_THROW(train(data, sparse), Error);
  const Model start = train(data, boosting(5)).model;
  EXPECT_THROW(train(data, boosting(5), {}, &start), Error);
  EXPECT_THROW(fit_path(data, boosting(5), {.increment_penalties = {0.1}, .factor_penalties = {0.1}}), Error);
}

}  // namespace
}  // namespace xofm
