#include "baselines/features.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace xofm::baselines {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

Dataset three_rows() {
  Dataset data;
  data.schema.attributes = {{.name = "size"},
                            {.name = "colour", .kind = AttributeKind::categorical, .levels = {"red", "blue"}},
                            {.name = "same"},
                            {.name = "holes"}};
  data.schema.class_names = {"low", "high"};
  data.columns = {{1, 2, 3}, {0, 1, 1}, {5, 5, 5}, {-1, missing, 1}};
  data.labels = {0, 0, 1};
  return data;
}

// size has mean 2 and standard deviation sqrt(2/3); holes has mean 0 and standard deviation 1 over its two values.
TEST(Features, ColumnsAreStandardisedLevelsAndHolesAreMarkedConstantsAreLeftOut) {
  const Dataset data = three_rows();
  const Features features(data);
  const Eigen::MatrixXd x = features.encode(data);
  const double z = std::sqrt(1.5);
  Eigen::MatrixXd expected(3, 5);
  expected << -z, 1, 0, -1, 0,  //
      0, 0, 1, 0, 1,            //
      z, 0, 1, 1, 0;
  ASSERT_EQ(x.cols(), 5);
  EXPECT_LT((x - expected).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Features, NewRowsAreMeasuredByTheLearningPart) {
  const Features features(three_rows());
  Dataset rows = three_rows();
  rows.columns = {{4}, {unseen_level}, {7}, {missing}};
  rows.labels.clear();
  const Eigen::MatrixXd x = features.encode(rows);
  EXPECT_DOUBLE_EQ(x(0, 0), 2 * std::sqrt(1.5));
  EXPECT_EQ(x(0, 1), 0);
  EXPECT_EQ(x(0, 2), 0);
  EXPECT_EQ(x(0, 3), 0);
  EXPECT_EQ(x(0, 4), 1);
}

TEST(Features, DirectionsGoWithTheValuesOfNumericAttributes) {
  const Dataset data = three_rows();
  const std::vector<int> directions = {-1, 0, 1, 1};
  const Examples examples = Features(data, directions).examples(data);
  EXPECT_EQ(examples.directions, (std::vector<int>{-1, 0, 0, 1, 0}));
  EXPECT_EQ(examples.labels, data.labels);
  EXPECT_EQ(examples.class_count, 2);
}

}  // namespace
}  // namespace xofm::baselines
