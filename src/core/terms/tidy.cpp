#include "core/terms/tidy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "core/terms/term_table.hpp"

namespace xofm::detail {

namespace {

// As its decimal text says: no digits beyond it.
double rounded(double value, int decimals) {
  return std::strtod(fmt::format("{:.{}f}", value, decimals).c_str(), nullptr) + 0.0;  // no negative zero
}

// With the fewest significant digits that stay within `room`.
double shortest(double value, double room) {
  for (int digits = 1; digits < 17; ++digits) {
    const double candidate = std::strtod(fmt::format("{:.{}e}", value, digits - 1).c_str(), nullptr);
    if (std::abs(candidate - value) <= room) return candidate;
  }
  return value;
}

double value_of(const AttributeEncoder& attribute, Position position) {
  const StopPosition at = stop_position(attribute, position);
  const double low = attribute.knots[at.low];
  return low + at.fraction * (attribute.knots[at.high] - low);
}

void set_knots(AttributeEncoder& attribute, std::vector<double> knots) {
  const bool is_missing = !attribute.is_segment(static_cast<int>(attribute.typical.coordinate));
  const double typical = is_missing ? knots.front() : value_of(attribute, attribute.typical);
  attribute.knots = std::move(knots);
  ValueNote note{};
  attribute.typical = attribute.locate_on_curve(typical, note);
}

// The attribute's knots that are nodes of surfaces.
template <class Visit>
void for_each_grid_knot(Terms& terms, std::size_t attribute, Visit visit) {
  for (Surface& surface : terms.surfaces) {
    if (surface.first == attribute) std::for_each(surface.first_knots.begin(), surface.first_knots.end(), visit);
    if (surface.second == attribute) std::for_each(surface.second_knots.begin(), surface.second_knots.end(), visit);
  }
}

// Steps of the score from one stop to the next in the attribute's direction: least over all others.
struct Steps {
  std::vector<double> least;
  std::vector<double> size;  // of what was added up, for the rounding
};

Steps steps_of(const Encoder& encoder, const Terms& terms, std::size_t attribute) {
  const AttributeEncoder& own = encoder.attributes[attribute];
  Steps steps;
  for (int c = 0; c < own.segment_count(); ++c) {
    const auto coordinate = static_cast<std::uint32_t>(c);
    const std::size_t from = stop_position(own, {coordinate, 0}).low;
    const std::size_t to = stop_position(own, {coordinate, 1}).high;
    steps.least.push_back(terms.curves[attribute][to] - terms.curves[attribute][from]);
    steps.size.push_back(std::abs(terms.curves[attribute][to]) + std::abs(terms.curves[attribute][from]));
    for (const Surface& surface : terms.surfaces) {
      const bool is_first = surface.first == attribute;
      if (!is_first && surface.second != attribute) continue;
      const std::size_t columns = node_count(encoder.attributes[surface.second], surface.second_knots);
      const std::size_t rows = node_count(encoder.attributes[surface.first], surface.first_knots);
      const auto places = places_on_axis(own, is_first ? surface.first_knots : surface.second_knots);
      const std::size_t count = is_first ? rows : columns;
      const auto at = [&](std::size_t stop, std::size_t across) {
        const AxisPosition place = axis_position(places[stop], count);
        const std::size_t stride = is_first ? columns : 1;
        const double* const line = surface.values.data() + (is_first ? across : across * columns);
        return line[place.node * stride] + place.fraction * (line[place.next * stride] - line[place.node * stride]);
      };
      double least = HUGE_VAL;
      for (std::size_t across = 0; across < (is_first ? columns : rows); ++across) {
        least = std::min(least, at(to, across) - at(from, across));
      }
      steps.least.back() += least;
      steps.size.back() += std::abs(least);
    }
  }
  return steps;
}

}  // namespace

void round_knots(Encoder& encoder, const EncoderOptions& options) {
  constexpr double share = 0.05;  // of the distance to the nearer neighbour
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    AttributeEncoder& attribute = encoder.attributes[j];
    if (attribute.knots.size() < 3 || !options.attributes.given_knots.empty()) continue;
    std::vector<double> knots = attribute.knots;
    for (std::size_t k = 1; k + 1 < knots.size(); ++k) {
      const double room =
          std::min(attribute.knots[k] - attribute.knots[k - 1], attribute.knots[k + 1] - attribute.knots[k]);
      knots[k] = shortest(attribute.knots[k], share * room);
    }
    set_knots(attribute, std::move(knots));
  }
}

