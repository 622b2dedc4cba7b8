#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "support/explained_model.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"

namespace xofm {
namespace {

using test_support::ExplainedModel;

const std::vector<AssignmentOptions> rules = {
    {.rule = AssignmentRule::support},
    {.rule = AssignmentRule::threshold},
    {.rule = AssignmentRule::probability, .aim = Aim::mae},
    {.rule = AssignmentRule::probability, .aim = Aim::accuracy},
};

ExplainedModel small_model(std::uint64_t seed, const AssignmentOptions& assignment) {
  const TrainOptions options{.parts = {{.segment_count = 3, .factor_count = 2}},
                             .attributes = {.directions = {{"n1", Direction::decreasing}}},
                             .assignment = assignment};
  return test_support::random_model(
      {.row_count = 30, .class_count = 3, .numeric_count = 2, .tied_count = 0, .categorical_count = 1}, options, seed,
      assignment.rule == AssignmentRule::support && seed % 2 == 0);
}

TEST(ScorePieces, AgreeWithTheAssigner) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    for (const AssignmentOptions& rule : rules) {
      const Assignment assignment = small_model(seed, rule).model.assignment;
      const std::vector<ScorePiece> pieces = score_pieces(assignment);
      std::vector<double> scores = assignment.accuracy_cuts;
      scores.insert(scores.end(), assignment.mae_cuts.begin(), assignment.mae_cuts.end());
      for (const ScorePiece& piece : pieces) scores.insert(scores.end(), {piece.lowest, piece.highest});
      for (const auto& points : assignment.reference.classes) {
        for (const auto& point : points) {
          scores.insert(scores.end(), {point.score, point.score - assignment.margin, point.score + assignment.margin});
        }
      }
      detail::Random random(seed);
      for (int i = 0; i < 500; ++i) scores.push_back(6 * random.normal());
      std::vector<double> support(3);
      std::vector<double> probabilities(3);
      for (const double score : scores) {
        for (const double s : {std::nextafter(score, -1e300), score, std::nextafter(score, 1e300)}) {
          if (std::abs(s) > 1e300) continue;
          const auto at = std::find_if(pieces.begin(), pieces.end(), [&](const ScorePiece& piece) {
            return piece.lowest <= s && s <= piece.highest;
          });
          ASSERT_NE(at, pieces.end());
          // Where two probabilities cross, rounding may turn the mode back and forth.
          const bool is_mode = rule.rule == AssignmentRule::probability && rule.aim == Aim::accuracy;
          if (is_mode && std::min(std::abs(s - at->lowest), std::abs(s - at->highest)) < 1e-9) continue;
          EXPECT_EQ(at->label, Assigner(assignment).assign(s, support, probabilities).label);
        }
      }
    }
  }
}

TEST(ScorePieces, BySupportAClassMayHaveSeveral) {
  std::size_t most = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    most = std::max(most, score_pieces(small_model(seed, rules[0]).model.assignment).size());
  }
  EXPECT_GT(most, 3U);  // of three classes
}

TEST(ScorePieces, ByCutsEndJustBeforeTheCut) {
  Assignment assignment;
  assignment.options.rule = AssignmentRule::threshold;
  assignment.reference.classes.resize(3);
  assignment.mae_cuts = {1.0, 1.0};
  assignment.calibration.thresholds = {0, 0};
  const auto pieces = score_pieces(assignment);
  ASSERT_EQ(pieces.size(), 2U);  // the middle class has no score
  EXPECT_EQ(pieces[0].highest, std::nextafter(1.0, 0.0));
  EXPECT_EQ(pieces[1].lowest, 1.0);
  EXPECT_EQ(pieces[1].label, 2);
}

// Every value of a fine grid: the training range in equal steps, the knots, and the values just around each.
std::vector<double> grid_values(const AttributeEncoder& encoder, int steps) {
  std::vector<double> values;
  for (int level = 0; level < encoder.level_count; ++level) values.push_back(level);
  if (encoder.knots.empty()) return values;
  const double width = encoder.knots.back() - encoder.knots.front();
  for (int i = 0; i <= steps; ++i) values.push_back(encoder.knots.front() + width * i / steps);
  for (const double knot : encoder.knots) values.insert(values.end(), {knot, knot - 1e-9, knot + 1e-9});
  // Nobody is told to become "never asked".
  std::erase_if(values, [&](double value) {
    return std::find(encoder.special.begin(), encoder.special.end(), value) != encoder.special.end();
  });
  return values;
}

