// The corrected resampled t-test (Nadeau and Bengio 2003): whether two methods measured on the same random splits
// differ. The splits share rows, so the plain variance of the mean, variance / J, is too small; it becomes
// (1/J + test rows / learning rows) * variance.
#pragma once

#include <span>

namespace xofm::baselines {

// Two-sided p of the differences between two methods, one per split; NaN for fewer than two. Without any spread it is 1
// if they are 0, else 0.
double corrected_resampled_p(std::span<const double> differences, double test_to_learning_ratio);

// Two-sided p of Student's t.
double student_p(double t, double degrees);

// Regularised incomplete beta function I_x(a, b), for a, b > 0 and x in [0, 1].
double incomplete_beta(double a, double b, double x);

}  // namespace xofm::baselines