namespace {

// How much of the rows lies at each knot of an attribute.
std::vector<double> knot_masses(const Encoder& encoder, std::size_t j, const EncodedRows& rows) {
  const NodeAxis axis(encoder, j);
  std::vector<double> masses(axis.count);
  for (std::size_t i = 0; i < rows.row_count; ++i) {
    const AxisPosition at = axis.at(rows, i);
    masses[at.node] += (1 - at.fraction) / static_cast<double>(rows.row_count);
    masses[at.next] += at.fraction / static_cast<double>(rows.row_count);
  }
  return masses;
}

// The knots that stay: those that bend least leave first, while squared misses, weighted by the masses, add up to less
// than `allowed`. Nodes of surfaces stay.
std::vector<std::size_t> bending_knots(const std::vector<double>& knots, const std::vector<double>& curve,
                                       const std::vector<double>& masses, const std::vector<char>& is_node,
                                       double allowed) {
  const auto error = [&](std::size_t a, std::size_t b) {  // of a straight line from one knot to the other
    double sum = 0;
    for (std::size_t k = a + 1; k < b; ++k) {
      const double share = (knots[k] - knots[a]) / (knots[b] - knots[a]);
      const double miss = curve[a] + share * (curve[b] - curve[a]) - curve[k];
      sum += masses[k] * miss * miss;
    }
    return sum;
  };
  std::vector<std::size_t> kept(knots.size());
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  double total = 0;
  while (kept.size() > 2) {
    std::size_t best = 0;
    double least = HUGE_VAL;
    for (std::size_t k = 1; k + 1 < kept.size(); ++k) {
      if (is_node[kept[k]] != 0) continue;
      const double more = error(kept[k - 1], kept[k + 1]) - error(kept[k - 1], kept[k]) - error(kept[k], kept[k + 1]);
      if (more >= least) continue;
      least = more;
      best = k;
    }
    if (best == 0 || total + least > allowed) break;
    total += least;
    kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return kept;
}

}  // namespace

void drop_knots(Encoder& encoder, Terms& terms, const EncodedRows& rows) {
  constexpr double tolerance = 0.01;  // of the spread of the scores, root mean square over the rows
  const std::vector<double> scores = score_rows(encoder, terms, rows);
  double mean = 0;
  double squares = 0;
  for (const double score : scores) {
    mean += score / static_cast<double>(scores.size());
    squares += score * score / static_cast<double>(scores.size());
  }
  const double allowed = tolerance * tolerance * std::max(squares - mean * mean, 0.0);
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    AttributeEncoder& attribute = encoder.attributes[j];
    const std::size_t count = attribute.knots.size();
    if (count < 3) continue;
    std::vector<char> is_node(count);
    for_each_grid_knot(terms, j, [&](std::size_t& k) { is_node[k] = 1; });
    const std::vector<double>& curve = terms.curves[j];
    const auto kept = bending_knots(attribute.knots, curve, knot_masses(encoder, j, rows), is_node, allowed);
    std::vector<double> knots;
    std::vector<double> values;
    std::vector<std::size_t> number(count);
    for (const std::size_t k : kept) {
      number[k] = knots.size();
      knots.push_back(attribute.knots[k]);
      values.push_back(curve[k]);
    }
    values.insert(values.end(), curve.begin() + static_cast<std::ptrdiff_t>(count), curve.end());
    for_each_grid_knot(terms, j, [&](std::size_t& k) { k = number[k]; });
    terms.curves[j] = std::move(values);
    set_knots(attribute, std::move(knots));
  }
  number_coordinates(encoder);
}

void round_values(const Encoder& encoder, double score_range, Terms& terms) {
  constexpr int digits = 4;
  if (!(score_range > 0)) return;
  const int decimals = std::clamp(digits - static_cast<int>(std::floor(std::log10(score_range))), 0, 300);
  terms.base = rounded(terms.base, decimals);
  for (auto& curve : terms.curves) {
    for (double& value : curve) value = rounded(value, decimals);
  }
  for (Surface& surface : terms.surfaces) {
    for (double& value : surface.values) value = rounded(value, decimals);
  }
  const double step = std::pow(10.0, -decimals);
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    const AttributeEncoder& attribute = encoder.attributes[j];
    if (attribute.direction == Direction::none || attribute.knots.size() < 2) continue;
    double lift = 0;
    const Steps steps = steps_of(encoder, terms, j);
    for (int c = 0; c < attribute.segment_count(); ++c) {
      const double least = steps.least[static_cast<std::size_t>(c)];
      if (least < 0) lift += std::ceil(-least / step) * step;
      double& value = terms.curves[j][stop_position(attribute, {static_cast<std::uint32_t>(c), 1}).high];
      value = rounded(value + lift, decimals);
    }
  }
}

Certificate certify(const Encoder& encoder, const Terms& terms) {
  constexpr double rounding = 1e-12;
  Certificate certificate;
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    Certificate::Entry& entry = certificate.attributes.emplace_back();
    entry.direction = encoder.attributes[j].direction;
    if (entry.direction == Direction::none) continue;
    entry.holds = true;
    entry.least_slope = HUGE_VAL;
    if (encoder.attributes[j].knots.size() < 2) {
      entry.least_slope = 0;
      continue;
    }
    const Steps steps = steps_of(encoder, terms, j);
    for (std::size_t c = 0; c < steps.least.size(); ++c) {
      entry.least_slope = std::min(entry.least_slope, steps.least[c]);
      entry.holds = entry.holds && steps.least[c] >= -rounding * steps.size[c];
    }
    certificate.holds = certificate.holds && entry.holds;
  }
  return certificate;
}

std::vector<double> least_surface_steps(const Encoder& encoder, const Terms& terms, std::size_t attribute,
                                        Direction direction) {
  Encoder turned = encoder;
  turned.attributes[attribute].direction = direction;
  Terms surfaces = terms;
  std::fill(surfaces.curves[attribute].begin(), surfaces.curves[attribute].end(), 0.0);
  return steps_of(turned, surfaces, attribute).least;
}

}  // namespace xofm::detail
