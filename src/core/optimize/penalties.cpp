#include "core/optimize/penalties.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace xofm::detail {

namespace {

double add_squares(double penalty, std::span<const double> values, std::span<double> gradient) {
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += values[i] * values[i];
    gradient[i] += 2 * penalty * values[i];
  }
  return penalty * squares;
}

// The gradient of one norm, smooth at zero; returns the norm.
double add_norm(double penalty, double blur, std::span<const double> values, std::span<double> gradient) {
  double squares = blur * blur;
  for (const double value : values) squares += value * value;
  const double norm = std::sqrt(squares);
  for (std::size_t i = 0; i < values.size(); ++i) gradient[i] += penalty * values[i] / norm;
  return norm;
}

// Those of rows of `stride` numbers.
double add_norms(double penalty, std::size_t stride, std::span<const double> values, std::span<double> gradient) {
  double norms = 0;
  for (std::size_t begin = 0; begin < values.size(); begin += stride) {
    norms += add_norm(penalty, norm_blur, values.subspan(begin, stride), gradient.subspan(begin, stride));
  }
  return penalty * norms;
}

// Differences between neighbouring segments of each numeric attribute; `stride` numbers per coordinate.
double add_differences(double penalty, const Encoder& encoder, std::size_t stride, std::span<const double> values,
                       std::span<double> gradient) {
  double squares = 0;
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    const auto& attribute = encoder.attributes[j];
    if (attribute.kind != AttributeKind::numeric) continue;
    const std::size_t begin = encoder.offsets[j] * stride;
    const std::size_t count = static_cast<std::size_t>(attribute.segment_count() - 1) * stride;
    for (std::size_t i = begin; i < begin + count; ++i) {
      const double difference = values[i + stride] - values[i];
      squares += difference * difference;
      gradient[i + stride] += 2 * penalty * difference;
      gradient[i] -= 2 * penalty * difference;
    }
  }
  return penalty * squares;
}

double add_group_norms(double penalty, const Encoder& encoder, std::size_t stride, std::span<const double> factors,
                       std::span<double> gradient) {
  double norms = 0;
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    const std::size_t begin = encoder.offsets[j] * stride;
    const std::size_t count = encoder.offsets[j + 1] * stride - begin;
    norms += add_norm(penalty, group_blur, factors.subspan(begin, count), gradient.subspan(begin, count));
  }
  return penalty * norms;
}

}  // namespace

double add_penalties(const Encoder& encoder, int factor_count, const Penalties& penalties,
                     std::span<const double> point, std::span<double> gradient) {
  const std::size_t coordinates = encoder.coordinate_count();
  const auto increments = point.first(coordinates);
  const auto factors = point.subspan(coordinates);
  const auto increment_gradient = gradient.first(coordinates);
  const auto factor_gradient = gradient.subspan(coordinates);
  const auto k = static_cast<std::size_t>(factor_count);
  double value = add_squares(penalties.increment, increments, increment_gradient) +
                 add_squares(penalties.factor, factors, factor_gradient);
  if (penalties.sparsity > 0) {
    value += add_norms(penalties.sparsity, 1, increments, increment_gradient) +
             add_norms(factor_sparsity * penalties.sparsity, k, factors, factor_gradient);
  }
  if (penalties.smoothness > 0) {
    value += add_differences(penalties.smoothness, encoder, 1, increments, increment_gradient) +
             add_differences(penalties.smoothness, encoder, k, factors, factor_gradient);
  }
  if (penalties.pair > 0) value += add_group_norms(penalties.pair, encoder, k, factors, factor_gradient);
  return value;
}

void drop_vanished_groups(const Encoder& encoder, const Penalties& penalties, Parameters& parameters) {
  if (penalties.pair == 0) return;
  constexpr double vanished = 10 * group_blur;
  const auto k = static_cast<std::size_t>(parameters.factor_count);
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    const auto begin = parameters.factors.begin() + static_cast<std::ptrdiff_t>(encoder.offsets[j] * k);
    const auto end = parameters.factors.begin() + static_cast<std::ptrdiff_t>(encoder.offsets[j + 1] * k);
    double squares = 0;
    for (auto factor = begin; factor != end; ++factor) squares += *factor * *factor;
    if (std::sqrt(squares) < vanished) std::fill(begin, end, 0.0);
  }
}

}  // namespace xofm::detail
