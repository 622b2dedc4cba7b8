#include "core/sample/mixing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace xofm::detail {

namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Sum of (x_i - mean)(x_i+lag - mean), divided by their number.
double autocovariance(std::span<const double> values, double mean, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = 0; i + lag < values.size(); ++i) sum += (values[i] - mean) * (values[i + lag] - mean);
  return sum / static_cast<double>(values.size());
}

}  // namespace

SamplingRecord::Mixing mixing_of(const std::vector<std::vector<double>>& chains) {
  const std::size_t half = chains.front().size() / 2;
  if (half < 2) return {std::nan(""), std::nan("")};
  std::vector<std::span<const double>> parts;
  for (const auto& chain : chains) {
    parts.emplace_back(chain.data(), half);
    parts.emplace_back(chain.data() + chain.size() - half, half);
  }
  const auto n = static_cast<double>(half);
  const auto part_count = static_cast<double>(parts.size());
  std::vector<double> means;
  double within = 0;
  for (const auto& part : parts) {
    means.push_back(mean_of(part));
    within += autocovariance(part, means.back(), 0) * n / (n - 1) / part_count;
  }
  const double grand = mean_of(means);
  double between = 0;  // variance of the means
  for (const double mean : means) between += (mean - grand) * (mean - grand) / (part_count - 1);
  if (within == 0 && between == 0) return {1, n * part_count};
  const double total = (n - 1) / n * within + between;
  // Autocorrelation at a lag: 1 - (within - mean autocovariance) / total.
  const auto correlation = [&](std::size_t lag) {
    double covariance = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) covariance += autocovariance(parts[p], means[p], lag) / part_count;
    return 1 - (within - covariance * n / (n - 1)) / total;
  };
  double sum = 0;
  double last_pair = HUGE_VAL;
  for (std::size_t lag = 1; lag + 1 < half; lag += 2) {
    const double pair = std::min(correlation(lag) + correlation(lag + 1), last_pair);
    if (!(pair > 0)) break;
    sum += pair;
    last_pair = pair;
  }
  const double draws = n * part_count;
  return {std::sqrt(total / within), std::min(draws, draws / (1 + 2 * sum))};
}

void worsen(SamplingRecord::Mixing& worst, const SamplingRecord::Mixing& other) {
  // NaN is worse than any number.
  if (!(other.r_hat <= worst.r_hat)) worst.r_hat = other.r_hat;
  if (!(other.effective_count >= worst.effective_count)) worst.effective_count = other.effective_count;
}

}  // namespace xofm::detail
