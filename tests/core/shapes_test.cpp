#include "core/student/shapes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "xofm/generate.hpp"

namespace xofm {
namespace {

TEST(Shapes, WhatIsSaidOfAFoldIsByAStudentChosenWithoutIt) {
  double honest = 0;
  double flattering = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    // Labels that nothing tells: which student is best on them is chance.
    Dataset data = generate({.row_count = 60, .attribute_count = 5, .class_count = 3, .seed = seed});
    for (std::size_t i = 0; i < data.row_count(); ++i) data.labels[i] = static_cast<int>((7 * i + i / 3) % 3);
    TrainOptions options{.terms = {.pairs = PairChoice::automatic}};
    options.recipe().max_epochs = 30;
    const detail::Folds folds(data, 4, seed);
    detail::Teachers teachers{&folds};
    teachers.by_fold = detail::fit_folds(folds, options, 1, false, {});
    detail::ShapeSearch shapes(teachers, options);
    shapes.run({});
    const std::vector<double> unseen = shapes.unseen();
    ASSERT_EQ(unseen.size(), data.row_count());
    for (const double score : unseen) ASSERT_TRUE(std::isfinite(score));
    honest += detail::judge(unseen, data, options.assignment).loss;
    flattering += shapes.chosen().judgement.loss;
  }
  EXPECT_GT(honest, flattering);
}

}  // namespace
}  // namespace xofm
