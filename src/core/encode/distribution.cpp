#include "core/encode/distribution.hpp"

#include <bit>

#include "core/base/random.hpp"

namespace xofm::detail {

TrainingDistribution describe(const Dataset& data, const Encoder& encoder, const EncodedRows& rows) {
  TrainingDistribution distribution;
  const std::size_t coordinates = encoder.coordinate_count();
  const auto classes = static_cast<std::size_t>(data.schema.class_count());
  distribution.mean_encoding.assign(coordinates, 0.0);
  distribution.class_histogram.assign(coordinates, std::vector<double>(classes));
  double total = 0;
  for (std::size_t i = 0; i < rows.row_count; ++i) {
    const double w = data.weights.empty() ? 1.0 : data.weights[i];
    total += w;
    for (std::size_t j = 0; j < rows.attribute_count; ++j) {
      const std::size_t cell = i * rows.attribute_count + j;
      const std::size_t n = encoder.offsets[j] + rows.coordinates[cell];
      distribution.class_histogram[n][static_cast<std::size_t>(data.labels[i])] += w;
      distribution.mean_encoding[n] += w * rows.fractions[cell];
    }
  }
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
