#include "baselines/kdlor.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "support/baseline_cases.hpp"

namespace xofm::baselines {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The factorisation of a kernel matrix with condition up to 1e9, in double precision.
constexpr double solve_tolerance = 1e-6;

// G'G for a random G; fewer rows than columns make it singular.
MatrixXd random_quadratic(Index size, Index rank, detail::Random& random) {
  const MatrixXd g = MatrixXd::NullaryExpr(rank, size, [&] { return random.normal() + 0.3; });
  return g.transpose() * g;
}

// The best of the least points of all faces of the simplex that lie in it.
double least_by_faces(const MatrixXd& q) {
  double least = std::numeric_limits<double>::infinity();
  for (unsigned face = 1; face < 1U << q.rows(); ++face) {
    std::vector<Index> support;
    for (Index k = 0; k < q.rows(); ++k) {
      if (face >> k & 1U) support.push_back(k);
    }
    const VectorXd solved = q(support, support).fullPivLu().solve(VectorXd::Ones(static_cast<Index>(support.size())));
    const VectorXd point = solved / solved.sum();
    if (point.minCoeff() < 0) continue;
    least = std::min(least, point.dot(q(support, support) * point));
  }
  return least;
}

TEST(MinimizeOnSimplex, IsTheBestOfAllFaces) {
  detail::Random random(3);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const auto size = static_cast<Index>(1 + random.below(7));
    const MatrixXd q = random_quadratic(size, size + 2, random);
    const VectorXd point = minimize_on_simplex(q);
    EXPECT_NEAR(point.sum(), 1, 1e-12);
    EXPECT_GE(point.minCoeff(), 0);
    EXPECT_NEAR(point.dot(q * point), least_by_faces(q), 1e-10 * q.trace());
  }
}

// Optimal: no slope is below the mean slope.
TEST(MinimizeOnSimplex, MeetsTheOptimalityConditionsOnSingularProblemsToo) {
  detail::Random random(4);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const auto size = static_cast<Index>(2 + random.below(12));
    const MatrixXd q = random_quadratic(size, static_cast<Index>(1 + random.below(4)), random);
    const VectorXd point = minimize_on_simplex(q);
    const VectorXd slope = q * point;
    EXPECT_NEAR(point.sum(), 1, 1e-12);
    EXPECT_GE(point.minCoeff(), 0);
    EXPECT_GE(slope.minCoeff(), point.dot(slope) - 1e-9 * q.trace());
  }
}

TEST(MinimizeOnSimplex, NothingToChooseIsNoProblem) {
  EXPECT_EQ(minimize_on_simplex(MatrixXd(0, 0)).size(), 0);
  EXPECT_EQ(minimize_on_simplex(MatrixXd::Zero(1, 1))[0], 1);
  EXPECT_NEAR(minimize_on_simplex(MatrixXd::Zero(3, 3)).sum(), 1, 1e-15);
}

// Scores of all rows by the primal problem, with w = sum_i c_i phi(x_i), the kernel written out, the matrix inverted
// and the active constraints found by trying all: among the directions that satisfy the constraints, the one with the
// least w'(S + ridge I)w - rho.
VectorXd scores_by_primal(const Examples& examples, double gamma, double ridge, int class_count) {
  const Index n = examples.features.rows();
  MatrixXd k(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      k(i, j) = std::exp(-gamma * (examples.features.row(i) - examples.features.row(j)).squaredNorm());
    }
  }
  MatrixXd scatter = ridge * k;
  MatrixXd means = MatrixXd::Zero(n, class_count);
  for (int h = 0; h < class_count; ++h) {
    std::vector<Index> rows;
    for (Index i = 0; i < n; ++i) {
      if (examples.labels[static_cast<std::size_t>(i)] == h) rows.push_back(i);
    }
    means.col(h) = k(Eigen::all, rows).rowwise().mean();
    const MatrixXd centred = k(Eigen::all, rows).colwise() - means.col(h);
    scatter += centred * centred.transpose() / static_cast<double>(n);
  }
  const MatrixXd gaps = means.rightCols(class_count - 1) - means.leftCols(class_count - 1);
  const MatrixXd inverse = (scatter + 1e-9 * MatrixXd::Identity(n, n)).inverse();
  double best = std::numeric_limits<double>::infinity();
  VectorXd best_w;
  for (unsigned active = 1; active < 1U << gaps.cols(); ++active) {
    std::vector<Index> support;
    for (Index g = 0; g < gaps.cols(); ++g) {
      if (active >> g & 1U) support.push_back(g);
    }
    // Stationary: 2 (S + ridge I) w = sum a d and sum a = 1, with the active constraints met by one rho.
    const MatrixXd d = gaps(Eigen::all, support);
    const MatrixXd q = d.transpose() * inverse * d;
    VectorXd a = q.fullPivLu().solve(VectorXd::Ones(q.rows()));
    a /= a.sum();
    const VectorXd w = 0.5 * inverse * d * a;
    const double rho = (d.transpose() * w).minCoeff();
    if ((gaps.transpose() * w).minCoeff() < rho - 1e-9) continue;
    const double value = w.dot(scatter * w) - rho;
    if (value < best) {
      best = value;
      best_w = w;
    }
  }
  return k * best_w;
}

