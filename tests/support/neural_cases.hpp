// Data and expectations for the neural rivals.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "support/baseline_cases.hpp"

namespace xofm::test_support {

// Learning rows and fresh rows of one truth: five classes of equal size, nonlinear curves and products.
inline std::pair<baselines::Examples, baselines::Examples> generated_examples(std::size_t learning_count = 600,
                                                                              std::size_t holdout_count = 400) {
  const Generator generator({.row_count = learning_count, .attribute_count = 6, .class_count = 5});
  const Dataset learning = generator.rows(0, learning_count);
  const baselines::Features features(learning);
  return {features.examples(learning), features.examples(generator.rows(learning_count, holdout_count))};
}

inline ::testing::AssertionResult all_within(const std::vector<int>& predicted, int least, int greatest) {
  for (const int h : predicted) {
    if (h < least || h > greatest) return ::testing::AssertionFailure() << "class " << h;
  }
  return ::testing::AssertionSuccess();
}

}  // namespace xofm::test_support
