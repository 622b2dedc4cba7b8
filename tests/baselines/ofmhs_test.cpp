#include "baselines/ofmhs.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <span>

#include "support/baseline_cases.hpp"
#include "support/gradient_check.hpp"
#include "xofm/optimize.hpp"

namespace xofm::baselines {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_matrix(Index rows, Index columns, detail::Random& random) {
  return MatrixXd::NullaryExpr(rows, columns, [&] { return random.normal(); });
}

// A model of d features as numbers: main, the lower triangle of pairs by columns, thresholds. `slope` are derivatives
// by all entries of pairs, so an entry off the diagonal counts twice.
OrdinalFm model_from(std::span<const double> x, Index d) {
  OrdinalFm model{.main = VectorXd::Map(x.data(), d), .pairs = MatrixXd(d, d), .thresholds = {}};
  std::size_t next = static_cast<std::size_t>(d);
  for (Index j = 0; j < d; ++j) {
    for (Index k = j; k < d; ++k) model.pairs(j, k) = model.pairs(k, j) = x[next++];
  }
  model.thresholds = VectorXd::Map(x.data() + next, static_cast<Index>(x.size() - next));
  return model;
}
void write_slope(const OrdinalFm& slope, std::span<double> x) {
  const Index d = slope.main.size();
  VectorXd::Map(x.data(), d) = slope.main;
  std::size_t next = static_cast<std::size_t>(d);
  for (Index j = 0; j < d; ++j) {
    for (Index k = j; k < d; ++k) x[next++] = j == k ? slope.pairs(j, j) : slope.pairs(j, k) + slope.pairs(k, j);
  }
  VectorXd::Map(x.data() + next, slope.thresholds.size()) = slope.thresholds;
}

TEST(OrdinalLoss, OneRowByHand) {
  // score 2 * 1 + 1 * (0.5) * 1 = 2.5, thresholds 1 and 3, rank 1: log(1 + e^{1 - 2.5}) + log(1 + e^{2.5 - 3})
  OrdinalFm model{.main = VectorXd::Constant(1, 2), .pairs = MatrixXd::Constant(1, 1, 0.5), .thresholds = VectorXd(2)};
  model.thresholds << 1, 3;
  OrdinalFm slope;
  EXPECT_NEAR(ordinal_loss(MatrixXd::Ones(1, 1), {1}, model, slope),
              std::log1p(std::exp(-1.5)) + std::log1p(std::exp(-0.5)), 1e-15);
}

TEST(OrdinalLoss, GradientAgreesWithDifferences) {
  const Examples examples = test_support::normal_examples(30, 3, {0, 1, 2, 3}, 4, 1);
  detail::Random random(2);
  std::vector<double> point(3 + 6 + 3);
  for (double& value : point) value = random.normal();
  const auto objective = [&](std::span<const double> x, std::span<double> gradient) {
    OrdinalFm slope;
    const double loss = ordinal_loss(examples.features, examples.labels, model_from(x, 3), slope);
    write_slope(slope, gradient);
    return loss;
  };
  EXPECT_TRUE(test_support::gradient_agrees(objective, point));
}

// A convex problem's minimum: no small move in any direction is lower.
TEST(ShrinkRows, MinimisesWhatItIsDefinedBy) {
  detail::Random random(3);
  const auto value = [](const MatrixXd& v, const MatrixXd& point, double strength) {
    return strength * v.rowwise().norm().sum() + (v - point).squaredNorm() / 2;
  };
  int zero_count = 0;
  for (int repeat = 0; repeat < 50; ++repeat) {
    const MatrixXd point = random_matrix(4, 3, random);
    const double strength = 2 * random.uniform();
    const MatrixXd shrunk = shrink_rows(point, strength);
    zero_count += static_cast<int>((shrunk.rowwise().norm().array() == 0).count());
    for (int move = 0; move < 50; ++move) {
      const MatrixXd other = shrunk + 1e-3 * random_matrix(4, 3, random);
      EXPECT_LT(value(shrunk, point, strength), value(other, point, strength));
    }
  }
  EXPECT_GT(zero_count, 0);
  EXPECT_LT(zero_count, 200);
}

TEST(ShrinkSpectrum, MinimisesWhatItIsDefinedBy) {
  detail::Random random(4);
  const auto value = [](const MatrixXd& v, const MatrixXd& point, double strength) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(v, Eigen::EigenvaluesOnly);
    return strength * eigen.eigenvalues().cwiseAbs().sum() + (v - point).squaredNorm() / 2;
  };
  for (int repeat = 0; repeat < 50; ++repeat) {
    const MatrixXd square = random_matrix(4, 4, random);
    const MatrixXd point = square + square.transpose();
    const double strength = 3 * random.uniform();
    const MatrixXd shrunk = shrink_spectrum(point, strength);
    for (int move = 0; move < 50; ++move) {
      const MatrixXd change = 1e-3 * random_matrix(4, 4, random);
      const MatrixXd other = shrunk + change + change.transpose();
      EXPECT_LT(value(shrunk, point, strength), value(other, point, strength));
    }
  }
}

