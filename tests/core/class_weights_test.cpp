#include "core/data/class_weights.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/train/directions.hpp"
#include "xofm/error.hpp"
#include "xofm/generate.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

TrainOptions quick() { return {.parts = {{.factor_count = 2, .max_epochs = 15}}}; }

TEST(ClassWeights, AreWeightsOfTheRows) {
  Dataset data = generate({.row_count = 90, .attribute_count = 3, .class_count = 3, .seed = 2});
  TrainOptions options = quick();
  options.class_weights = {{"1", 3.0}, {"3", 0.5}};
  const Model by_class = train(data, options).model;
  EXPECT_EQ(by_class.options.class_weights, options.class_weights);
  data.weights.resize(data.row_count());
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    data.weights[i] = data.labels[i] == 0 ? 3.0 : data.labels[i] == 2 ? 0.5 : 1.0;
  }
  const Model by_row = train(data, quick()).model;
  EXPECT_EQ(by_class.parameters.increments, by_row.parameters.increments);
  EXPECT_EQ(by_class.assignment.mae_cuts, by_row.assignment.mae_cuts);
}

TEST(ClassWeights, MultiplyTheRowsOwnWeights) {
  Dataset data = generate({.row_count = 20, .attribute_count = 2, .class_count = 2, .seed = 2});
  data.weights.assign(20, 2.0);
  const Dataset weighted = detail::weight_classes(data, {{"2", 5.0}});
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(weighted.weights[i], data.labels[i] == 1 ? 10.0 : 2.0);
}

TEST(ClassWeights, OfUnknownClassesOrNotPositiveAreRefused) {
  const Dataset data = generate({.row_count = 30, .attribute_count = 2, .class_count = 2, .seed = 2});
  for (const auto& weights : {std::map<std::string, double>{{"4", 1.0}},
                              {{"1", 0.0}},
                              {{"1", -1.0}},
                              {{"2", std::nan("")}},
                              {{"2", HUGE_VAL}}}) {
    TrainOptions options = quick();
    options.class_weights = weights;
    EXPECT_THROW(train(data, options), Error);
  }
}

TEST(AutoDirection, FollowsTheRankCorrelationWhereItIsStrong) {
  // x1 rises with the class, x2 falls, x3 has no part; x1 is given another direction by hand.
  const Dataset data = generate({.row_count = 400,
                                 .attribute_count = 3,
                                 .class_count = 4,
                                 .curves = {Curve::linear, Curve::falling, Curve::flat},
                                 .products = std::vector<Product>{},
                                 .seed = 5});
  TrainOptions options = quick();
  options.auto_direction = 0.3;
  const AttributeOptions found = detail::directed_attributes(data, options);
  EXPECT_EQ(found.directions,
            (std::map<std::string, Direction>{{"x1", Direction::increasing}, {"x2", Direction::decreasing}}));
  options.attributes.directions["x1"] = Direction::decreasing;
  EXPECT_EQ(detail::directed_attributes(data, options).directions.at("x1"), Direction::decreasing);
  options.attributes.directions.clear();
  const Model model = train(data, options).model;
  EXPECT_EQ(model.encoder.attributes[1].direction, Direction::decreasing);
  EXPECT_TRUE(model.certificate.holds);
  EXPECT_EQ(model.options.attributes.directions.size(), 2U);
  options.auto_direction = 0;
  EXPECT_TRUE(detail::directed_attributes(data, options).directions.empty());
}

TEST(AutoDirection, MissingValuesAndConstantColumnsGiveNone) {
  Dataset data = generate({.row_count = 60, .attribute_count = 2, .class_count = 3, .seed = 1});
  data.columns[0].assign(60, 1.0);
  data.columns[1].assign(60, std::nan(""));
  TrainOptions options = quick();
  options.auto_direction = 0.01;
  EXPECT_TRUE(detail::directed_attributes(data, options).directions.empty());
}

}  // namespace
}  // namespace xofm
