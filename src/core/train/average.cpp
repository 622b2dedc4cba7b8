#include "core/train/average.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace xofm::detail {

namespace {

// The knots in the order in which the segments are filled.
std::vector<double> filling_order(const AttributeEncoder& attribute) {
  std::vector<double> knots = attribute.knots;
  if (attribute.direction == Direction::decreasing) std::reverse(knots.begin(), knots.end());
  return knots;
}

double value_at(const AttributeEncoder& attribute, const Position& position) {
  const std::vector<double> knots = filling_order(attribute);
  if (knots.size() < 2) return knots.front();
  const double from = knots[position.coordinate];
  return from + position.fraction * (knots[position.coordinate + 1] - from);
}

}  // namespace

std::vector<Piece> pieces_of(const AttributeEncoder& from, const AttributeEncoder& to) {
  std::vector<Piece> pieces;
  const auto count = static_cast<std::size_t>(to.coordinate_count());
  const bool is_cut = from.kind == AttributeKind::numeric && from.knots.size() > 1;
  const std::vector<double> old_knots = is_cut ? filling_order(from) : std::vector<double>();
  const std::vector<double> new_knots = is_cut ? filling_order(to) : std::vector<double>();
  const double sign = to.direction == Direction::decreasing ? -1 : 1;
  std::size_t old = 0;
  for (std::size_t n = 0; n < count; ++n) {
    if (!is_cut || !to.is_segment(static_cast<int>(n))) {
      // Levels and missing values: from the end, since there may be more segments before them.
      pieces.push_back({n + static_cast<std::size_t>(from.coordinate_count()) - count, 1, 0});
      continue;
    }
    while (old + 2 < old_knots.size() && sign * new_knots[n] >= sign * old_knots[old + 1]) ++old;
    const bool outside =
        sign * new_knots[n] < sign * old_knots.front() || sign * new_knots[n] >= sign * old_knots.back();
    const double width = old_knots[old + 1] - old_knots[old];
    const double share = outside ? 0 : (new_knots[n + 1] - new_knots[n]) / width;
    pieces.push_back({old, share, (new_knots[n] - old_knots[old]) / width});
  }
  return pieces;
}

Encoder unite(const std::vector<const Encoder*>& encoders) {
  Encoder united = *encoders.front();
  for (std::size_t j = 0; j < united.attributes.size(); ++j) {
    AttributeEncoder& attribute = united.attributes[j];
    if (attribute.kind != AttributeKind::numeric) continue;
    const double typical = value_at(attribute, attribute.typical);
    for (const Encoder* encoder : encoders) {
      const std::vector<double>& knots = encoder->attributes[j].knots;
      attribute.knots.insert(attribute.knots.end(), knots.begin(), knots.end());
    }
    std::sort(attribute.knots.begin(), attribute.knots.end());
    attribute.knots.erase(std::unique(attribute.knots.begin(), attribute.knots.end()), attribute.knots.end());
    ValueNote note = ValueNote::none;
    attribute.typical = attribute.locate_on_curve(typical, note);
  }
  number_coordinates(united);
  return united;
}

Learned transfer(const Learned& learned, const Encoder& from, const Encoder& to) {
  const Parameters& parameters = learned.parameters;
  const auto k = static_cast<std::size_t>(parameters.factor_count);
  Learned moved;
  moved.parameters.factor_count = parameters.factor_count;
  std::vector<std::vector<std::pair<std::size_t, double>>> cut(from.coordinate_count());  // new ones and their shares
  for (std::size_t j = 0; j < to.attributes.size(); ++j) {
    for (const Piece& piece : pieces_of(from.attributes[j], to.attributes[j])) {
      const std::size_t n = from.offsets[j] + piece.old_coordinate;
      cut[n].emplace_back(moved.parameters.increments.size(), piece.share);
      double square = 0;
      for (std::size_t f = 0; f < k; ++f) {
        const double factor = parameters.factors[n * k + f];
        moved.parameters.factors.push_back(piece.share * factor);
        square += factor * factor;
      }
      moved.parameters.increments.push_back(piece.share * (parameters.increments[n] - piece.before * square));
    }
  }
  for (const auto& [pair, product] : learned.products) {
    for (const auto& [first, first_share] : cut[pair.first]) {
      for (const auto& [second, second_share] : cut[pair.second]) {
        moved.products[{first, second}] += product * first_share * second_share;
      }
    }
  }
  return moved;
}

Average average(const Members& members) {
  Average result;
  std::vector<const Encoder*> encoders;
  double total = 0;
  for (const Member& member : members) {
    total += member.weight;
    const bool is_new = std::find(encoders.begin(), encoders.end(), member.encoder.get()) == encoders.end();
    if (is_new) encoders.push_back(member.encoder.get());
  }
  result.encoder = unite(encoders);
  const std::size_t count = result.encoder.coordinate_count();
  std::vector<Parameters> blocks;  // side by side
  Products products;
  Parameters& mean = result.parameters;
  mean.increments.assign(count, 0.0);
  for (const Member& member : members) {
    const double share = member.weight / total;
    Learned moved = transfer(*member.learned, *member.encoder, result.encoder);
    for (std::size_t n = 0; n < count; ++n) mean.increments[n] += share * moved.parameters.increments[n];
    for (double& factor : moved.parameters.factors) factor *= std::sqrt(share);
    for (const auto& [pair, product] : moved.products) products[pair] += share * product;
    blocks.push_back(std::move(moved.parameters));
  }
  Parameters& last = blocks.emplace_back();
  last.increments.resize(count);
  factorize(products, last);
  for (const Parameters& block : blocks) mean.factor_count += block.factor_count;
  for (std::size_t n = 0; n < count; ++n) {
    for (const Parameters& block : blocks) {
      const auto first = block.factors.begin() + static_cast<std::ptrdiff_t>(n) * block.factor_count;
      mean.factors.insert(mean.factors.end(), first, first + block.factor_count);
    }
  }
  if (!products.empty()) drop_idle_factors(mean);
  return result;
}

}  // namespace xofm::detail
