#include <algorithm>
#include <cmath>

#include "xofm/explain.hpp"

namespace xofm {

namespace {

// One value of an attribute that its curve is given at.
struct Stop {
  double own = 0;           // u_j and, if asked for, the products of the attribute with itself
  std::vector<double> sum;  // S = sum of Phi_n v_n over the attribute's coordinates
};

struct Stops {
  std::vector<Stop> values;  // knots ascending, or levels
  std::optional<Stop> missing;
};

std::size_t factor_count(const Model& model) { return static_cast<std::size_t>(model.parameters.factor_count); }

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double product = 0;
  for (std::size_t f = 0; f < a.size(); ++f) product += a[f] * b[f];
  return product;
}

Stops find_stops(const Model& model, std::size_t j, bool with_self) {
  const AttributeEncoder& attribute = model.encoder.attributes[j];
  const std::size_t k = factor_count(model);
  Stops stops;
  Stop at{0, std::vector<double>(k)};
  if (attribute.kind == AttributeKind::numeric) stops.values.push_back(at);
  for (int c = 0; c < attribute.coordinate_count(); ++c) {
    const std::size_t n = model.encoder.offsets[j] + static_cast<std::size_t>(c);
    const double* const row = model.parameters.factors.data() + n * k;
    const std::vector<double> v(row, row + k);
    if (!attribute.is_segment(c)) {
      Stop alone{model.parameters.increments[n], v};
      const bool is_missing = c == attribute.segment_count();
      (is_missing ? stops.missing.emplace() : stops.values.emplace_back()) = std::move(alone);
      continue;
    }
    if (attribute.knots.size() == 1) continue;  // constant: nothing fills its segment
    at.own += model.parameters.increments[n];
    if (with_self) at.own += dot(v, at.sum);  // with the segments filled before
    for (std::size_t f = 0; f < k; ++f) at.sum[f] += v[f];
    stops.values.push_back(at);
  }
  if (attribute.direction == Direction::decreasing) std::reverse(stops.values.begin(), stops.values.end());
  return stops;
}

// Mean of S_j over the training rows.
std::vector<double> mean_sum(const Model& model, std::size_t j) {
  const std::size_t k = factor_count(model);
  std::vector<double> mean(k);
  for (std::size_t n = model.encoder.offsets[j]; n < model.encoder.offsets[j + 1]; ++n) {
    for (std::size_t f = 0; f < k; ++f) {
      mean[f] += model.distribution.mean_encoding[n] * model.parameters.factors[n * k + f];
    }
  }
  return mean;
}

}  // namespace

double AttributeCurve::range() const {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return values.empty() ? 0.0 : *greatest - *least;
}

AttributeCurve raw_curve(const Model& model, std::size_t attribute) {
  const Stops stops = find_stops(model, attribute, false);
  AttributeCurve curve;
  for (const Stop& stop : stops.values) curve.values.push_back(stop.own);
  if (stops.missing) curve.missing = stops.missing->own;
  return curve;
}

AttributeCurve average_curve(const Model& model, std::size_t attribute) {
  const Stops stops = find_stops(model, attribute, true);
  std::vector<double> others(factor_count(model));
  for (std::size_t j = 0; j < model.encoder.attributes.size(); ++j) {
    if (j == attribute) continue;
    const std::vector<double> mean = mean_sum(model, j);
    for (std::size_t f = 0; f < others.size(); ++f) others[f] += mean[f];
  }
  AttributeCurve curve;
  for (const Stop& stop : stops.values) curve.values.push_back(stop.own + dot(stop.sum, others));
  const double least = *std::min_element(curve.values.begin(), curve.values.end());
  for (double& value : curve.values) value -= least;
  if (stops.missing) curve.missing = stops.missing->own + dot(stops.missing->sum, others) - least;
  return curve;
}

std::vector<PairStrength> pair_strengths(const Model& model) {
  const std::size_t count = model.encoder.attributes.size();
  // S_j(value) - mean of S_j, at every knot, level and missing value.
  std::vector<std::vector<std::vector<double>>> deviations(count);
  for (std::size_t j = 0; j < count; ++j) {
    Stops stops = find_stops(model, j, false);
    if (stops.missing) stops.values.push_back(*stops.missing);
    const std::vector<double> mean = mean_sum(model, j);
    for (Stop& stop : stops.values) {
      for (std::size_t f = 0; f < mean.size(); ++f) stop.sum[f] -= mean[f];
      deviations[j].push_back(std::move(stop.sum));
    }
  }
  std::vector<PairStrength> pairs;
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      double least = HUGE_VAL;
      double greatest = -HUGE_VAL;
      for (const auto& x : deviations[a]) {
        for (const auto& y : deviations[b]) {
          const double product = dot(x, y);
          least = std::min(least, product);
          greatest = std::max(greatest, product);
        }
      }
      pairs.push_back({a, b, greatest - least});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const PairStrength& x, const PairStrength& y) { return x.range > y.range; });
  return pairs;
}

}  // namespace xofm
