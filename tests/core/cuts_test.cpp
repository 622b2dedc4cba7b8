#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/assign/reference.hpp"
#include "core/base/random.hpp"
#include "support/assign_cases.hpp"
#include "support/slow_assign.hpp"
#include "xofm/assign.hpp"
#include "xofm/error.hpp"

namespace xofm {
namespace {

using test_support::ask;
using test_support::class_by_cuts;
using test_support::concordant_six;
using test_support::fit;
using test_support::random_scored;
using test_support::Scored;

// --- Cuts.

TEST(Cuts, MakeTheLeastErrorOfAllPossibleCuts) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const Scored data = random_scored(seed, 9, 4);
    const auto reference = detail::make_reference(data.scores, data.labels, data.weights, data.class_count, 1000);
    for (const Aim aim : {Aim::accuracy, Aim::mae}) {
      const auto cuts = optimal_cuts(reference, aim);
      ASSERT_EQ(cuts.size(), static_cast<std::size_t>(data.class_count) - 1);
      EXPECT_TRUE(std::is_sorted(cuts.begin(), cuts.end()));
      for (const double cut : cuts) EXPECT_TRUE(std::isfinite(cut));
      EXPECT_NEAR(test_support::cuts_error(data, cuts, aim), test_support::slow_least_error(data, aim), 1e-12)
          << "seed " << seed;
    }
  }
}

TEST(Cuts, LieInTheMiddleBetweenTwoScores) {
  const auto cuts = fit(concordant_six()).mae_cuts;
  EXPECT_EQ(cuts, (std::vector<double>{1.5, 3.5}));
}

TEST(Cuts, NeighbouringNumbersAreStillSeparated) {
  const double next = std::nextafter(1.0, 2.0);
  const auto cuts = fit({{1, next}, {0, 1}, {}, 2}).mae_cuts;
  EXPECT_EQ(class_by_cuts(cuts, 1), 0);
  EXPECT_EQ(class_by_cuts(cuts, next), 1);
}

TEST(Cuts, AClassLeftOutAtAnEndIsNeverAssigned) {
  // Classes 0 and 3 have no objects: no score, however extreme, is put there.
  Reference reference;
  reference.classes = {{}, {{0, 1, 1}}, {{1, 1, 2}}, {}};
  for (const Aim aim : {Aim::accuracy, Aim::mae}) {
    const std::vector<double> cuts = optimal_cuts(reference, aim);
    const auto class_of = [&](double score) {
      return std::upper_bound(cuts.begin(), cuts.end(), score) - cuts.begin();
    };
    EXPECT_EQ(class_of(-1e300), 1);
    EXPECT_EQ(class_of(0), 1);
    EXPECT_EQ(class_of(1), 2);
    EXPECT_EQ(class_of(1e300), 2);
  }
}

TEST(Cuts, TheRuleTakesThoseOfItsAim) {
  // Scores 0 .. 4 with classes 0 2 0 0 2 ...: the two aims differ somewhere.
  int different = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Scored data = random_scored(seed, 60);
    for (const Aim aim : {Aim::accuracy, Aim::mae}) {
      const auto assignment = fit(data, 1, {.rule = AssignmentRule::threshold, .aim = aim});
      const auto& cuts = aim == Aim::mae ? assignment.mae_cuts : assignment.accuracy_cuts;
      for (const double score : data.scores) EXPECT_EQ(ask(assignment, score).row.label, class_by_cuts(cuts, score));
      different += assignment.mae_cuts != assignment.accuracy_cuts ? 1 : 0;
    }
  }
  EXPECT_GT(different, 0);
}

}  // namespace
}  // namespace xofm
