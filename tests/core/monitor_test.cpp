// Shifts against their definition, and what chance makes of them against repeated draws.
#include "xofm/monitor.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.hpp"
#include "core/monitor/shift.hpp"
#include "support/random_rows.hpp"
#include "xofm/error.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

Dataset rows_of(std::uint64_t seed, std::size_t count = 600) {
  return test_support::random_rows({.row_count = count, .categorical_count = 1, .missing_share = 0.05, .special = true},
                                   seed);
}

MonitorReport report_of(const Model& model, const Dataset& rows, const MonitorOptions& options = {}) {
  Monitor monitor(model, options);
  monitor.add(rows);
  return monitor.report();
}

TEST(Monitor, TheTrainingRowsHaveNotShifted) {
  const Dataset data = rows_of(1);
  const Model model = train(data).model;
  const MonitorReport report = report_of(model, data);
  for (const Shift& shift : report.attributes) {
    EXPECT_NEAR(shift.psi, 0, 1e-12) << shift.name;
    EXPECT_NEAR(shift.distance, 0, 1e-12) << shift.name;
    EXPECT_EQ(shift.missing_old, shift.missing_new);
    double sum = 0;
    for (const ShiftRange& range : shift.ranges) sum += range.new_share;
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  EXPECT_EQ(report.alarm_count, 0U);
}

TEST(Monitor, OtherRowsOfTheSameKindRaiseNoAlarmAndShiftedOnesDo) {
  const Model model = train(rows_of(1)).model;
  Dataset rows = rows_of(2);
  EXPECT_EQ(report_of(model, rows).alarm_count, 0U);
  for (double& value : rows.columns[1]) value += 1.5;
  for (std::size_t i = 0; i < 200; ++i) rows.columns[2][i] = std::nan("");
  for (std::size_t i = 0; i < 100; ++i) rows.columns[3][i] = unseen_level;
  const MonitorReport report = report_of(model, rows);
  EXPECT_TRUE(report.attributes[0].alarms.empty());
  EXPECT_GT(report.attributes[1].psi, 0.2);
  EXPECT_GT(report.attributes[1].above, 0);
  EXPECT_GT(report.attributes[2].missing_new, 0.3);
  EXPECT_FALSE(report.attributes[2].alarms.empty());
  EXPECT_NEAR(report.attributes[3].unseen, 1.0 / 6, 1e-12);
  EXPECT_FALSE(report.attributes[3].alarms.empty());
  EXPECT_GT(report.score.psi, 0.2);
  EXPECT_GE(report.alarm_count, 4U);
}

TEST(Monitor, PiecesAddUp) {
  const Model model = train(rows_of(1)).model;
  const Dataset rows = rows_of(3);
  Monitor monitor(model);
  for (std::size_t begin = 0; begin < rows.row_count(); begin += 70) {
    std::vector<std::size_t> some;
    for (std::size_t i = begin; i < std::min(begin + 70, rows.row_count()); ++i) some.push_back(i);
    monitor.add(subset(rows, some));
  }
  const MonitorReport pieces = monitor.report();
  const MonitorReport whole = report_of(model, rows);
  for (std::size_t j = 0; j < whole.attributes.size(); ++j) {
    EXPECT_EQ(pieces.attributes[j].psi, whole.attributes[j].psi);
    EXPECT_EQ(pieces.attributes[j].below, whole.attributes[j].below);
  }
  EXPECT_EQ(pieces.score.psi, whole.score.psi);
  for (std::size_t m = 0; m < whole.metrics.size(); ++m) EXPECT_EQ(pieces.metrics[m].value, whole.metrics[m].value);
}

TEST(Monitor, ARangeThatOnlyOneSideHasKeepsTheIndexFinite) {
  // By hand: shares (10.5/21, 10.5/21) and (20.5/21, 0.5/21).
  const Shift shift = detail::measure_shift("a", {{"x", 10, 20}, {"y", 10, 0}}, 20, 20);
  const double expected = (20.5 - 10.5) / 21 * std::log(20.5 / 10.5) + (0.5 - 10.5) / 21 * std::log(0.5 / 10.5);
  EXPECT_NEAR(shift.psi, expected, 1e-12);
  EXPECT_EQ(shift.distance, 0.5);
}

TEST(Monitor, WhatChanceMakesIsWhatRepeatedDrawsShow) {
  detail::Random random(11);
  const double shares[] = {0.1, 0.15, 0.25, 0.3, 0.2};
  constexpr int old_rows = 2000;
  constexpr int new_rows = 1000;
  constexpr int rounds = 400;
  double psi = 0;
  double distance = 0;
  double squares = 0;
  Shift last;
  for (int round = 0; round < rounds; ++round) {
    std::vector<detail::RangeCount> counts(5);
    const auto draw = [&] {
      double u = random.uniform();
      std::size_t k = 0;
      while (k < 4 && u >= shares[k]) u -= shares[k++];
      return k;
    };
    for (int i = 0; i < old_rows; ++i) counts[draw()].old_weight += 1;
    for (int i = 0; i < new_rows; ++i) counts[draw()].new_count += 1;
    last = detail::measure_shift("a", counts, old_rows, new_rows);
    psi += last.psi / rounds;
    distance += last.distance / rounds;
    squares += last.distance * last.distance / rounds;
  }
  EXPECT_NEAR(psi, last.psi_chance, 0.15 * last.psi_chance);
  EXPECT_NEAR(distance, last.distance_chance, 0.05 * last.distance_chance);
  // The ranges are taken as independent, which they nearly are.
  EXPECT_NEAR(std::sqrt(squares - distance * distance), last.distance_error, 0.4 * last.distance_error);
}

TEST(Monitor, IntervalsOfMetricsHoldTheTruthAboutAsOftenAsTheySay) {
  const Model model = train(rows_of(1)).model;
  const Dataset large = rows_of(2, 40000);
  const Metrics truth = [&] {
    const Predictions p = model.predict(large);
    return evaluate(model.schema.class_count(), large.labels, p.classes, p.scores, p.probabilities);
  }();
  int held_accuracy = 0;
  int held_c_index = 0;
  constexpr int rounds = 100;
  for (int round = 0; round < rounds; ++round) {
    const MonitorReport report = report_of(model, rows_of(100 + static_cast<std::uint64_t>(round), 300));
    for (const MetricShift& metric : report.metrics) {
      if (metric.name == "accuracy") held_accuracy += metric.low <= truth.accuracy && truth.accuracy <= metric.high;
      if (metric.name == "c_index") held_c_index += metric.low <= truth.c_index && truth.c_index <= metric.high;
    }
  }
  // 95 of 100, give or take three times the spread of such a count.
  EXPECT_GE(held_accuracy, 88);
  EXPECT_GE(held_c_index, 88);
}

TEST(Monitor, ManyLabelledRowsAreSampled) {
  const Model model = train(rows_of(1)).model;
  const MonitorReport report = report_of(model, rows_of(2, 5000), {.sample_rows = 500});
  EXPECT_EQ(report.labelled_count, 5000U);
  EXPECT_EQ(report.sample_count, 500U);
  const MonitorReport all = report_of(model, rows_of(2, 5000));
  EXPECT_NEAR(report.metrics[0].value, all.metrics[0].value, 0.1);
  EXPECT_LT(all.metrics[0].high - all.metrics[0].low, report.metrics[0].high - report.metrics[0].low);
}

TEST(Monitor, OptionsAndRowsMustMakeSense) {
  const Model model = train(rows_of(1)).model;
  EXPECT_THROW(Monitor(model, {.psi = -1}), Error);
  EXPECT_THROW(Monitor(model, {.confidence = std::nan("")}), Error);
  EXPECT_THROW(Monitor(model).report(), Error);
}

}  // namespace
}  // namespace xofm
