// What a model has learnt of an attribute or of a pair, purified: each effect has zero mean over the given rows' values
// of either attribute, taken as independent. By brute force: every grid value in every row.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "xofm/model.hpp"

namespace xofm::test_support {

inline double mean_score(const Model& model, Dataset rows, std::size_t attribute, double value) {
  rows.columns[attribute].assign(rows.row_count(), value);
  double mean = 0;
  for (const double score : model.score(rows)) mean += score / static_cast<double>(rows.row_count());
  return mean;
}

// Mean score over the rows with the attribute set to each grid value.
inline std::vector<double> learned_curve(const Model& model, const Dataset& rows, std::size_t attribute,
                                         std::span<const double> grid) {
  std::vector<double> curve;
  for (const double value : grid) curve.push_back(mean_score(model, rows, attribute, value));
  return curve;
}

// On the grid of both, [first * grid.size() + second]: the mean score with both set, less the two curves, plus the
// mean.
inline std::vector<double> learned_pair(const Model& model, const Dataset& rows, std::size_t first, std::size_t second,
                                        std::span<const double> first_grid, std::span<const double> second_grid) {
  const std::size_t a = first_grid.size(), b = second_grid.size();
  std::vector<double> surface;
  for (const double value : first_grid) {
    Dataset fixed = rows;
    fixed.columns[first].assign(rows.row_count(), value);
    for (const double other : second_grid) surface.push_back(mean_score(model, fixed, second, other));
  }
  std::vector<double> row_means(a), column_means(b);
  double mean = 0;
  for (std::size_t i = 0; i < a; ++i) {
    for (std::size_t j = 0; j < b; ++j) {
      row_means[i] += surface[i * b + j] / static_cast<double>(b);
      column_means[j] += surface[i * b + j] / static_cast<double>(a);
      mean += surface[i * b + j] / static_cast<double>(a * b);
    }
  }
  for (std::size_t i = 0; i < a; ++i) {
    for (std::size_t j = 0; j < b; ++j) surface[i * b + j] += mean - row_means[i] - column_means[j];
  }
  return surface;
}

// Agreement up to scale and offset.
inline double correlation(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  return xy / std::sqrt(xx * yy);
}

}  // namespace xofm::test_support
