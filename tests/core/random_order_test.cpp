#include "core/optimize/random_order.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace xofm {
namespace {

using detail::RandomOrder;

TEST(RandomOrder, VisitsEveryNumberOnce) {
  std::vector<std::uint64_t> counts = {255, 256, 257, 1000, 4095, 4096, 4097, 65537, 1 << 20};
  for (std::uint64_t count = 1; count <= 200; ++count) counts.push_back(count);
  for (const std::uint64_t count : counts) {
    const RandomOrder order(count, count * 31);
    std::vector<bool> seen(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t number = order[i];
      ASSERT_LT(number, count);
      ASSERT_FALSE(seen[number]) << "count " << count << ": " << number << " came twice";
      seen[number] = true;
    }
  }
}

TEST(RandomOrder, StaysBelowCountsOfManyBits) {
  for (const int bits : {31, 32, 33, 40, 61}) {
    const std::uint64_t count = (std::uint64_t{1} << bits) + 5;
    const RandomOrder order(count, 3);
    for (std::uint64_t i = 0; i < 1000; ++i) {
      EXPECT_LT(order[i], count);
      EXPECT_LT(order[count - 1 - i], count);
    }
  }
}

TEST(RandomOrder, TheSameSeedGivesTheSameOrderAndAnotherSeedAnother) {
  constexpr std::uint64_t count = 1000;
  const RandomOrder a(count, 1), b(count, 1), c(count, 2);
  std::uint64_t equal = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    EXPECT_EQ(a[i], b[i]);
    equal += a[i] == c[i] ? 1 : 0;
  }
  EXPECT_LT(equal, 12U);  // Poisson with mean 1: 12 has a chance below 1e-9
}

TEST(RandomOrder, LooksRandom) {
  // Correlation of a number with its place, and with the number before it: both are near 0 with a spread of
  // 1 / sqrt(count); five spreads are allowed.
  constexpr std::uint64_t count = 20000;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const RandomOrder order(count, seed);
    const double mean = (count - 1) / 2.0;
    const double variance = (static_cast<double>(count) * count - 1) / 12;
    double with_place = 0, with_previous = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const double here = static_cast<double>(order[i]) - mean;
      with_place += here * (static_cast<double>(i) - mean);
      if (i > 0) with_previous += here * (static_cast<double>(order[i - 1]) - mean);
    }
    const double allowed = 5 / std::sqrt(static_cast<double>(count));
    EXPECT_LT(std::abs(with_place / count / variance), allowed) << seed;
    EXPECT_LT(std::abs(with_previous / count / variance), allowed) << seed;
  }
}

}  // namespace
}  // namespace xofm
