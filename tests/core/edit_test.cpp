#include "xofm/edit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/sha256.hpp"
#include "core/edit/shape.hpp"
#include "core/encode/distribution.hpp"
#include "core/terms/term_table.hpp"
#include "support/explained_model.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"

namespace xofm {
namespace {

using test_support::ExplainedModel;
using test_support::terms_model;

constexpr double rounding = 1e-12;  // sums of a few numbers of about 1

// n0, n1 (decreasing), t0, c0 (constant), k0, k1; pairs n0 x n1, n1 x k0, k0 x k1.
class EditTest : public ::testing::Test {
 protected:
  EditTest() : made(terms_model(1)), model(made.model) {}

  Model edited(const std::vector<Edit>& edits, const Dataset* rows = nullptr) const {
    return apply_edits(model, edits, rows);
  }
  std::size_t place(const std::string& name) const {
    for (std::size_t j = 0; j < model.schema.attributes.size(); ++j) {
      if (model.schema.attributes[j].name == name) return j;
    }
    ADD_FAILURE() << name;
    return 0;
  }
  const std::vector<double>& knots(const std::string& name) const {
    return model.encoder.attributes[place(name)].knots;
  }
  void expect_refusal(const Edit& edit, const std::string& text) const {
    try {
      edited({edit});
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_option);
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
      EXPECT_TRUE(std::string(error.what()).starts_with("edit 1: ")) << error.what();
    }
  }

