// Reasons of many rows against explain() of each.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "support/explained_model.hpp"
#include "xofm/explain.hpp"

namespace xofm {
namespace {

// By definition: all parts, sorted.
std::vector<Reason> slow_reasons(const Model& model, const Dataset& rows, std::size_t row, ReasonOrder order) {
  const LocalExplanation local = explain(model, rows, row);
  std::vector<Reason> parts;
  for (std::size_t j = 0; j < local.attributes.size(); ++j) {
    if (!model.terms || has_curve(*model.terms, j)) parts.push_back({j, j, local.attributes[j]});
  }
  for (const PairContribution& pair : local.pairs) parts.push_back({pair.first, pair.second, pair.value});
  std::sort(parts.begin(), parts.end(), [&](const Reason& a, const Reason& b) {
    const double sign = order == ReasonOrder::lowest ? 1 : -1;
    return std::tuple(sign * a.value, a.first, a.second) < std::tuple(sign * b.value, b.first, b.second);
  });
  return parts;
}

TEST(Reasons, AreThePartsOfTheExplanationInOrder) {
  constexpr double rounding = 1e-9;  // a surface is a product of two deviations there, a lookup here
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const auto& made : {test_support::terms_model(seed), test_support::motley_model(seed)}) {
      for (const ReasonOrder order : {ReasonOrder::lowest, ReasonOrder::highest}) {
        const auto all = reasons(made.model, made.data, 100, order);
        ASSERT_EQ(all.size(), made.data.row_count());
        for (std::size_t i = 0; i < all.size(); ++i) {
          const std::vector<Reason> slow = slow_reasons(made.model, made.data, i, order);
          ASSERT_EQ(all[i].size(), slow.size());
          for (std::size_t k = 0; k < slow.size(); ++k) EXPECT_NEAR(all[i][k].value, slow[k].value, rounding);
        }
      }
    }
  }
}

TEST(Reasons, FewOfThemAreTheFirstOfAll) {
  const auto made = test_support::terms_model(3);
  const auto all = reasons(made.model, made.data, 100);
  const auto few = reasons(made.model, made.data, 2);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(few[i].size(), 2U);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(few[i][k].first, all[i][k].first);
      EXPECT_EQ(few[i][k].second, all[i][k].second);
    }
  }
}

TEST(Reasons, AmongEqualPartsTheEarlierAttributeComesFirstAndItsCurveBeforeItsPairs) {
  auto made = test_support::terms_model(2);
  Terms& terms = *made.model.terms;
  for (auto& curve : terms.curves) curve.assign(curve.size(), 0.25);
  for (auto& surface : terms.surfaces) surface.values.assign(surface.values.size(), 0.25);
  for (const ReasonOrder order : {ReasonOrder::lowest, ReasonOrder::highest}) {
    for (const auto& own : reasons(made.model, made.data, 4, order)) {
      EXPECT_EQ(std::pair(own[0].first, own[0].second), std::pair(std::size_t{0}, std::size_t{0}));
      EXPECT_EQ(std::pair(own[1].first, own[1].second), std::pair(std::size_t{0}, std::size_t{1}));
      EXPECT_EQ(std::pair(own[2].first, own[2].second), std::pair(std::size_t{1}, std::size_t{1}));
    }
  }
  EXPECT_EQ(reason_text(made.model.schema, {0, 0, 0}), "n0");
  EXPECT_EQ(reason_text(made.model.schema, {0, 1, 0}), "n0 x n1");
}

TEST(Reasons, ACurveThatIsZeroEverywhereIsNoReason) {
  auto made = test_support::terms_model(2);
  made.model.terms->curves[0].assign(made.model.terms->curves[0].size(), 0.0);
  for (const auto& own : reasons(made.model, made.data, 100)) {
    EXPECT_TRUE(std::none_of(own.begin(), own.end(), [](const Reason& r) { return r.first == 0 && r.second == 0; }));
  }
}

}  // namespace
}  // namespace xofm
