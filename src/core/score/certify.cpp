#include <algorithm>
#include <cmath>

#include "xofm/train.hpp"

namespace xofm {

namespace {

// The factor sums S_j that attribute j can reach at its knots or levels; between knots the sum is linear, so its least
// product with any vector is found here.
std::vector<std::vector<double>> reachable_sums(const Encoder& encoder, const Parameters& parameters, std::size_t j) {
  const auto& attribute = encoder.attributes[j];
  const auto k = static_cast<std::size_t>(parameters.factor_count);
  std::vector<std::vector<double>> sums = {std::vector<double>(k)};  // the first knot; a level not seen in training
  std::vector<double> filled(k);
  for (int c = 0; c < attribute.coordinate_count(); ++c) {
    const double* const v = parameters.factors.data() + (encoder.offsets[j] + static_cast<std::size_t>(c)) * k;
    if (attribute.is_segment(c)) {
      for (std::size_t f = 0; f < k; ++f) filled[f] += v[f];
      sums.push_back(filled);
    } else {
      sums.emplace_back(v, v + k);
    }
  }
  return sums;
}

}  // namespace

// Inside segment n of attribute j the score is linear in Phi_n with slope
//   u_n + <v_n, sum of v over the segments filled before> + sum over other attributes of <v_n, S(value)>,
// and the other attributes' terms can be made least one by one. `scale` collects their sizes for the rounding.
Certificate certify(const Encoder& encoder, const Parameters& parameters) {
  constexpr double rounding = 1e-12;
  const auto k = static_cast<std::size_t>(parameters.factor_count);
  const std::size_t attribute_count = encoder.attributes.size();
  Certificate certificate;
  certificate.attributes.resize(attribute_count);
  std::vector<std::vector<std::vector<double>>> sums(attribute_count);
  for (std::size_t j = 0; j < attribute_count; ++j) sums[j] = reachable_sums(encoder, parameters, j);

  for (std::size_t j = 0; j < attribute_count; ++j) {
    const auto& attribute = encoder.attributes[j];
    auto& entry = certificate.attributes[j];
    entry.direction = attribute.direction;
    if (attribute.direction == Direction::none) continue;
    entry.least_slope = HUGE_VAL;
    entry.holds = true;
    for (int c = 0; c < attribute.segment_count(); ++c) {
      const std::size_t n = encoder.offsets[j] + static_cast<std::size_t>(c);
      const double* const v = parameters.factors.data() + n * k;
      double slope = parameters.increments[n];
      double scale = std::abs(slope);
      const auto dot = [&](const std::vector<double>& sum) {
        double product = 0;
        for (std::size_t f = 0; f < k; ++f) product += v[f] * sum[f];
        return product;
      };
      const double own = dot(sums[j][static_cast<std::size_t>(c)]);
      slope += own;
      scale += std::abs(own);
      for (std::size_t other = 0; other < attribute_count; ++other) {
        if (other == j) continue;
        double least = HUGE_VAL;
        for (const auto& sum : sums[other]) least = std::min(least, dot(sum));
        slope += least;
        scale += std::abs(least);
      }
      entry.least_slope = std::min(entry.least_slope, slope);
      entry.holds = entry.holds && slope >= -rounding * scale;
    }
    certificate.holds = certificate.holds && entry.holds;
  }
  return certificate;
}

}  // namespace xofm
