#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "support/baseline_cases.hpp"

namespace xofm::baselines {
namespace {

// svm-train (libsvm 3.24) on 24 rows, with labels 100 apart: then the rounded predictions tell hundredths of a class.
// The files hold the rows below as "label 1:x 2:y".
//   svm-train -q -s 3 -t 2 -g 0.5 -c 300 -p 30 -e 0.01 learning model && svm-predict fresh model first
//   svm-train -q -s 3 -t 2 -g 2 -c 50 -p 10 -e 0.01 learning model && svm-predict fresh model second
TEST(Svr, PredictsAsSvmTrainDoesClippedToTheHighestClass) {
  Examples learning{.features = Eigen::MatrixXd(24, 2),
                    .labels = {300, 300, 200, 200, 0,   200, 300, 200, 0,   100, 200, 300,
                               300, 0,   0,   300, 300, 100, 100, 100, 300, 300, 100, 0},
                    .class_count = 301};
  learning.features << 0.0, 1.0, 0.964, -0.505, 0.516, -0.49, -0.688, 1.0, -0.883, -0.519, 0.215, -0.476, 0.999, 0.999,
      0.319, -0.534, -0.828, -0.461, -0.762, 0.999, 0.42, -0.548, 0.987, -0.446, 0.108, 0.998, -0.929, -0.562, -0.605,
      -0.431, 0.606, 0.996, 0.929, -0.576, -0.109, -0.415, -0.987, 0.995, -0.419, -0.589, 0.763, -0.4, 0.827, 0.993,
      -0.32, -0.603, -0.998, -0.385;
  Eigen::MatrixXd fresh(20, 2);
  fresh << -0.214, 0.991, 0.884, -0.616, 0.687, -0.369, -0.516, 0.989, -0.963, -0.629, 0.001, -0.353, 0.964, 0.986,
      0.515, -0.642, -0.688, -0.337, -0.883, 0.983, 0.216, -0.655, 0.999, -0.322, 0.318, 0.98, -0.828, -0.668, -0.761,
      -0.306, 0.421, 0.976, 0.987, -0.68, 0.107, -0.29, -0.929, 0.972, -0.604, -0.692;
  const std::vector<double> first = {240.014, 264.184, 260.371, 192.882, 29.797,  148.371, 306.111,
                                     220.884, 41.580,  140.423, 172.609, 288.728, 300.567, 35.332,
                                     35.890,  306.673, 267.424, 172.889, 134.060, 51.116};
  const std::vector<double> second = {256.501, 280.187, 258.888, 204.753, 21.579,  140.706, 282.843,
                                      225.411, 24.269,  152.026, 176.016, 286.903, 297.209, 26.762,
                                      19.944,  297.965, 282.380, 159.544, 148.181, 52.328};

  const auto method = make_svr();
  const auto check = [&](const Setting& setting, const std::vector<double>& expected) {
    const std::vector<int> labels = method->fit(learning, setting)->predict(fresh);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // Rounding alone is 0.5; the rest is for other versions' stopping points.
      EXPECT_LE(std::abs(labels[i] - std::min(expected[i], 300.0)), 0.6) << "row " << i;
    }
  };
  check({1, 300, 30}, first);  // gamma times two features
  check({4, 50, 10}, second);
}

TEST(Svr, PrintsNothing) {
  testing::internal::CaptureStdout();
  make_svr()->fit(test_support::normal_examples(50, 3, {0, 1, 2}, 3, 1), {1, 3, 0.1});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
}

TEST(Svr, BeatsTheMajorityClassOnGeneratedData) { EXPECT_GT(test_support::generated_accuracy(*make_svr()), 0.5); }

TEST(Svr, HardProblemsAreSolved) { test_support::expect_hard_problems_solved(*make_svr(), true); }

TEST(Svr, TheSameSeedPredictsTheSame) { test_support::expect_same_seed_same_predictions(*make_svr()); }

TEST(Svr, OutOfTimeItStillAnswers) { test_support::expect_an_answer_without_time(*make_svr()); }

}  // namespace
}  // namespace xofm::baselines