TEST(Kdlor, TheDirectionSolvesThePrimalProblem) {
  for (const int class_count : {2, 3, 4}) {
    std::vector<int> classes;
    for (int h = 0; h < class_count; ++h) classes.push_back(h);
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      const Examples examples = test_support::normal_examples(40, 3, classes, class_count, seed);
      const Kdlor model = fit_kdlor(examples, {.gamma = 0.5, .ridge = 1e-3}, 1);
      const VectorXd expected = scores_by_primal(examples, 0.5, 1e-3, class_count);
      EXPECT_LT((model.project(examples.features) - expected).norm(), solve_tolerance * expected.norm())
          << class_count << " classes, seed " << seed;
    }
  }
}

TEST(Kdlor, ThresholdsLieBetweenTheProjectedMeans) {
  const Examples examples = test_support::normal_examples(60, 2, {0, 1, 2}, 3, 5);
  const Kdlor model = fit_kdlor(examples, {.gamma = 0.5, .ridge = 1e-2}, 1);
  const VectorXd scores = model.project(examples.features);
  VectorXd sums = VectorXd::Zero(3), counts = VectorXd::Zero(3);
  for (Index i = 0; i < scores.size(); ++i) {
    sums[examples.labels[static_cast<std::size_t>(i)]] += scores[i];
    ++counts[examples.labels[static_cast<std::size_t>(i)]];
  }
  const VectorXd means = sums.cwiseQuotient(counts);
  ASSERT_EQ(model.thresholds.size(), 2U);
  EXPECT_NEAR(model.thresholds[0], (means[0] + means[1]) / 2, 1e-9 * std::abs(means[2] - means[0]));
  EXPECT_NEAR(model.thresholds[1], (means[1] + means[2]) / 2, 1e-9 * std::abs(means[2] - means[0]));
}

TEST(Kdlor, LandmarksInPlaceOfAllRowsComeClose) {
  const Examples examples = test_support::normal_examples(200, 2, {0, 1, 2}, 3, 6);
  const VectorXd exact = fit_kdlor(examples, {.gamma = 0.5, .ridge = 1e-2}, 1).project(examples.features);
  const Kdlor model = fit_kdlor(examples, {.gamma = 0.5, .ridge = 1e-2, .max_landmarks = 60}, 1);
  EXPECT_EQ(model.landmarks.cols(), 60);
  const VectorXd near = model.project(examples.features);
  EXPECT_LT((near - exact).norm(), 0.05 * exact.norm());
}

TEST(Kdlor, BeatsTheMajorityClassOnGeneratedData) { EXPECT_GT(test_support::generated_accuracy(*make_kdlor()), 0.5); }

TEST(Kdlor, HardProblemsAreSolved) { test_support::expect_hard_problems_solved(*make_kdlor()); }

TEST(Kdlor, TheSameSeedPredictsTheSame) { test_support::expect_same_seed_same_predictions(*make_kdlor()); }

TEST(Kdlor, OutOfTimeItStillAnswers) { test_support::expect_an_answer_without_time(*make_kdlor()); }

}  // namespace
}  // namespace xofm::baselines
