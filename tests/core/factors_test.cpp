#include "core/score/factors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/random.hpp"

namespace xofm {
namespace {

double inner_product(const Parameters& parameters, std::size_t a, std::size_t b) {
  const auto k = static_cast<std::size_t>(parameters.factor_count);
  double sum = 0;
  for (std::size_t f = 0; f < k; ++f) sum += parameters.factors[a * k + f] * parameters.factors[b * k + f];
  return sum;
}

TEST(Factors, InnerProductsAreTheProductsAndZeroElsewhere) {
  constexpr double tolerance = 1e-12;  // eigenvectors of matrices with entries around 1
  detail::Random random(1);
  for (int round = 0; round < 20; ++round) {
    Parameters parameters;
    parameters.increments.resize(40);
    detail::Products products;
    for (std::size_t entry = 0; entry < 1 + random.below(60); ++entry) {
      const std::size_t a = random.below(40);
      const std::size_t b = random.below(40);
      if (a != b) products[{std::min(a, b), std::max(a, b)}] = random.normal();
    }
    detail::factorize(products, parameters);
    for (std::size_t a = 0; a < 40; ++a) {
      for (std::size_t b = a + 1; b < 40; ++b) {
        const auto found = products.find({a, b});
        EXPECT_NEAR(inner_product(parameters, a, b), found == products.end() ? 0 : found->second, tolerance);
      }
    }
  }
}

TEST(Factors, WithoutProductsThereAreNone) {
  Parameters parameters;
  parameters.increments.resize(3);
  parameters.factor_count = 2;
  parameters.factors.resize(6, 1.0);
  detail::factorize({}, parameters);
  EXPECT_EQ(parameters.factor_count, 0);
  EXPECT_TRUE(parameters.factors.empty());
}

TEST(Factors, OneProductTakesOneFactor) {
  // The eigenvalues of a pair are the product and its negative: shifted, one of them is zero.
  Parameters parameters;
  parameters.increments.resize(5);
  detail::factorize({{{1, 3}, -2.0}}, parameters);
  EXPECT_EQ(parameters.factor_count, 1);
  EXPECT_NEAR(inner_product(parameters, 1, 3), -2, 1e-12);
}

TEST(Factors, IdleOnesAreDroppedAndInnerProductsStay) {
  detail::Random random(2);
  Parameters parameters;
  parameters.increments.resize(30);
  // Nine factors that are mixtures of three.
  parameters.factor_count = 9;
  std::vector<double> mixture(27);
  for (double& share : mixture) share = random.normal();
  for (std::size_t n = 0; n < 30; ++n) {
    const double own[3] = {random.normal(), random.normal(), random.normal()};
    for (std::size_t f = 0; f < 9; ++f) {
      parameters.factors.push_back(own[0] * mixture[f] + own[1] * mixture[9 + f] + own[2] * mixture[18 + f]);
    }
  }
  Parameters fewer = parameters;
  detail::drop_idle_factors(fewer);
  EXPECT_EQ(fewer.factor_count, 3);
  for (std::size_t a = 0; a < 30; ++a) {
    for (std::size_t b = 0; b < 30; ++b) {
      // What is dropped carries at most 1e-9 of all squares; here it is rounding alone.
      EXPECT_NEAR(inner_product(fewer, a, b), inner_product(parameters, a, b), 1e-11);
    }
  }
  detail::drop_idle_factors(fewer);
  EXPECT_EQ(fewer.factor_count, 3);
  Parameters none;
  none.increments.resize(3);
  detail::drop_idle_factors(none);
  EXPECT_EQ(none.factor_count, 0);
}

}  // namespace
}  // namespace xofm