double cost_of(const Model& model, std::size_t j, double from, double to) {
  if (from == to) return 0;
  const auto& encoder = model.encoder.attributes[j];
  return encoder.level_count > 0 ? 1 : std::abs(to - from) / (encoder.knots.back() - encoder.knots.front());
}

// The least cost over a grid of two attributes (or one, if a == b) of reaching the class; infinite if none does.
double grid_cost(const Model& model, const Dataset& object, std::size_t a, std::size_t b, int target, int steps) {
  Dataset rows;
  rows.schema = object.schema;
  rows.columns.resize(object.columns.size());
  std::vector<double> costs;
  std::vector<double> values_b = a == b ? std::vector<double>{0} : grid_values(model.encoder.attributes[b], steps);
  for (const double x : grid_values(model.encoder.attributes[a], steps)) {
    for (const double y : values_b) {
      for (std::size_t j = 0; j < rows.columns.size(); ++j) rows.columns[j].push_back(object.columns[j].front());
      rows.columns[a].back() = x;
      costs.push_back(cost_of(model, a, object.columns[a].front(), x));
      if (a == b) continue;
      rows.columns[b].back() = y;
      costs.back() += cost_of(model, b, object.columns[b].front(), y);
    }
  }
  const std::vector<int> classes = model.predict(rows).classes;
  double least = HUGE_VAL;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (classes[i] == target) least = std::min(least, costs[i]);
  }
  return least;
}

void expect_valid(const Model& model, const Dataset& object, const std::optional<Counterfactual>& found, int target,
                  std::size_t most_changes) {
  if (!found) return;
  Dataset changed = object;
  double cost = 0;
  for (const ValueChange& change : found->changes) {
    EXPECT_EQ(change.from, object.columns[change.attribute].front());
    EXPECT_NE(change.from, change.to);
    changed.columns[change.attribute].front() = change.to;
    cost += cost_of(model, change.attribute, change.from, change.to);
  }
  const Predictions predicted = model.predict(changed);
  EXPECT_EQ(predicted.classes.front(), target);
  EXPECT_EQ(predicted.scores.front(), found->score);
  EXPECT_TRUE(predicted.notes.empty());
  EXPECT_EQ(found->label, target);
  EXPECT_NEAR(found->cost, cost, 1e-14);
  EXPECT_GE(found->changes.size(), 1U);
  EXPECT_LE(found->changes.size(), most_changes);
}

double cost_or_infinity(const std::optional<Counterfactual>& found) { return found ? found->cost : HUGE_VAL; }

// How often the second attribute paid, so that the tests do not pass on single changes alone.
struct Tally {
  int found = 0;
  int doubles = 0;
};

void expect_cheapest(const Model& model, const Dataset& object, int target, const Counterfactuals& found,
                     Tally& tally) {
  constexpr double slack = 1e-8;  // the grid meets open ends and knots by 1e-9
  expect_valid(model, object, found.one, target, 1);
  expect_valid(model, object, found.two, target, 2);
  double one = HUGE_VAL;
  double two = HUGE_VAL;
  for (std::size_t a = 0; a < object.columns.size(); ++a) {
    one = std::min(one, grid_cost(model, object, a, a, target, 2000));
    for (std::size_t b = a + 1; b < object.columns.size(); ++b) {
      two = std::min(two, grid_cost(model, object, a, b, target, 70));
    }
  }
  EXPECT_LE(cost_or_infinity(found.one), one + slack);
  EXPECT_LE(cost_or_infinity(found.two), two + slack);
  EXPECT_LE(cost_or_infinity(found.two), cost_or_infinity(found.one));
  if (found.two) ++tally.found;
  if (found.two && found.two->changes.size() == 2) ++tally.doubles;
}

class CounterfactualByRule : public ::testing::TestWithParam<std::size_t> {};

TEST_P(CounterfactualByRule, NoPointOfAFineGridIsCheaper) {
  Tally tally;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const ExplainedModel m = small_model(seed, rules[GetParam()]);
    for (std::size_t i = 0; i < 6; ++i) {
      const std::size_t row = i * 5;
      const Dataset object = subset(m.data, std::vector<std::size_t>{row});
      const NextClasses next = next_classes(m.model, m.data, row);
      if (next.better) expect_cheapest(m.model, object, *next.better, next.to_better, tally);
      if (next.worse) expect_cheapest(m.model, object, *next.worse, next.to_worse, tally);
    }
  }
  EXPECT_GT(tally.found, 60);
  EXPECT_GT(tally.doubles, 10);
}

INSTANTIATE_TEST_SUITE_P(Rules, CounterfactualByRule, ::testing::Values(0U, 1U, 2U, 3U));

