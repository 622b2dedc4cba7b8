// What every method of learning keeps to, whatever it does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/score/score_table.hpp"
#include "core/train/learner.hpp"
#include "support/random_rows.hpp"
#include "xofm/error.hpp"
#include "xofm/names.hpp"
#include "xofm/threads.hpp"
#include "xofm/train.hpp"

namespace xofm::detail {
namespace {

using test_support::random_rows;

class LearnerProperties : public ::testing::TestWithParam<Optimizer> {
 protected:
  TrainOptions options(int epochs = 12) const {
    TrainOptions made{.parts = {{.method = GetParam(), .segment_count = 3, .factor_count = 2, .max_epochs = epochs}}};
    made.optimizer.learning_rate = 0.01;
    return made;
  }
};

struct Rows {
  explicit Rows(Dataset rows)
      : data(std::move(rows)), encoder(fit_encoder(data, {.segment_count = 3})), encoded(encode(encoder, data)) {}
  LearningRows learning() const { return {encoder, encoded, data.labels, data.schema.class_count(), data.weights}; }

  Dataset data;
  Encoder encoder;
  EncodedRows encoded;
};

std::vector<double> scores_of(const Rows& rows, const TrainOptions& options, std::uint64_t seed = 1) {
  return score_rows(rows.encoder, learn(rows.learning(), options, options.recipe(), seed), rows.encoded);
}

TEST_P(LearnerProperties, ThreadsDoNotChangeABit) {
  const Rows rows(random_rows({.row_count = 80, .categorical_count = 1, .missing_share = 0.1}, 1));
  const auto with = [&](int threads) {
    const ThreadLimit limit(threads);
    return scores_of(rows, options());
  };
  EXPECT_EQ(with(1), with(4));
}

TEST_P(LearnerProperties, TheSameSeedGivesTheSameBits) {
  const Rows rows(random_rows({.row_count = 60}, 2));
  EXPECT_EQ(scores_of(rows, options(), 3), scores_of(rows, options(), 3));
}

TEST_P(LearnerProperties, RowsOfWeightZeroHaveNoPart) {
  Dataset all = random_rows({.row_count = 60}, 3);
  all.weights.assign(60, 1.0);
  for (std::size_t i = 40; i < 60; ++i) {
    all.weights[i] = 0;
    all.labels[i] = 0;
  }
  const Rows rows(all);
  Rows kept = rows;
  std::vector<std::size_t> first(40);
  for (std::size_t i = 0; i < 40; ++i) first[i] = i;
  kept.data = subset(all, first);
  kept.encoded = encode(kept.encoder, kept.data);
  const std::vector<double> with = scores_of(rows, options());
  const std::vector<double> without = scores_of(kept, options());
  for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(with[i], without[i], 1e-9) << "sums in other blocks";
}

TEST_P(LearnerProperties, LearnsTheOrderOfTheClasses) {
  const Rows rows(random_rows({.row_count = 120}, 4));
  const std::vector<double> scores = scores_of(rows, options(60));
  const PairCounts pairs = count_pairs(rows.data.schema.class_count(), rows.data.labels, scores);
  EXPECT_GT(c_index(pairs), 0.75);
  for (const double score : scores) EXPECT_TRUE(std::isfinite(score));
}

TEST_P(LearnerProperties, OneClassMoreThanThereAreRowsOfDoesNoHarm) {
  Dataset data = random_rows({.row_count = 60, .class_count = 3}, 5);
  data.schema.class_names.push_back("no row");
  const Model model = train(data, options()).model;
  const Predictions p = model.predict(data);
  for (const double probability : p.probabilities) EXPECT_TRUE(probability >= 0 && probability <= 1);
  for (std::size_t i = 0; i < p.row_count(); ++i) EXPECT_LT(p.probabilities[i * 4 + 3], 0.02);
}

TEST_P(LearnerProperties, StoppedItHasWhatItHasReached) {
  const Rows rows(random_rows({.row_count = 80}, 6));
  const TrainOptions long_run = options(1000);
  const std::unique_ptr<Learner> learner = make_learner(rows.learning(), long_run, long_run.recipe(), 1);
  learner->advance(1000, [](const Progress& progress) { return progress.epoch < 2; });
  const Learned learned = learner->learned();
  EXPECT_EQ(learned.reason, StopReason::interrupted);
  EXPECT_LT(learned.epochs, 20);
  for (const double score : score_rows(rows.encoder, learned, rows.encoded)) EXPECT_TRUE(std::isfinite(score));
}

TEST_P(LearnerProperties, WhatItsTraitsDenyIsRefused) {
  const Dataset data = random_rows({.row_count = 40}, 7);
  const Traits& traits = traits_of(GetParam());
  const auto is_refused = [&](const TrainOptions& wanted) {
    try {
      static_cast<void>(train(data, wanted));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_option);
      return true;
    }
    return false;
  };
  TrainOptions wanted = options(2);
  wanted.attributes.directions = {{"n0", Direction::increasing}};
  EXPECT_EQ(is_refused(wanted), !traits.keeps_directions);
  wanted = options(2);
  wanted.smoothness_penalty = 0.1;
  EXPECT_EQ(is_refused(wanted), !traits.has_all_penalties);
}

std::vector<Optimizer> all_methods() {
  std::vector<Optimizer> methods;
  for (const auto& [method, name] : enum_names<Optimizer>) methods.push_back(method);
  return methods;
}

INSTANTIATE_TEST_SUITE_P(Methods, LearnerProperties, ::testing::ValuesIn(all_methods()),
                         [](const auto& param) { return name_of(param.param); });

}  // namespace
}  // namespace xofm::detail
