// What POM, LIT, LAT and UTADIS have in common.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>

#include "baselines/features.hpp"
#include "baselines/method.hpp"
#include "xofm/generate.hpp"

namespace xofm::baselines {
namespace {

struct Case {
  const char* name;
  std::unique_ptr<Method> (*make)();
};

void PrintTo(const Case& tested, std::ostream* stream) { *stream << tested.name; }

class ThresholdMethod : public ::testing::TestWithParam<Case> {
 protected:
  // By the first setting of the grid.
  std::unique_ptr<Predictor> fit(const Examples& examples, const Effort& effort = {}) const {
    const auto method = GetParam().make();
    Setting setting;
    for (const Axis& axis : method->grid()) setting.push_back(axis.values.front());
    return method->fit(examples, setting, effort);
  }
};

double accuracy(const std::vector<int>& labels, const std::vector<int>& predicted) {
  double right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) right += labels[i] == predicted.at(i) ? 1 : 0;
  return right / static_cast<double>(labels.size());
}

// Four classes of equal size: the majority class is right for a quarter. One curve falls, one feature is idle.
Generator straight_rows() {
  return Generator({.attribute_count = 4,
                    .class_count = 4,
                    .curves = {Curve::linear, Curve::falling, Curve::saturating, Curve::flat},
                    .products = std::vector<Product>{}});
}

TEST_P(ThresholdMethod, IsRightForMostFreshRowsAndAlwaysTheSame) {
  const Generator generator = straight_rows();
  const Dataset learning = generator.rows(0, 400), fresh = generator.rows(400, 400);
  const Features features(learning);
  const auto predicted = fit(features.examples(learning))->predict(features.encode(fresh));
  EXPECT_GT(accuracy(fresh.labels, predicted), 0.7);
  EXPECT_EQ(fit(features.examples(learning))->predict(features.encode(fresh)), predicted);
}

TEST_P(ThresholdMethod, HasItsNameAndAGridOfFiveToTwentySettings) {
  const auto method = GetParam().make();
  EXPECT_EQ(method->name(), GetParam().name);
  std::size_t count = 1;
  for (const Axis& axis : method->grid()) count *= axis.values.size();
  EXPECT_GE(count, 5U);
  EXPECT_LE(count, 20U);
}

TEST_P(ThresholdMethod, PredictsClassesWithRowsOnly) {
  Dataset data = straight_rows().rows(0, 200);
  for (int& label : data.labels) label = label < 2 ? 1 : 4;
  data.labels[0] = 2;  // a class of one row
  for (int h = 5; h <= 7; ++h) data.schema.class_names.push_back(std::to_string(h));
  const Features features(data);
  for (const int label : fit(features.examples(data))->predict(features.encode(data))) {
    EXPECT_TRUE(label == 1 || label == 2 || label == 4);
  }
}

TEST_P(ThresholdMethod, OneClassIsLearnedAsIs) {
  Dataset data = straight_rows().rows(0, 10);
  std::fill(data.labels.begin(), data.labels.end(), 2);
  const Features features(data);
  EXPECT_EQ(fit(features.examples(data))->predict(features.encode(data)), data.labels);
}

TEST_P(ThresholdMethod, AConstantFeatureIsNoHindrance) {
  const Dataset data = straight_rows().rows(0, 300);
  Examples examples = Features(data).examples(data);
  const auto without = fit(examples)->predict(examples.features);
  examples.features.conservativeResize(Eigen::NoChange, 5);
  examples.features.col(4).setConstant(3);
  examples.directions.push_back(0);
  const auto with = fit(examples)->predict(examples.features);
  EXPECT_GT(accuracy(without, with), 0.95);
}

TEST_P(ThresholdMethod, OneFeatureOrNoneIsEnough) {
  const Dataset data = straight_rows().rows(0, 200);
  Examples examples = Features(data).examples(data);
  for (const Eigen::Index count : {1, 0}) {
    examples.features = examples.features.leftCols(count).eval();
    examples.directions.clear();
    const auto predicted = fit(examples)->predict(examples.features);
    EXPECT_GE(accuracy(examples.labels, predicted), count == 1 ? 0.35 : 0.2);
  }
}

TEST_P(ThresholdMethod, TwoRowsAreEnough) {
  const Examples examples{.features = Eigen::Vector2d(-1, 1), .labels = {0, 2}, .class_count = 3};
  EXPECT_EQ(fit(examples)->predict(examples.features), (std::vector<int>{0, 2}));
}

TEST_P(ThresholdMethod, EndsAtOnceWhenTimeIsOver) {
  const Dataset data = straight_rows().rows(0, 400);
  const Examples examples = Features(data).examples(data);
  int asked = 0;
  const auto predictor = fit(examples, {.out_of_time = [&] { return ++asked > 0; }});
  EXPECT_GE(asked, 1);
  EXPECT_LT(asked, 10);
  for (const int label : predictor->predict(examples.features)) EXPECT_TRUE(label >= 0 && label < 4);
}

INSTANTIATE_TEST_SUITE_P(All, ThresholdMethod,
                         ::testing::Values(Case{"POM", make_pom}, Case{"LIT", make_lit}, Case{"LAT", make_lat},
                                           Case{"UTADIS", make_utadis}),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace xofm::baselines
