#include "core/encode/distribution.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/parallel.hpp"
#include "core/base/random.hpp"
#include "core/encode/encode_range.hpp"

namespace xofm::detail {

namespace {

constexpr std::size_t bin_count = 20;

// Special values are no numbers here. Of very many rows every k-th tells where the ranges end; all are counted.
TrainingBins bins_of(const Dataset& data, std::size_t j) {
  constexpr std::size_t enough = 100'000;
  const Attribute& attribute = data.schema.attributes[j];
  const auto& column = data.columns[j];
  TrainingBins bins;
  if (attribute.kind != AttributeKind::numeric) return bins;
  const auto is_number = [&](double value) {
    return !std::isnan(value) && !std::binary_search(attribute.special.begin(), attribute.special.end(), value);
  };
  std::vector<double> sorted;
  double greatest = -HUGE_VAL;
  const std::size_t step = std::max<std::size_t>(column.size() / enough, 1);
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (!is_number(column[i])) continue;
    greatest = std::max(greatest, column[i]);
    if (i % step == 0) sorted.push_back(column[i]);
  }
  if (sorted.empty()) return bins;
  std::sort(sorted.begin(), sorted.end());
  std::size_t begin = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const bool is_last = k + 1 == sorted.size();
    // Equal numbers stay together.
    if (!is_last && (sorted[k + 1] == sorted[k] || (k + 1 - begin) * bin_count < sorted.size())) continue;
    bins.edges.push_back(is_last ? greatest : sorted[k]);
    begin = k + 1;
  }
  bins.weights.assign(bins.edges.size(), 0.0);
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (!is_number(column[i])) continue;
    const auto at = std::lower_bound(bins.edges.begin(), bins.edges.end(), column[i]) - bins.edges.begin();
    bins.weights[static_cast<std::size_t>(at)] += data.weights.empty() ? 1.0 : data.weights[i];
  }
  return bins;
}

}  // namespace

TrainingDistribution describe(const Dataset& data, const Encoder& encoder) {
  TrainingDistribution distribution;
  const std::size_t coordinates = encoder.coordinate_count();
  const auto classes = static_cast<std::size_t>(data.schema.class_count());
  distribution.mean_encoding.assign(coordinates, 0.0);
  distribution.class_histogram.assign(coordinates, std::vector<double>(classes));
  double total = 0;
  for_each_chunk(encoder, data, [&](const EncodedRows& rows, Range range) {
    for (std::size_t i = 0; i < rows.row_count; ++i) {
      const std::size_t row = range.begin + i;
      const double w = data.weights.empty() ? 1.0 : data.weights[row];
      total += w;
      for (std::size_t j = 0; j < rows.attribute_count; ++j) {
        const std::size_t cell = i * rows.attribute_count + j;
        const std::size_t n = encoder.offsets[j] + rows.coordinates[cell];
        distribution.class_histogram[n][static_cast<std::size_t>(data.labels[row])] += w;
        distribution.mean_encoding[n] += w * rows.fractions[cell];
      }
    }
  });
  // So far each coordinate has its own fractions; the rows in later segments fill it too.
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    double after = 0;
    for (int c = encoder.attributes[j].coordinate_count() - 1; c >= 0; --c) {
      if (!encoder.attributes[j].is_segment(c)) continue;
      const std::size_t n = encoder.offsets[j] + static_cast<std::size_t>(c);
      distribution.mean_encoding[n] += after;
      for (const double w : distribution.class_histogram[n]) after += w;
    }
  }
  for (double& mean : distribution.mean_encoding) mean /= total;
  distribution.bins.resize(data.attribute_count());
  parallel_for(data.attribute_count(), [&](std::size_t j) { distribution.bins[j] = bins_of(data, j); });
  return distribution;
}

std::uint64_t fingerprint(const Dataset& data) {
  std::uint64_t hash = mix(data.row_count());
  const auto add = [&](std::uint64_t bits) { hash = mix(hash ^ bits); };
  for (const auto& column : data.columns) {
    for (const double value : column) add(std::bit_cast<std::uint64_t>(value));
  }
  for (const int label : data.labels) add(static_cast<std::uint64_t>(label));
  for (const double weight : data.weights) add(std::bit_cast<std::uint64_t>(weight));
  return hash;
}

}  // namespace xofm::detail
