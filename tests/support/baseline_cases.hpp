// What every rival must do, and the small problems that break careless ones.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "baselines/features.hpp"
#include "baselines/method.hpp"
#include "core/base/random.hpp"
#include "xofm/generate.hpp"

namespace xofm::test_support {

// The first value on each axis.
inline baselines::Setting first_setting(const baselines::Method& method) {
  baselines::Setting setting;
  for (const baselines::Axis& axis : method.grid()) setting.push_back(axis.values.front());
  return setting;
}

inline double accuracy(const std::vector<int>& predicted, const std::vector<int>& labels) {
  std::size_t hits = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) hits += predicted[i] == labels[i];
  return static_cast<double>(hits) / static_cast<double>(labels.size());
}

// Accuracy on 500 fresh rows after learning from 400, six attributes of generate.hpp's usual shapes, five classes of
// equal share: the majority class has 0.2.
inline double generated_accuracy(const baselines::Method& method) {
  const Generator generator({.row_count = 400, .attribute_count = 6});
  const Dataset learning = generator.rows(0, 400);
  const Dataset fresh = generator.rows(400, 500);
  const baselines::Features features(learning);
  const auto predictor = method.fit(features.examples(learning), first_setting(method));
  return accuracy(predictor->predict(features.encode(fresh)), fresh.labels);
}

// Normal features; the label follows the first, among the given classes.
inline baselines::Examples normal_examples(Eigen::Index row_count, Eigen::Index feature_count,
                                           const std::vector<int>& classes, int class_count, std::uint64_t seed) {
  detail::Random random(seed);
  baselines::Examples examples{
      .features = Eigen::MatrixXd(row_count, feature_count), .labels = {}, .class_count = class_count};
  for (Eigen::Index i = 0; i < row_count; ++i) {
    for (Eigen::Index j = 0; j < feature_count; ++j) examples.features(i, j) = random.normal();
    const double position = feature_count > 0 ? 0.5 + examples.features(i, 0) / 4 : random.uniform();
    const double place = std::clamp(position, 0.0, 0.999) * static_cast<double>(classes.size());
    examples.labels.push_back(classes[static_cast<std::size_t>(place)]);
  }
  return examples;
}

// On the hard problems the method must neither fail nor predict a class that had no rows, unless it takes classes for
// numbers: then none outside 0 .. class_count - 1.
inline void expect_hard_problems_solved(const baselines::Method& method, bool classes_are_numbers = false) {
  const auto check = [&](const char* problem, const baselines::Examples& examples) {
    SCOPED_TRACE(problem);
    Eigen::MatrixXd far = 100 * examples.features;
    const auto predictor = method.fit(examples, first_setting(method));
    for (const Eigen::MatrixXd& rows : {examples.features, far}) {
      const std::vector<int> labels = predictor->predict(rows);
      ASSERT_EQ(labels.size(), examples.labels.size());
      for (const int label : labels) {
        if (classes_are_numbers) {
          EXPECT_TRUE(label >= 0 && label < examples.class_count) << label;
        } else {
          EXPECT_EQ(std::count(examples.labels.begin(), examples.labels.end(), label) > 0, true) << label;
        }
      }
    }
  };
  check("classes absent at both ends and between", normal_examples(40, 3, {1, 3, 4}, 7, 1));
  check("one class", normal_examples(10, 2, {2}, 4, 2));
  check("one row", normal_examples(1, 2, {2}, 4, 3));
  check("one feature", normal_examples(30, 1, {0, 1, 2}, 3, 4));
  check("no feature", normal_examples(30, 0, {0, 1, 2}, 3, 5));
  baselines::Examples lonely = normal_examples(30, 2, {0, 2}, 4, 6);
  lonely.labels[7] = 1;
  lonely.labels[8] = 3;
  check("classes of one row", lonely);
  baselines::Examples constant = normal_examples(30, 3, {0, 1, 2}, 3, 7);
  constant.features.col(1).setZero();
  check("a constant feature", constant);
  baselines::Examples twins = normal_examples(20, 2, {0, 1, 2}, 3, 8);
  twins.features.setOnes();
  check("rows all alike", twins);
  baselines::Examples wide = normal_examples(12, 40, {0, 1, 2}, 3, 9);
  check("more features than rows", wide);
}

inline void expect_same_seed_same_predictions(const baselines::Method& method) {
  const baselines::Examples examples = normal_examples(80, 4, {0, 1, 2, 3}, 4, 11);
  const Eigen::MatrixXd fresh = normal_examples(200, 4, {0}, 1, 12).features;
  const auto predict = [&] { return method.fit(examples, first_setting(method), {.seed = 5})->predict(fresh); };
  EXPECT_EQ(predict(), predict());
}

inline void expect_an_answer_without_time(const baselines::Method& method) {
  const baselines::Examples examples = normal_examples(80, 4, {0, 1, 2, 3}, 4, 11);
  const auto predictor = method.fit(examples, first_setting(method), {.out_of_time = [] { return true; }});
  for (const int label : predictor->predict(examples.features)) EXPECT_TRUE(label >= 0 && label < 4) << label;
}

}  // namespace xofm::test_support