  ExplainedModel made;
  Model model;
};

TEST_F(EditTest, AKnotMovesTheRowsAtItAndNoOthers) {
  const double knot = knots("n0")[1];
  const Model after = edited({SetValue{"n0", {EditPlace::Kind::number, knot}, 7}});
  EXPECT_EQ(after.terms->curves[0][1], 7);
  Dataset rows = subset(made.data, std::vector<std::size_t>{0, 0});
  rows.columns[0] = {knot, knots("n0").back()};
  const auto [was, is] = std::pair{model.score(rows), after.score(rows)};
  EXPECT_NEAR(is[0] - was[0], 7 - model.terms->curves[0][1], rounding * 10);
  EXPECT_EQ(is[1], was[1]);
}

TEST_F(EditTest, LevelsMissingAndOtherHaveValuesOfTheirOwn) {
  const std::size_t k0 = place("k0");
  const std::string& level = model.schema.attributes[k0].levels[1];
  const Model after =
      edited({SetValue{"k0", {EditPlace::Kind::level, 0, level}, 1}, SetValue{"k0", {EditPlace::Kind::missing}, 2},
              SetValue{"k0", {EditPlace::Kind::other}, 3}});
  const std::vector<double>& curve = after.terms->curves[k0];
  EXPECT_EQ(curve[1], 1);
  EXPECT_EQ(curve[curve.size() - 2], 2);
  EXPECT_EQ(curve.back(), 3);
}

TEST_F(EditTest, ADrawnCurvePassesThroughItsPointsAndLeavesTheRest) {
  const std::vector<double>& at = knots("n0");
  ASSERT_GE(at.size(), 4U);
  const Model after = edited({DrawCurve{"n0", {{at[0], 1}, {at[2], 3}}}});
  const std::vector<double>& curve = after.terms->curves[0];
  EXPECT_NEAR(curve[0], 1, rounding);
  EXPECT_NEAR(curve[1], 1 + 2 * (at[1] - at[0]) / (at[2] - at[0]), rounding);
  EXPECT_NEAR(curve[2], 3, rounding);
  EXPECT_EQ(curve[3], model.terms->curves[0][3]);
}

TEST_F(EditTest, StopWeightsAreTheRowsBetweenTheKnots) {
  const EncodedRows rows = encode(model.encoder, made.data);
  for (std::size_t j = 0; j < model.schema.attributes.size(); ++j) {
    if (model.encoder.attributes[j].knots.size() == 1) continue;
    std::vector<double> expected(stop_count(model.encoder.attributes[j]));
    for (std::size_t i = 0; i < made.data.row_count(); ++i) {
      const std::size_t at = i * rows.attribute_count + j;
      const auto place = detail::stop_position(model.encoder.attributes[j], {rows.coordinates[at], rows.fractions[at]});
      expected[place.low] += (1 - place.fraction) * made.data.weights[i];
      expected[place.high] += place.fraction * made.data.weights[i];
    }
    const std::vector<double> weights = detail::stop_weights(model, j);
    for (std::size_t s = 0; s < weights.size(); ++s) EXPECT_NEAR(weights[s], expected[s], 1e-9) << j << " " << s;
  }
}

TEST_F(EditTest, AFlatStretchKeepsTheMeanOverTheRows) {
  const std::vector<double>& at = knots("n0");
  const Model after = edited({FlattenCurve{"n0", at[1], at[3]}});
  const std::vector<double> weights = detail::stop_weights(model, 0);
  double before_sum = 0;
  double after_sum = 0;
  for (std::size_t k = 1; k <= 3; ++k) {
    EXPECT_EQ(after.terms->curves[0][k], after.terms->curves[0][1]);
    before_sum += weights[k] * model.terms->curves[0][k];
    after_sum += weights[k] * after.terms->curves[0][k];
  }
  EXPECT_NEAR(before_sum, after_sum, 1e-9);
}

TEST_F(EditTest, SmoothingByOneInnerKnotLiesOnTheLineOfItsNeighbours) {
  const std::vector<double>& at = knots("n0");
  const std::vector<double>& before = model.terms->curves[0];
  const Model after = edited({SmoothCurve{"n0", 1}});
  const double share = (at[1] - at[0]) / (at[2] - at[0]);
  EXPECT_NEAR(after.terms->curves[0][1], before[0] + share * (before[2] - before[0]), rounding * 10);
  EXPECT_EQ(after.terms->curves[0][0], before[0]);
}

// Proved, and so on every pair of rows that differ in this attribute alone.
TEST_F(EditTest, MonotoneIsProvedPairsIncluded) {
  for (const Direction direction : {Direction::increasing, Direction::decreasing}) {
    for (const char* const name : {"n0", "n1"}) {
      const std::size_t j = place(name);
      const Model after = edited({MakeMonotone{name, direction}});
      EXPECT_EQ(after.certificate.attributes[j].direction, direction);
      EXPECT_TRUE(after.certificate.attributes[j].holds) << name << " " << after.certificate.attributes[j].least_slope;
      Dataset rows = made.data;
      const double sign = direction == Direction::increasing ? 1 : -1;
      std::vector<double> low(rows.row_count(), -1e9);
      for (int step = 0; step <= 20; ++step) {
        const double share = sign > 0 ? step / 20.0 : 1 - step / 20.0;
        const double value = knots(name).front() + share * (knots(name).back() - knots(name).front());
        rows.columns[j].assign(rows.row_count(), value);
        const std::vector<double> scores = after.score(rows);
        for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_GE(scores[i], low[i] - 1e-9);
        low = scores;
      }
    }
  }
}

// What is counted along the coordinates is turned with the direction.
TEST_F(EditTest, TheDirectionTurnsWhatIsCounted) {
  const Model after = edited({MakeMonotone{"n0", Direction::decreasing}});
  const EncodedRows rows = encode(after.encoder, made.data);
  double total = 0;
  std::vector<double> mean(after.distribution.mean_encoding.size());
  for (std::size_t i = 0; i < made.data.row_count(); ++i) {
    total += made.data.weights[i];
    const std::size_t at = i * rows.attribute_count;
    const AttributeEncoder& own = after.encoder.attributes[0];
    const std::uint32_t coordinate = rows.coordinates[at];
    mean[coordinate] += made.data.weights[i] * rows.fractions[at];
    if (!own.is_segment(static_cast<int>(coordinate))) continue;
    for (std::uint32_t c = 0; c < coordinate; ++c) mean[c] += made.data.weights[i];
  }
  for (int c = 0; c < after.encoder.attributes[0].coordinate_count(); ++c) {
    const auto n = static_cast<std::size_t>(c);
    EXPECT_NEAR(after.distribution.mean_encoding[n], mean[n] / total, 1e-9) << c;
  }
}

TEST(RaiseSteps, GivesTheNearestValuesWhoseStepsAreLargeEnough) {
  std::vector<double> values = {0, 3, 1, 2};
  detail::raise_steps(values, std::vector<double>{1, 1, 1, 1}, std::vector<double>{0, 0, 0});
  EXPECT_EQ(values[0], 0);
  for (const std::size_t k : {1U, 2U, 3U}) EXPECT_NEAR(values[k], 2, rounding);  // (3 + 1 + 2) / 3
  values = {0, 0};
  detail::raise_steps(values, std::vector<double>{1, 3}, std::vector<double>{2});
  EXPECT_NEAR(values[0], -1.5, rounding);
  EXPECT_NEAR(values[1], 0.5, rounding);
}

TEST_F(EditTest, MergedLevelsSpeakWithOneVoice) {
  const std::size_t k0 = place("k0");
  const auto& levels = model.schema.attributes[k0].levels;
  const Model after = edited({MergeLevels{"k0", {levels[0], levels[2]}}});
  Dataset rows = made.data;
  rows.columns[k0].assign(rows.row_count(), 0);
  const std::vector<double> first = after.score(rows);
  rows.columns[k0].assign(rows.row_count(), 2);
  EXPECT_EQ(after.score(rows), first);
}

TEST_F(EditTest, APairIsRemovedAddedAndSet) {
  const Model without = edited({RemovePair{"n1", "n0"}});
  EXPECT_EQ(without.terms->surfaces.size(), 2U);
  EXPECT_EQ(pair_count(without), 2U);
  const Model zero = edited({RemovePair{"n0", "n1"}, AddPair{"n1", "n0", 3}});
  EXPECT_EQ(zero.score(made.data), without.score(made.data));
  const double x = knots("n0").back();
  const double y = knots("n1").front();
  const Model set = edited({RemovePair{"n0", "n1"}, AddPair{"n1", "n0", 3},
                            SetCell{"n1", "n0", {EditPlace::Kind::number, y}, {EditPlace::Kind::number, x}, 5}});
  Dataset rows = subset(made.data, std::vector<std::size_t>{0});
  rows.columns[0] = {x};
  rows.columns[1] = {y};
  EXPECT_NEAR(set.score(rows)[0] - without.score(rows)[0], 5, rounding * 10);
}

TEST_F(EditTest, WhatWasMeasuredBeforeIsLeftOut) {
  model.holdout = Metrics{};
  model.validation = ValidationSummary{};
  model.assignment.conformity = {0.5};
  const Model after = edited({RemovePair{"n0", "n1"}});
  EXPECT_FALSE(after.holdout || after.validation || after.bands);
  EXPECT_TRUE(after.assignment.conformity.empty());
  EXPECT_EQ(after.assignment.mae_cuts, model.assignment.mae_cuts);
}

TEST_F(EditTest, OfTheTrainingRowsTheReferenceFollows) {
  model.summary.data_fingerprint = detail::fingerprint(made.data);  // they were labelled after training
  const Edit edit = SetValue{"n0", {EditPlace::Kind::number, knots("n0")[1]}, 3};
  const Model alone = edited({edit});
  const Model with_rows = edited({edit}, &made.data);
  EXPECT_EQ(alone.assignment.reference.classes[0][0].score, model.assignment.reference.classes[0][0].score);
  const std::vector<double> scores = with_rows.score(made.data);
  std::size_t count = 0;
  for (const auto& points : with_rows.assignment.reference.classes) {
    EXPECT_TRUE(
        std::is_sorted(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.score < b.score; }));
    for (const ReferencePoint& point : points) {
      EXPECT_NEAR(point.score, scores[point.row - 1], 1e-9);
      ++count;
    }
  }
  EXPECT_GT(count, 20U);
}

