#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "support/baseline_cases.hpp"

namespace xofm::baselines {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// The same network once more, plainly: rows sqrt(n ridge) I under the hidden layer's outputs make the ridge an ordinary
// least squares problem, solved by QR; the class is the code word with the least exponential loss.
std::vector<int> slow_predictions(const Examples& examples, Index node_count, double range, double ridge,
                                  std::uint64_t seed, const MatrixXd& fresh) {
  const Index n = examples.features.rows();
  const Index d = examples.features.cols();
  detail::Random random(seed);
  MatrixXd weights(node_count, d + 1);
  for (Index l = 0; l < node_count; ++l) {
    for (Index j = 0; j < d; ++j) weights(l, j) = range * (2 * random.uniform() - 1);
    weights(l, d) = random.uniform();
  }
  const auto hidden = [&](const MatrixXd& rows) {
    MatrixXd h(rows.rows(), node_count);
    for (Index i = 0; i < rows.rows(); ++i) {
      for (Index l = 0; l < node_count; ++l) {
        h(i, l) = 1 / (1 + std::exp(-rows.row(i).dot(weights.row(l).head(d)) - weights(l, d)));
      }
    }
    return h;
  };
  const Index outputs = examples.class_count - 1;
  MatrixXd left(n + node_count, node_count);
  left << hidden(examples.features),
      std::sqrt(static_cast<double>(n) * ridge) * MatrixXd::Identity(node_count, node_count);
  MatrixXd right = MatrixXd::Zero(n + node_count, outputs);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < outputs; ++j) right(i, j) = examples.labels[static_cast<std::size_t>(i)] > j ? -1 : 1;
  }
  const MatrixXd f = hidden(fresh) * left.householderQr().solve(right);
  std::vector<int> labels;
  for (Index i = 0; i < f.rows(); ++i) {
    Eigen::VectorXd losses = Eigen::VectorXd::Zero(examples.class_count);
    for (int h = 0; h < examples.class_count; ++h) {
      for (Index j = 0; j < outputs; ++j) losses[h] += std::exp(h > j ? f(i, j) : -f(i, j));
    }
    Index best = 0;
    losses.minCoeff(&best);
    labels.push_back(static_cast<int>(best));
  }
  return labels;
}

TEST(Elmor, PredictsAsItsSlowTwin) {
  const MatrixXd fresh = test_support::normal_examples(300, 3, {0}, 1, 2).features;
  for (const std::uint64_t seed : {1U, 2U}) {
    const Examples examples = test_support::normal_examples(60, 3, {0, 1, 2, 3}, 4, seed);
    const std::vector<int> labels = make_elmor()->fit(examples, {20, 0.5, 1e-3}, {.seed = seed})->predict(fresh);
    EXPECT_EQ(labels, slow_predictions(examples, 20, 0.5, 1e-3, seed, fresh));
    EXPECT_NE(labels, slow_predictions(examples, 20, 0.5, 1, seed, fresh));  // the ridge matters here
  }
}

TEST(Elmor, AnotherSeedIsAnotherNetwork) {
  const Examples examples = test_support::normal_examples(60, 3, {0, 1, 2, 3}, 4, 1);
  const MatrixXd fresh = test_support::normal_examples(300, 3, {0}, 1, 2).features;
  const auto predict = [&](std::uint64_t seed) {
    return make_elmor()->fit(examples, {20, 1, 1e-3}, {.seed = seed})->predict(fresh);
  };
  EXPECT_NE(predict(1), predict(2));
}

TEST(Elmor, BeatsTheMajorityClassOnGeneratedData) { EXPECT_GT(test_support::generated_accuracy(*make_elmor()), 0.5); }

TEST(Elmor, HardProblemsAreSolved) { test_support::expect_hard_problems_solved(*make_elmor()); }

TEST(Elmor, TheSameSeedPredictsTheSame) { test_support::expect_same_seed_same_predictions(*make_elmor()); }

TEST(Elmor, OutOfTimeItStillAnswers) { test_support::expect_an_answer_without_time(*make_elmor()); }

}  // namespace
}  // namespace xofm::baselines
