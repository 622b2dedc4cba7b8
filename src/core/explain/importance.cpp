#include <cmath>

#include "core/base/parallel.hpp"
#include "core/explain/effects.hpp"
#include "core/explain/pair_range.hpp"
#include "xofm/explain.hpp"

namespace xofm {

namespace {

// Sums of absolute contributions: of the attributes, then of the pairs.
void add_rows(const detail::Effects& effects, const EncodedRows& rows, const std::vector<double>& weights,
              detail::Range range, std::vector<double>& sums) {
  const std::size_t count = rows.attribute_count;
  std::vector<std::vector<double>> deviations(count);
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const double w = weights.empty() ? 1.0 : weights[i];
    for (std::size_t j = 0; j < count; ++j) {
      const std::size_t cell = i * count + j;
      const detail::Effect effect = effects.at(j, Position{rows.coordinates[cell], rows.fractions[cell]});
      deviations[j] = effects.deviation(j, effect);
      sums[j] += w * std::abs(effects.curve(j, effect));
    }
    std::size_t pair = count;
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = a + 1; b < count; ++b) {
        sums[pair++] += w * std::abs(detail::dot(deviations[a], deviations[b]));
      }
    }
  }
}

}  // namespace

Importance importance(const Model& model, const Dataset& rows) {
  const detail::Effects effects(model);
  const std::size_t count = effects.attribute_count();
  const EncodedRows encoded = encode(model.encoder, rows);
  const std::size_t block_count = detail::block_count_for(encoded.row_count, 1024, 256);
  std::vector<std::vector<double>> blocks(block_count, std::vector<double>(count + count * (count - 1) / 2));
  detail::parallel_for(block_count, [&](std::size_t block) {
    add_rows(effects, encoded, rows.weights, detail::block_range(encoded.row_count, block_count, block), blocks[block]);
  });
  std::vector<double> sums(count + count * (count - 1) / 2);
  for (const auto& block : blocks) detail::add(sums, block);
  double total = rows.weights.empty() ? static_cast<double>(encoded.row_count) : 0.0;
  for (const double w : rows.weights) total += w;
  if (!(total > 0)) total = 1;  // all sums are zero

  Importance result;
  std::vector<std::vector<std::vector<double>>> deviations;
  for (std::size_t j = 0; j < count; ++j) {
    result.attributes.push_back({j, raw_curve(model, j).range(), purified_curve(model, j).range(), sums[j] / total});
    deviations.push_back(detail::stop_deviations(effects, j));
  }
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      const double mean = sums[count + result.pairs.size()] / total;
      result.pairs.push_back({a, b, detail::product_range(deviations[a], deviations[b]), mean});
    }
  }
  return result;
}

}  // namespace xofm