// Numeric attributes on 0 .. 1 with one segment each, cuts on the score.
Model plain_model(std::vector<double> increments, std::vector<double> factors, std::vector<double> cuts) {
  Model model;
  for (std::size_t j = 0; j < increments.size(); ++j) {
    model.schema.attributes.push_back({.name = std::string(1, static_cast<char>('a' + j))});
    AttributeEncoder encoder;
    encoder.knots = {0, 1};
    model.encoder.attributes.push_back(encoder);
  }
  number_coordinates(model.encoder);
  for (std::size_t h = 0; h <= cuts.size(); ++h) model.schema.class_names.push_back(std::to_string(h));
  model.parameters = {std::move(increments), factors.empty() ? 0 : 1, std::move(factors)};
  model.distribution.mean_encoding.assign(model.encoder.coordinate_count(), 0.5);
  model.assignment.options.rule = AssignmentRule::threshold;
  model.assignment.reference.classes.resize(cuts.size() + 1);
  model.assignment.calibration.thresholds = cuts;
  model.assignment.mae_cuts = std::move(cuts);
  return model;
}

Dataset plain_object(const Model& model, const std::vector<double>& values) {
  Dataset data;
  data.schema = model.schema;
  for (const double value : values) data.columns.push_back({value});
  return data;
}

TEST(Counterfactual, StepsOnAClosedEndAndJustInsideAnOpenOne) {
  const Model model = plain_model({1}, {}, {0.25, 0.75});  // score = a
  const NextClasses next = next_classes(model, plain_object(model, {0.5}), 0);
  ASSERT_TRUE(next.to_better.one && next.to_worse.one);
  EXPECT_EQ(next.to_better.one->changes.at(0).to, 0.75);
  EXPECT_EQ(next.to_better.one->cost, 0.25);
  EXPECT_EQ(next.to_worse.one->changes.at(0).to, std::nextafter(0.25, 0));
}

TEST(Counterfactual, OfTwoAttributesTouchesTheLevelLine) {
  // score = a b, from (1/4, 1/4) to 1/4: alone a = 1 costs 3/4, together a = b = 1/2 costs 1/2.
  const Model model = plain_model({0, 0}, {1, 1}, {0.25});
  const NextClasses next = next_classes(model, plain_object(model, {0.25, 0.25}), 0);
  ASSERT_TRUE(next.to_better.one && next.to_better.two);
  EXPECT_DOUBLE_EQ(next.to_better.one->cost, 0.75);
  ASSERT_EQ(next.to_better.two->changes.size(), 2U);
  EXPECT_NEAR(next.to_better.two->changes[0].to, 0.5, 1e-7);  // flat along the line: the cost is what is sharp
  EXPECT_NEAR(next.to_better.two->cost, 0.5, 1e-12);
  EXPECT_FALSE(next.worse || next.to_worse.one || next.to_worse.two);
}

TEST(Counterfactual, SkipsAClassThatNoScoreGets) {
  const Model model = plain_model({1}, {}, {0.75, 0.75});
  const NextClasses next = next_classes(model, plain_object(model, {0.5}), 0);
  EXPECT_EQ(next.better, 2);
  EXPECT_EQ(next.to_better.one.value().label, 2);
}

TEST(Counterfactual, AValueOutsideTheTrainingRangeComesBackIntoIt) {
  ExplainedModel m = small_model(2, rules[1]);
  m.data.columns[0][0] = m.model.encoder.attributes[0].knots.back() + 2;
  m.data.columns[1][0] = m.model.encoder.attributes[1].knots.front() - 1;
  m.data.columns[2][0] = unseen_level;
  const Dataset object = subset(m.data, std::vector<std::size_t>{0});
  const int own = m.model.predict(object).classes.front();
  for (int target = 0; target < 3; ++target) {
    if (target == own) continue;
    Counterfactuals found = smallest_changes(m.model, m.data, 0, {target, target});
    for (const auto& change : {found.one, found.two}) {
      if (!change) continue;
      Dataset changed = object;
      for (const ValueChange& c : change->changes) {
        const auto& knots = m.model.encoder.attributes[c.attribute].knots;
        changed.columns[c.attribute].front() = c.to;
        EXPECT_TRUE(knots.empty() || (knots.front() <= c.to && c.to <= knots.back()));
      }
      EXPECT_EQ(m.model.predict(changed).classes.front(), target);
    }
    double two = HUGE_VAL;
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = a; b < 3; ++b) two = std::min(two, grid_cost(m.model, object, a, b, target, 100));
    }
    EXPECT_LE(cost_or_infinity(found.two), two + 1e-8);
  }
}

