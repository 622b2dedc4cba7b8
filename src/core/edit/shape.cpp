#include "core/edit/shape.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/terms/term_table.hpp"
#include "xofm/terms.hpp"

namespace xofm::detail {

std::vector<double> stop_weights(const Model& model, std::size_t attribute) {
  const AttributeEncoder& own = model.encoder.attributes[attribute];
  const std::size_t offset = model.encoder.offsets[attribute];
  const TrainingDistribution& rows = model.distribution;
  const double total = std::reduce(model.summary.class_weights.begin(), model.summary.class_weights.end(), 0.0);
  std::vector<double> weights(stop_count(own));
  double beyond = 0;  // in later segments, which fill this one
  for (int c = own.coordinate_count(); c-- > 0;) {
    const std::size_t at = offset + static_cast<std::size_t>(c);
    const auto coordinate = static_cast<std::uint32_t>(c);
    const auto& by_class = rows.class_histogram[at];
    const double inside = std::reduce(by_class.begin(), by_class.end(), 0.0);
    if (!own.is_segment(c)) {
      weights[stop_position(own, {coordinate, 1}).low] += inside;
      continue;
    }
    // Mean encoding: those beyond fill the segment, those inside a part of it.
    const double filled = std::clamp(rows.mean_encoding[at] * total - beyond, 0.0, inside);
    weights[stop_position(own, {coordinate, 1}).high] += filled;
    weights[stop_position(own, {coordinate, 0}).low] += inside - filled;
    beyond += inside;
  }
  return weights;
}

double mean_by(std::span<const double> values, std::span<const double> weights) {
  const double total = std::reduce(weights.begin(), weights.end(), 0.0);
  if (!(total > 0)) return std::reduce(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  return std::inner_product(values.begin(), values.end(), weights.begin(), 0.0) / total;
}

void raise_steps(std::span<double> values, std::span<const double> weights, std::span<const double> least_steps) {
  struct Pool {
    double sum = 0;  // weighted
    double weight = 0;
    std::size_t count = 0;
  };
  // A knot without rows follows its neighbours.
  const double total = std::reduce(weights.begin(), weights.end(), 0.0);
  const double light = total > 0 ? 1e-6 * total : 1.0;
  std::vector<double> risen(values.size());  // by the least steps up to here
  for (std::size_t k = 1; k < values.size(); ++k) risen[k] = risen[k - 1] + least_steps[k - 1];
  std::vector<Pool> pools;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double weight = std::max(weights[k], light);
    pools.push_back({weight * (values[k] - risen[k]), weight, 1});
    while (pools.size() > 1) {
      Pool& last = pools.back();
      Pool& before = pools[pools.size() - 2];
      if (before.sum / before.weight <= last.sum / last.weight) break;
      before = {before.sum + last.sum, before.weight + last.weight, before.count + last.count};
      pools.pop_back();
    }
  }
  std::size_t k = 0;
  for (const Pool& pool : pools) {
    // A single knot keeps its value to the bit.
    for (std::size_t i = 0; i < pool.count; ++i, ++k) {
      if (pool.count > 1) values[k] = pool.sum / pool.weight + risen[k];
    }
  }
}

void set_direction(Model& model, std::size_t attribute, Direction direction) {
  AttributeEncoder& own = model.encoder.attributes[attribute];
  const bool turns = (own.direction == Direction::decreasing) != (direction == Direction::decreasing);
  own.direction = direction;
  model.options.attributes.directions[model.schema.attributes[attribute].name] = direction;
  if (!turns) return;
  const auto begin = static_cast<std::ptrdiff_t>(model.encoder.offsets[attribute]);
  const std::ptrdiff_t count = own.segment_count();
  auto& histogram = model.distribution.class_histogram;
  auto& means = model.distribution.mean_encoding;
  const double total = std::reduce(model.summary.class_weights.begin(), model.summary.class_weights.end(), 0.0);
  double on_curve = 0;
  for (std::ptrdiff_t c = 0; c < count; ++c) {
    const auto& by_class = histogram[static_cast<std::size_t>(begin + c)];
    on_curve += std::reduce(by_class.begin(), by_class.end(), 0.0) / total;
  }
  std::reverse(histogram.begin() + begin, histogram.begin() + begin + count);
  std::reverse(means.begin() + begin, means.begin() + begin + count);
  for (std::ptrdiff_t c = 0; c < count; ++c) {
    double& mean = means[static_cast<std::size_t>(begin + c)];
    mean = std::clamp(on_curve - mean, 0.0, 1.0);
  }
  if (own.is_segment(static_cast<int>(own.typical.coordinate))) {
    own.typical = {static_cast<std::uint32_t>(count - 1) - own.typical.coordinate, 1 - own.typical.fraction};
  }
}

std::size_t nearest_node(const AttributeEncoder& attribute, const std::vector<std::size_t>& knots, double value) {
  const auto distance = [&](std::size_t knot) { return std::abs(attribute.knots[knot] - value); };
  const auto nearest = std::min_element(knots.begin(), knots.end(),
                                        [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
  return static_cast<std::size_t>(nearest - knots.begin());
}

std::vector<std::size_t> even_knots(std::size_t knot_count, std::size_t count) {
  std::vector<std::size_t> knots;
  const std::size_t kept = std::min(knot_count, count);
  for (std::size_t i = 0; i < kept; ++i) knots.push_back(kept == 1 ? 0 : i * (knot_count - 1) / (kept - 1));
  return knots;
}

}  // namespace xofm::detail
