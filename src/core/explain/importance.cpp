#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/parallel.hpp"
#include "core/explain/effects.hpp"
#include "core/explain/pair_range.hpp"
#include "xofm/explain.hpp"

namespace xofm {

namespace {

// Sums of absolute contributions: of the attributes, then of the pairs.
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

void add_rows(const detail::Effects& effects, const Pairs& pairs, const EncodedRows& rows,
              const std::vector<double>& weights, detail::Range range, std::vector<double>& sums) {
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
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      sums[count + p] += w * std::abs(detail::dot(deviations[pairs[p].first], deviations[pairs[p].second]));
    }
  }
}

// The pairs to speak of: all, in their order, or the strongest.
Pairs chosen_pairs(const Model& model, std::size_t most_pairs) {
  if (pair_count(model) <= most_pairs) return detail::pairs_of(model);
  Pairs pairs;
  for (const PairStrength& pair : pair_strengths(model, most_pairs)) pairs.emplace_back(pair.first, pair.second);
  return pairs;
}

// Ranges of curves and surfaces; `means` has the mean absolute contributions of the attributes, then of the pairs.
Importance with_ranges(const Model& model, const detail::Effects& effects, const Pairs& pairs,
                       const std::vector<double>& means) {
  Importance result;
  const std::size_t count = effects.attribute_count();
  const AttributeCurves curves = attribute_curves(model);
  for (std::size_t j = 0; j < count; ++j) {
    const double raw_range = model.terms ? 0.0 : curves.raw[j].range();
    result.attributes.push_back({j, raw_range, curves.purified[j].range(), means[j]});
  }
  if (pairs.empty()) return result;
  const detail::PairRanges ranges(effects);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    const auto [a, b] = pairs[p];
    result.pairs.push_back({a, b, ranges.range(a, b), means[count + p]});
  }
  return result;
}

// The training rows that share a coordinate, as one.
struct Group {
  double share = 0;  // of all rows
  detail::Effect effect;
};

std::vector<Group> training_groups(const Model& model, const detail::Effects& effects, std::size_t attribute) {
  const AttributeEncoder& encoder = model.encoder.attributes[attribute];
  const std::size_t begin = model.encoder.offsets[attribute];
  const auto weight = [&](std::size_t n) {
    const auto& classes = model.distribution.class_histogram[n];
    return std::accumulate(classes.begin(), classes.end(), 0.0);
  };
  double total = 0;
  for (std::size_t n = begin; n < model.encoder.offsets[attribute + 1]; ++n) total += weight(n);
  std::vector<Group> groups;
  double after = 0;  // rows in later segments, which fill this one
  for (int c = encoder.coordinate_count() - 1; c >= 0; --c) {
    const std::size_t n = begin + static_cast<std::size_t>(c);
    const double here = weight(n);
    double fraction = 1;
    if (encoder.is_segment(c)) {
      const double filled = model.distribution.mean_encoding[n] * total - after;
      fraction = here > 0 ? std::clamp(filled / here, 0.0, 1.0) : 0.0;
      after += here;
    }
    if (!(here > 0)) continue;
    groups.push_back({here / total, effects.at(attribute, Position{static_cast<std::uint32_t>(c), fraction})});
  }
  return groups;
}

// Of a surface over the cells that the training rows are in, each at its middle.
double mean_absolute(const Encoder& encoder, const Surface& surface) {
  const std::size_t rows = node_count(encoder.attributes[surface.first], surface.first_knots);
  const std::size_t columns = node_count(encoder.attributes[surface.second], surface.second_knots);
  // The next node of a segment; of a last knot, a level or a missing value the node itself.
  const auto next = [](std::size_t node, const std::vector<std::size_t>& knots) {
    return node + 1 < knots.size() ? node + 1 : node;
  };
  double sum = 0;
  double total = 0;
  for (std::size_t a = 0; a < rows; ++a) {
    for (std::size_t b = 0; b < columns; ++b) {
      const double w = surface.row_weights[a * columns + b];
      const std::size_t far_a = next(a, surface.first_knots) * columns;
      const std::size_t far_b = next(b, surface.second_knots);
      const double middle = (surface.values[a * columns + b] + surface.values[a * columns + far_b] +
                             surface.values[far_a + b] + surface.values[far_a + far_b]) /
                            4;
      sum += w * std::abs(middle);
      total += w;
    }
  }
  return total > 0 ? sum / total : 0.0;
}

}  // namespace

Importance training_importance(const Model& model, std::size_t most_pairs) {
  const detail::Effects effects(model);
  const std::size_t count = effects.attribute_count();
  struct Deviation {
    double share;
    std::vector<double> value;
  };
  std::vector<std::vector<Deviation>> deviations(count);
  std::vector<double> means;
  for (std::size_t j = 0; j < count; ++j) {
    double mean = 0;
    for (const Group& group : training_groups(model, effects, j)) {
      mean += group.share * std::abs(effects.curve(j, group.effect));
      deviations[j].push_back({group.share, effects.deviation(j, group.effect)});
    }
    means.push_back(mean);
  }
  const Pairs pairs = chosen_pairs(model, most_pairs);
  for (const auto& [a, b] : pairs) {
    double mean = 0;
    for (const Deviation& x : deviations[a]) {
      for (const Deviation& y : deviations[b]) mean += x.share * y.share * std::abs(detail::dot(x.value, y.value));
    }
    means.push_back(mean);
  }
  for (std::size_t p = 0; model.terms && p < pairs.size(); ++p) {
    const auto& surfaces = model.terms->surfaces;
    const auto at = std::find_if(surfaces.begin(), surfaces.end(), [&](const Surface& surface) {
      return surface.first == pairs[p].first && surface.second == pairs[p].second;
    });
    means[count + p] = mean_absolute(model.encoder, *at);
  }
  return with_ranges(model, effects, pairs, means);
}

Importance importance(const Model& model, const Dataset& rows, std::size_t most_pairs) {
  const detail::Effects effects(model);
  const std::size_t count = effects.attribute_count();
  const EncodedRows encoded = encode(model.encoder, rows);
  const Pairs pairs = chosen_pairs(model, most_pairs);
  const std::size_t block_count = detail::block_count_for(encoded.row_count, 1024, 256);
  std::vector<std::vector<double>> blocks(block_count, std::vector<double>(count + pairs.size()));
  detail::parallel_for(block_count, [&](std::size_t block) {
    add_rows(effects, pairs, encoded, rows.weights, detail::block_range(encoded.row_count, block_count, block),
             blocks[block]);
  });
  std::vector<double> sums(count + pairs.size());
  for (const auto& block : blocks) detail::add(sums, block);
  double total = rows.weights.empty() ? static_cast<double>(encoded.row_count) : 0.0;
  for (const double w : rows.weights) total += w;
  if (!(total > 0)) total = 1;  // all sums are zero
  for (double& sum : sums) sum /= total;
  return with_ranges(model, effects, pairs, sums);
}

}  // namespace xofm