TEST(Counterfactual, FixedAttributesAndMissingValuesStay) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const ExplainedModel m = test_support::motley_model(seed);
    for (std::size_t i = 0; i < 10; ++i) {
      const NextClasses next = next_classes(m.model, m.data, i, {.fixed = {"n0", "k1"}});
      for (const auto& found : {next.to_better.one, next.to_better.two, next.to_worse.one, next.to_worse.two}) {
        if (!found) continue;
        for (const ValueChange& change : found->changes) {
          EXPECT_NE(m.data.schema.attributes[change.attribute].name, "n0");
          EXPECT_NE(m.data.schema.attributes[change.attribute].name, "k1");
          EXPECT_FALSE(std::isnan(change.from));
          EXPECT_FALSE(std::isnan(change.to));
        }
      }
    }
    const auto none = next_classes(m.model, m.data, 0, {.fixed = {"n0", "n1", "t0", "c0", "k0", "k1"}});
    EXPECT_FALSE(none.to_better.one || none.to_better.two || none.to_worse.one || none.to_worse.two);
  }
}

TEST(RoundOutwards, MovesOnToTheFewestDigitsThatReachTheClass) {
  const Model model = plain_model({1}, {}, {0.31416, 0.71234567});  // score = a
  const Dataset object = plain_object(model, {0.5});
  const NextClasses next = next_classes(model, object, 0);
  EXPECT_EQ(round_outwards(model, object, 0, next.to_better.one.value()).changes.at(0).to, 0.713);
  EXPECT_EQ(round_outwards(model, object, 0, next.to_worse.one.value()).changes.at(0).to, 0.314);
}

TEST(RoundOutwards, TakesMoreDigitsWhereTheClassIsNarrow) {
  const Model model = plain_model({1}, {}, {0.71234, 0.71236});  // 0.713 is already one class too high
  const Dataset object = plain_object(model, {0.5});
  const Counterfactual rounded = round_outwards(model, object, 0, *next_classes(model, object, 0).to_better.one);
  EXPECT_EQ(rounded.label, 1);
  EXPECT_EQ(rounded.changes.at(0).to, 0.71234);
}

TEST(RoundOutwards, StaysInsideTheTrainingRange) {
  Model model = plain_model({1}, {}, {0.999});
  model.encoder.attributes[0].knots = {0, 12.3456789};  // 0.1 % of the range beyond it lies 12.35
  const Dataset object = plain_object(model, {1});
  const Counterfactual rounded = round_outwards(model, object, 0, *next_classes(model, object, 0).to_better.one);
  EXPECT_EQ(rounded.label, 1);
  EXPECT_EQ(rounded.changes.at(0).to, 12.34);
}

TEST(RoundOutwards, EveryChangeOfRandomModelsStillWorks) {
  int shorter = 0;
  int checked = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const ExplainedModel m = small_model(seed, rules[seed % rules.size()]);
    for (std::size_t row = 0; row < 30; row += 3) {
      const NextClasses next = next_classes(m.model, m.data, row);
      for (const auto& exact : {next.to_better.one, next.to_better.two, next.to_worse.one, next.to_worse.two}) {
        if (!exact) continue;
        const Counterfactual rounded = round_outwards(m.model, m.data, row, *exact);
        const Dataset object = subset(m.data, std::vector<std::size_t>{row});
        expect_valid(m.model, object, rounded, exact->label, exact->changes.size());
        EXPECT_GE(rounded.cost, exact->cost);
        EXPECT_LE(rounded.cost, 1.01 * exact->cost + 0.002);  // 0.1 % of the range for either attribute
        ++checked;
        if (fmt::format("{}", rounded.changes[0].to).size() < fmt::format("{}", exact->changes[0].to).size()) ++shorter;
      }
    }
  }
  EXPECT_GT(checked, 100);
  EXPECT_GT(shorter, checked / 2);
}

TEST(Counterfactual, UnknownNamesRowsAndClassesAreRefused) {
  const ExplainedModel m = small_model(1, rules[0]);
  EXPECT_THROW(next_classes(m.model, m.data, 0, {.fixed = {"no such"}}), Error);
  EXPECT_THROW(next_classes(m.model, m.data, 30), Error);
  EXPECT_THROW(smallest_changes(m.model, m.data, 0, {2, 3}), Error);
  EXPECT_THROW(smallest_changes(m.model, m.data, 0, {2, 1}), Error);
}

}  // namespace
}  // namespace xofm
