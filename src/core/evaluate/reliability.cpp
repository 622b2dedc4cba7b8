#include <algorithm>

#include "core/evaluate/check_input.hpp"
#include "xofm/metrics.hpp"

namespace xofm {

std::vector<ReliabilityBin> reliability(int class_count, std::span<const int> labels,
                                        std::span<const double> probabilities, int bin_count) {
  detail::check_class_count(class_count);
  detail::check_classes(class_count, labels, "label");
  detail::check_probabilities(class_count, labels, probabilities);
  const auto classes = static_cast<std::size_t>(class_count);
  const auto bins = static_cast<std::size_t>(std::max(bin_count, 1));
  std::vector<ReliabilityBin> table(bins);
  std::vector<double> sums(bins, 0.0);
  std::vector<double> hits(bins, 0.0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    double at_least = 0;
    for (std::size_t h = classes; h-- > 1;) {
      at_least = std::min(1.0, at_least + probabilities[i * classes + h]);
      const auto bin = std::min(bins - 1, static_cast<std::size_t>(at_least * static_cast<double>(bins)));
      ++table[bin].count;
      sums[bin] += at_least;
      hits[bin] += labels[i] >= static_cast<int>(h) ? 1 : 0;
    }
  }
  for (std::size_t b = 0; b < bins; ++b) {
    if (table[b].count == 0) continue;
    table[b].mean_probability = sums[b] / static_cast<double>(table[b].count);
    table[b].observed_share = hits[b] / static_cast<double>(table[b].count);
  }
  return table;
}

}  // namespace xofm
