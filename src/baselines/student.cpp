#include "baselines/student.hpp"

#include <cmath>
#include <limits>

namespace xofm::baselines {

namespace {

// ln Gamma; std::lgamma writes the sign to a global, which threads must not share.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8) by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  const auto kept = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1;
  double d = 1 / kept(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int m = 1; m <= 1000; ++m) {
    double change = 1;
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    for (const double term : {even, odd}) {
      d = 1 / kept(1 + term * d);
      c = kept(1 + term / c);
      change = c * d;
      result *= change;
    }
    if (std::abs(change - 1) < 1e-15) break;
  }
  return result;
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x));
  // The fraction converges fast below the mean.
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_p(double t, double degrees) { return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t)); }

double corrected_resampled_p(std::span<const double> differences, double test_to_learning_ratio) {
  const auto count = static_cast<double>(differences.size());
  if (count < 2) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (const double difference : differences) sum += difference;
  const double mean = sum / count;
  double squares = 0;
  for (const double difference : differences) squares += (difference - mean) * (difference - mean);
  const double variance = squares / (count - 1);
  // Equal differences such as 0.1 leave rounding errors of this size.
  if (variance <= 1e-28) return std::abs(mean) <= 1e-14 ? 1 : 0;
  return student_p(mean / std::sqrt((1 / count + test_to_learning_ratio) * variance), count - 1);
}

}  // namespace xofm::baselines
