#include "baselines/layers.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/gradient_check.hpp"

namespace xofm::baselines {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

MatrixXd random_matrix(Index rows, Index columns, detail::Random& random) {
  return MatrixXd::NullaryExpr(rows, columns, [&] { return random.normal(); });
}

// Two objects with two values at each of three places; nothing comes from the neighbouring object.
TEST(Layers, PatchesStackThePlaceBeforeThePlaceAndThePlaceAfter) {
  MatrixXd values(2, 6), expected(6, 6);
  values << 1, 2, 3, 4, 5, 6,  //
      7, 8, 9, 10, 11, 12;
  expected << 0, 1, 2, 0, 4, 5,  //
      0, 7, 8, 0, 10, 11,        //
      1, 2, 3, 4, 5, 6,          //
      7, 8, 9, 10, 11, 12,       //
      2, 3, 0, 5, 6, 0,          //
      8, 9, 0, 11, 12, 0;
  MatrixXd patches;
  to_patches(values, 3, patches);
  EXPECT_EQ(patches, expected);
}

TEST(Layers, FromPatchesIsTheTransposeOfPatches) {
  detail::Random random(3);
  for (const Index length : {1, 2, 5}) {
    const MatrixXd values = random_matrix(2, 3 * length, random);
    const MatrixXd others = random_matrix(6, 3 * length, random);
    MatrixXd there, back;
    to_patches(values, length, there);
    from_patches(others, length, back);
    EXPECT_NEAR((there.array() * others.array()).sum(), (values.array() * back.array()).sum(), 1e-12)
        << "length " << length;
  }
}

TEST(Layers, TheTowersGradientAgreesWithDifferences) {
  for (const Index length : {1, 2, 6}) {
    detail::Random random(11);
    const Tower tower(length, 3, 4);
    std::vector<double> start(static_cast<std::size_t>(tower.parameter_count()));
    tower.start(start, random);
    for (double& parameter : start) parameter += 0.1 * random.normal();  // biases too
    const MatrixXd objects = random_matrix(length, 5, random);
    const MatrixXd weights = random_matrix(4, 5, random);
    Tower::Pass pass;
    const auto objective = [&](std::span<const double> parameters, std::span<double> gradient) {
      std::fill(gradient.begin(), gradient.end(), 0.0);
      tower.run(parameters, objects, pass);
      pass.output_gradient = weights;
      tower.add_gradient(parameters, pass, gradient);
      return (pass.output.array() * weights.array()).sum();
    };
    EXPECT_TRUE(test_support::gradient_agrees(objective, start)) << "length " << length;
  }
}

// An object's output must not depend on its neighbours in the batch.
TEST(Layers, TheTowerTreatsEachObjectAlone) {
  detail::Random random(5);
  const Tower tower(4, 3, 2);
  std::vector<double> parameters(static_cast<std::size_t>(tower.parameter_count()));
  tower.start(parameters, random);
  const MatrixXd objects = random_matrix(4, 6, random);
  Tower::Pass together, alone;
  tower.run(parameters, objects, together);
  EXPECT_GT(together.output.maxCoeff(), 0);
  for (Index i = 0; i < objects.cols(); ++i) {
    tower.run(parameters, objects.col(i), alone);
    EXPECT_LT((alone.output - together.output.col(i)).norm(), 1e-12);
  }
}

// The first step goes by the rate against the sign of the gradient, whatever its size; decay pulls to 0.
TEST(Layers, AdamsFirstStepIsTheRate) {
  std::vector<double> parameters = {1, 1, 1};
  Adam(3).step(parameters, std::vector<double>{1e-3, -50, 0}, 0.1, 0.5);
  EXPECT_NEAR(parameters[0], 1 - 0.1 - 0.05, 1e-5);
  EXPECT_NEAR(parameters[1], 1 + 0.1 - 0.05, 1e-5);
  EXPECT_NEAR(parameters[2], 1 - 0.05, 1e-12);
}

TEST(Layers, AdamFindsTheMinimumOfAParabola) {
  std::vector<double> parameters = {3, -2};
  Adam adam(2);
  for (int step = 0; step < 2000; ++step) {
    const std::vector<double> gradient = {2 * (parameters[0] - 1), 20 * (parameters[1] - 0.5)};
    adam.step(parameters, gradient, 0.02 * (1 - step / 2000.0), 0);
  }
  EXPECT_NEAR(parameters[0], 1, 1e-3);
  EXPECT_NEAR(parameters[1], 0.5, 1e-3);
}

}  // namespace
}  // namespace xofm::baselines
