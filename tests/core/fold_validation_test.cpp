#include "core/evaluate/fold_validation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.hpp"
#include "xofm/generate.hpp"
#include "xofm/metrics.hpp"

namespace xofm {
namespace {

std::vector<double> noisy_scores(const Dataset& data) {
  detail::Random random(5);
  std::vector<double> scores;
  for (const int label : data.labels) scores.push_back(label + 0.7 * random.normal());
  return scores;
}

TEST(FoldValidation, AFoldIsReadByWhatTheOthersSay) {
  const Dataset data = generate({.row_count = 90, .attribute_count = 2, .class_count = 3, .seed = 4});
  const detail::Folds folds(data, 3, 1);
  const std::vector<double> unseen = noisy_scores(data);
  for (const AssignmentRule rule : {AssignmentRule::support, AssignmentRule::threshold, AssignmentRule::probability}) {
    const AssignmentOptions options{.rule = rule};
    const ValidationSummary summary = detail::validate_folds(folds, unseen, 1, options);
    EXPECT_EQ(summary.trial_count, 3U);
    // The twin, fold by fold.
    double accuracy = 0;
    for (std::size_t f = 0; f < 3; ++f) {
      std::vector<double> others;
      for (std::size_t i = 0; i < data.row_count(); ++i) {
        if (folds.fold_of(i) != static_cast<int>(f)) others.push_back(unseen[i]);
      }
      const Assignment assignment = fit_assignment(others, others, folds.learning(f).labels, {}, 3, 1, options);
      const Assigner assigner(assignment);
      std::vector<double> support(3);
      std::vector<double> probabilities(3);
      double right = 0;
      for (const std::size_t i : folds.rows(f)) {
        right += assigner.assign(unseen[i], support, probabilities).label == data.labels[i] ? 1 : 0;
      }
      accuracy += right / static_cast<double>(folds.rows(f).size()) / 3;
    }
    EXPECT_NEAR(summary.metrics[0].mean, accuracy, 1e-12);
    std::size_t count = 0;
    for (const auto& row : summary.confusion) {
      for (const std::size_t cell : row) count += cell;
    }
    EXPECT_EQ(count, data.row_count());
  }
}

TEST(FoldValidation, OfAPartHeldOutItIsOneTrial) {
  const Dataset data = generate({.row_count = 100, .attribute_count = 2, .class_count = 3, .seed = 4});
  const detail::Folds folds(data, 5, 1, true);
  std::vector<double> unseen = noisy_scores(data);
  for (std::size_t i = 0; i < unseen.size(); ++i) {
    if (folds.fold_of(i) == detail::Folds::in_none) unseen[i] = std::nan("");
  }
  const ValidationSummary summary = detail::validate_folds(folds, unseen, 1, {});
  EXPECT_EQ(summary.trial_count, 1U);
  EXPECT_EQ(summary.metrics[0].count, 1U);
  std::size_t count = 0;
  for (const auto& row : summary.confusion) {
    for (const std::size_t cell : row) count += cell;
  }
  EXPECT_EQ(count, folds.rows(0).size());
}

}  // namespace
}  // namespace xofm