TEST_F(EditTest, TheEffectNamesTheRowsThatChangeClass) {
  const Model after = edited({SetValue{"n0", {EditPlace::Kind::number, knots("n0").front()}, 50}});
  const EditEffect effect = edit_effect(model, after, made.data);
  const auto [was, is] = std::pair{model.predict(made.data).classes, after.predict(made.data).classes};
  std::size_t count = 0;
  for (std::size_t i = 0; i < was.size(); ++i) count += was[i] != is[i] ? 1 : 0;
  ASSERT_GT(count, 0U);
  EXPECT_EQ(effect.changes.size(), count);
  for (const ClassChange& change : effect.changes) {
    EXPECT_EQ(was[change.row], change.first_label);
    EXPECT_EQ(is[change.row], change.second_label);
    EXPECT_NE(change.first_label, change.second_label);
  }
  EXPECT_EQ(effect.before->row_count, made.data.row_count());
  EXPECT_NE(effect.before->accuracy, effect.after->accuracy);
}

TEST_F(EditTest, WhatCannotBeDoneIsRefusedByName) {
  expect_refusal(SetValue{"nn", {}, 1}, "no attribute 'nn'");
  expect_refusal(SetValue{"n0", {EditPlace::Kind::number, 1e9}, 1}, "is no knot of 'n0'. Its knots: ");
  expect_refusal(SetValue{"n0", {EditPlace::Kind::level, 0, "red"}, 1}, "'n0' has no level 'red'");
  expect_refusal(SetValue{"n0", {EditPlace::Kind::number, knots("n0")[0]}, std::nan("")}, "must be a finite number");
  expect_refusal(DrawCurve{"n0", {{1, 1}}}, "at least two points");
  expect_refusal(DrawCurve{"n0", {{1, 1}, {1, 2}}}, "ascending");
  expect_refusal(DrawCurve{"n0", {{1e8, 1}, {1e9, 2}}}, "has 0 of its knots");
  expect_refusal(DrawCurve{"k0", {{0, 1}, {1, 2}}}, "has levels and no knots");
  expect_refusal(FlattenCurve{"n0", 1e8, 1e9}, "has 0 of its knots");
  expect_refusal(MakeMonotone{"n0", Direction::none}, "increasing or decreasing");
  expect_refusal(MakeMonotone{"c0", Direction::increasing}, "is constant");
  expect_refusal(SmoothCurve{"n0", 0}, "above 0");
  expect_refusal(MergeLevels{"k0", {model.schema.attributes[place("k0")].levels[0]}}, "at least two");
  expect_refusal(AddPair{"n0", "n1"}, "already");
  expect_refusal(AddPair{"n0", "n0"}, "no pair with itself");
  expect_refusal(AddPair{"n0", "k0", 1}, "grid is 1");
  expect_refusal(RemovePair{"n0", "k1"}, "no pair of 'n0' and 'k1'");
  expect_refusal(SetCell{"n0", "k1", {}, {}, 1}, "add it first");
}

TEST(Edit, AModelWithFactorsIsRefused) {
  const ExplainedModel made = test_support::motley_model(1);
  EXPECT_THROW(apply_edits(made.model, std::vector<Edit>{RemovePair{"n0", "n1"}}), Error);
}

// FIPS 180-4's own examples, and lengths at which the padding takes a block more.
TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(detail::sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(detail::sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(detail::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(detail::sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace xofm
