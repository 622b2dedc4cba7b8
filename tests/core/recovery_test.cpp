// The truth that a generator has put in comes out again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/learned_effects.hpp"
#include "xofm/generate.hpp"
#include "xofm/metrics.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

using test_support::correlation;

constexpr std::size_t training_rows = 6000;

const Generator& truth() {
  static const Generator generator(
      {.row_count = training_rows,
       .attribute_count = 7,
       .curves = {Curve::linear, Curve::step, Curve::hump, Curve::falling, Curve::saturating, Curve::wave, Curve::flat},
       .products = std::vector<Product>{{.first = 0, .second = 3, .strength = 1}},
       .noise = 0.1,
       .seed = 5});
  return generator;
}

const Model& model() {
  static const Model trained = train(truth().rows(0, training_rows)).model;
  return trained;
}

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> rank(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<double>(i);
  return rank;
}

// Values of the attribute at equally spaced shares of the rows.
std::vector<double> grid_of(std::size_t attribute, int count) {
  Column column = truth().rows(0, training_rows).columns[attribute];
  std::sort(column.begin(), column.end());
  std::vector<double> grid;
  for (int i = 0; i < count; ++i) {
    const double share = (i + 0.5) / count;
    grid.push_back(column[static_cast<std::size_t>(share * static_cast<double>(column.size()))]);
  }
  return grid;
}

Dataset some_rows() { return truth().rows(0, 200); }

TEST(Recovery, ScoresOfFreshRowsHaveTheOrderOfTheTruth) {
  const Dataset fresh = truth().rows(training_rows, 2000);
  std::vector<double> expected;
  for (std::size_t i = 0; i < fresh.row_count(); ++i) {
    std::vector<double> values;
    for (const auto& column : fresh.columns) values.push_back(column[i]);
    expected.push_back(truth().true_score(values));
  }
  EXPECT_GT(correlation(ranks(model().score(fresh)), ranks(expected)), 0.97);
}

TEST(Recovery, CurvesComeOutUpToScale) {
  double flat_range = 0, least_range = HUGE_VAL;
  for (std::size_t j = 0; j < 7; ++j) {
    const auto grid = grid_of(j, 25);
    const auto curve = test_support::learned_curve(model(), some_rows(), j, grid);
    const double range = *std::max_element(curve.begin(), curve.end()) - *std::min_element(curve.begin(), curve.end());
    if (j == 6) {
      flat_range = range;
      continue;
    }
    least_range = std::min(least_range, range);
    std::vector<double> expected;
    for (const double x : grid) expected.push_back(truth().curve(static_cast<int>(j), x));
    EXPECT_GT(correlation(curve, expected), 0.98) << "attribute " << j;
  }
  EXPECT_LT(flat_range, 0.15 * least_range) << "the irrelevant attribute stays flat";
}

TEST(Recovery, TheProductComesOutUpToScaleAndNoOtherPairIsAsStrong) {
  const auto expected_of = [&](std::span<const double> a, std::span<const double> b) {
    std::vector<double> expected;
    for (const double x : a) {
      for (const double y : b) {
        expected.push_back((truth().share_below(0, x) - 0.5) * (truth().share_below(3, y) - 0.5));
      }
    }
    return expected;
  };
  const auto size_of = [](const std::vector<double>& surface) {
    double sum = 0;
    for (const double value : surface) sum += value * value;
    return std::sqrt(sum / static_cast<double>(surface.size()));
  };
  const auto a = grid_of(0, 9), b = grid_of(3, 9);
  const auto surface = test_support::learned_pair(model(), some_rows(), 0, 3, a, b);
  EXPECT_GT(correlation(surface, expected_of(a, b)), 0.95);
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t j = i + 1; j < 7; ++j) {
      if (i == 0 && j == 3) continue;
      const auto other = test_support::learned_pair(model(), some_rows(), i, j, grid_of(i, 5), grid_of(j, 5));
      EXPECT_LT(size_of(other), 0.3 * size_of(surface)) << i << " " << j;
    }
  }
}

TEST(Recovery, ClassesOfFreshRowsAreMostlyRight) {
  const Dataset fresh = truth().rows(training_rows, 2000);
  const auto predictions = model().predict(fresh);
  double right = 0, distance = 0;
  for (std::size_t i = 0; i < fresh.row_count(); ++i) {
    right += predictions.classes[i] == fresh.labels[i] ? 1 : 0;
    distance += std::abs(predictions.classes[i] - fresh.labels[i]);
  }
  // The noise alone costs near 12 %.
  EXPECT_GT(right / 2000, 0.75);
  EXPECT_LT(distance / 2000, 0.25);
}

}  // namespace
}  // namespace xofm
