#include <algorithm>
#include <cmath>

#include "core/explain/effects.hpp"
#include "core/explain/pair_range.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"

namespace xofm {

namespace {

// The attribute's coordinates in the order people read them: segments by ascending knots, levels, missing.
std::vector<std::size_t> reading_order(const Model& model, std::size_t attribute) {
  const AttributeEncoder& encoder = model.encoder.attributes[attribute];
  std::vector<std::size_t> order;
  for (std::size_t n = model.encoder.offsets[attribute]; n < model.encoder.offsets[attribute + 1]; ++n) {
    order.push_back(n);
  }
  if (encoder.direction == Direction::decreasing) std::reverse(order.begin(), order.begin() + encoder.segment_count());
  return order;
}

}  // namespace

void detail::need_parameters(const Model& model) {
  if (!model.terms) return;
  throw Error(ErrorCode::invalid_option,
              "the raw view shows u and V of the paper; this model has curves and pairs of its own. Show it purified, "
              "or train it with --pairs all");
}

std::vector<std::vector<double>> detail::stop_deviations(const Effects& effects, std::size_t attribute) {
  std::vector<std::vector<double>> deviations;
  for (const Effect& stop : effects.stops(attribute)) deviations.push_back(effects.deviation(attribute, stop));
  return deviations;
}

PairGrid segment_products(const Model& model, std::size_t first, std::size_t second) {
  detail::need_parameters(model);
  const auto k = static_cast<std::size_t>(model.parameters.factor_count);
  const double* const factors = model.parameters.factors.data();
  PairGrid grid{first, second, {}};
  for (const std::size_t n1 : reading_order(model, first)) {
    auto& row = grid.values.emplace_back();
    for (const std::size_t n2 : reading_order(model, second)) {
      double product = 0;
      for (std::size_t f = 0; f < k && n1 != n2; ++f) product += factors[n1 * k + f] * factors[n2 * k + f];
      row.push_back(product);
    }
  }
  return grid;
}

std::vector<PairGrid> purified_surfaces(const Model& model,
                                        const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
  const detail::Effects effects(model);
  std::vector<PairGrid> grids;
  for (const auto& [first, second] : pairs) {
    PairGrid& grid = grids.emplace_back(PairGrid{first, second, {}});
    const auto columns = detail::stop_deviations(effects, second);
    for (const auto& x : detail::stop_deviations(effects, first)) {
      auto& row = grid.values.emplace_back();
      for (const auto& y : columns) row.push_back(detail::dot(x, y));
    }
  }
  return grids;
}

PairGrid purified_surface(const Model& model, std::size_t first, std::size_t second) {
  return purified_surfaces(model, {{first, second}}).front();
}

std::size_t pair_count(const Model& model) {
  if (model.terms) return model.terms->surfaces.size();
  const std::size_t count = model.schema.attributes.size();
  return count * (count - 1) / 2;
}

std::vector<PairStrength> pair_strengths(const Model& model, std::size_t count) {
  const detail::PairRanges ranges{detail::Effects(model)};
  if (!model.terms && count < pair_count(model)) return ranges.strongest_of_all(count);
  std::vector<PairStrength> pairs = ranges.strongest(detail::pairs_of(model));
  if (pairs.size() > count) pairs.resize(count);
  return pairs;
}

}  // namespace xofm