// The same problem without kinks, sqrt(s^2 + e^2) in place of |s| for lengths and eigenvalues, by L-BFGS on the
// triangle. Its minimum is above the true one, by the norms' count times their weight times e at most.
double least_by_smoothing(const Examples& examples, const OfmhsOptions& options, double e) {
  const Index d = examples.features.cols();
  const auto objective = [&](std::span<const double> x, std::span<double> gradient) {
    const OrdinalFm model = model_from(x, d);
    OrdinalFm slope;
    double value = ordinal_loss(examples.features, examples.labels, model, slope);
    for (Index j = 0; j < d; ++j) {
      const double length = std::sqrt(model.main[j] * model.main[j] + model.pairs.row(j).squaredNorm() + e * e);
      value += options.sparsity * length;
      slope.main[j] += options.sparsity * model.main[j] / length;
      slope.pairs.row(j) += options.sparsity * model.pairs.row(j) / length;
    }
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(model.pairs);
    const VectorXd sizes = (eigen.eigenvalues().array().square() + e * e).sqrt();
    value += options.low_rank * sizes.sum();
    slope.pairs += options.low_rank * eigen.eigenvectors() * eigen.eigenvalues().cwiseQuotient(sizes).asDiagonal() *
                   eigen.eigenvectors().transpose();
    write_slope(slope, gradient);
    return value;
  };
  std::vector<double> start(static_cast<std::size_t>(d + d * (d + 1) / 2 + examples.class_count - 1), 0.1);
  for (int k = 0; k + 1 < examples.class_count; ++k) start[start.size() - 1 - static_cast<std::size_t>(k)] = -k;
  EXPECT_TRUE(test_support::gradient_agrees(objective, start));
  return minimize_lbfgs(objective, start, {}, 20000, 0).objective;
}

TEST(Ofmhs, AdmmFindsTheMinimumThatSmoothingFinds) {
  const Examples examples = test_support::normal_examples(60, 3, {0, 1, 2}, 3, 5);
  constexpr double smoothing = 1e-4;
  for (const auto& [sparsity, low_rank] : {std::pair(0.01, 0.03), std::pair(0.1, 0.01), std::pair(0.03, 0.1)}) {
    const OfmhsOptions options = {.sparsity = sparsity, .low_rank = low_rank, .max_steps = 2000, .tolerance = 1e-7};
    const OrdinalFm model = fit_ofmhs(examples.features, examples.labels, 3, options);
    const double found = ofmhs_objective(examples.features, examples.labels, model, options);
    const double expected = least_by_smoothing(examples, options, smoothing);
    EXPECT_NEAR(found, expected, 3 * (sparsity + low_rank) * smoothing + 1e-6);
    EXPECT_LT(expected, 0.9 * ofmhs_objective(examples.features, examples.labels,
                                              {VectorXd::Zero(3), MatrixXd::Zero(3, 3), model.thresholds}, options));
  }
}

// The first feature decides, the second and third by their product; the last two do nothing.
TEST(Ofmhs, FindsThePairAndLeavesOutWhatDoesNothing) {
  detail::Random random(7);
  MatrixXd features = random_matrix(400, 5, random);
  std::vector<int> ranks;
  for (Index i = 0; i < features.rows(); ++i) {
    const double score = features(i, 0) + features(i, 1) * features(i, 2) + 0.3 * random.normal();
    ranks.push_back(score < -0.7 ? 0 : score < 0.7 ? 1 : 2);
  }
  const OrdinalFm model = fit_ofmhs(features, ranks, 3, {.sparsity = 0.1, .low_rank = 0.01});
  EXPECT_LT((model.pairs - model.pairs.transpose()).norm(), 1e-9);
  EXPECT_GT(model.main[0], 0.3);
  EXPECT_GT(model.pairs(1, 2), 0.15);
  for (const Index idle : {3, 4}) {
    EXPECT_EQ(model.main[idle], 0);
    EXPECT_TRUE(model.pairs.row(idle).isZero(0));
    EXPECT_TRUE(model.pairs.col(idle).isZero(0));
  }
  EXPECT_LT(model.thresholds[0], model.thresholds[1]);
}

TEST(Ofmhs, MoreWeightOnTheSpectrumLowersTheRank) {
  const Examples examples = test_support::normal_examples(200, 5, {0, 1, 2}, 3, 8);
  const auto rank = [&](double low_rank) {
    const OrdinalFm model = fit_ofmhs(examples.features, examples.labels, 3,
                                      {.sparsity = 1e-3, .low_rank = low_rank, .max_steps = 500, .tolerance = 1e-6});
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(model.pairs);
    return (eigen.eigenvalues().cwiseAbs().array() > 1e-4).count();
  };
  EXPECT_EQ(rank(1e-4), 5);
  EXPECT_LT(rank(0.03), 5);
  EXPECT_EQ(rank(10), 0);
}

TEST(Ofmhs, BeatsTheMajorityClassOnGeneratedData) { EXPECT_GT(test_support::generated_accuracy(*make_ofmhs()), 0.5); }

TEST(Ofmhs, HardProblemsAreSolved) { test_support::expect_hard_problems_solved(*make_ofmhs()); }

TEST(Ofmhs, TheSameSeedPredictsTheSame) { test_support::expect_same_seed_same_predictions(*make_ofmhs()); }

TEST(Ofmhs, OutOfTimeItStillAnswers) { test_support::expect_an_answer_without_time(*make_ofmhs()); }

}  // namespace
}  // namespace xofm::baselines
