// A search of a second: few values, few epochs.
#pragma once

#include "xofm/fit.hpp"
#include "xofm/generate.hpp"

namespace xofm::test_support {

inline SearchOptions quick_search() {
  SearchOptions options;
  options.pass_budget = 2000;
  options.space.knots = {KnotPlacement::quantile};
  options.space.segment_counts = {4, 2};
  options.space.factor_counts = {2, 0};
  options.space.pair_weightings = {PairWeighting::uniform};
  options.space.init_stddevs = {0.1};
  options.space.max_epochs = {8, 16};
  return options;
}

// The same on data large enough to be split, or sampled.
inline SearchOptions quick_large_search() {
  SearchOptions options;
  options.pass_budget = 40;
  options.space.segment_counts = {8};
  options.space.knots = {KnotPlacement::quantile};
  options.space.sparsity_penalties = {0};
  options.space.factor_counts = {2, 0};
  options.space.max_epochs = {2, 4};
  return options;
}

inline Dataset searched_rows(std::size_t row_count = 120) {
  return generate({.row_count = row_count, .attribute_count = 4, .class_count = 3, .seed = 3});
}

}  // namespace xofm::test_support
