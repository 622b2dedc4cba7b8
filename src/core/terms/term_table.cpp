#include "core/terms/term_table.hpp"

#include <algorithm>
#include <numeric>

namespace xofm {

namespace {

std::size_t extra_stops(const AttributeEncoder& attribute) {
  return attribute.special.size() + (attribute.has_missing ? 1 : 0) +
         (attribute.kind == AttributeKind::categorical ? 1 : 0);
}

// Knots or levels.
std::size_t plain_stops(const AttributeEncoder& attribute) {
  return attribute.kind == AttributeKind::categorical ? static_cast<std::size_t>(attribute.level_count)
                                                      : attribute.knots.size();
}

}  // namespace

bool has_curve(const Terms& terms, std::size_t attribute) {
  const std::vector<double>& curve = terms.curves[attribute];
  return std::any_of(curve.begin(), curve.end(), [](double value) { return value != 0; });
}

std::size_t term_count(const Terms& terms) {
  std::size_t count = terms.surfaces.size();
  for (std::size_t j = 0; j < terms.curves.size(); ++j) count += has_curve(terms, j) ? 1 : 0;
  return count;
}

std::size_t stop_count(const AttributeEncoder& attribute) { return plain_stops(attribute) + extra_stops(attribute); }

std::size_t node_count(const AttributeEncoder& attribute, const std::vector<std::size_t>& knots) {
  const std::size_t plain = attribute.kind == AttributeKind::categorical ? plain_stops(attribute) : knots.size();
  return plain + extra_stops(attribute);
}

namespace detail {

StopPosition stop_position(const AttributeEncoder& attribute, Position position) {
  const std::size_t plain = plain_stops(attribute);
  if (attribute.kind == AttributeKind::categorical) {
    const std::size_t stop = position.fraction > 0 ? position.coordinate : stop_count(attribute) - 1;  // 0: other
    return {stop, stop, 0};
  }
  const auto segments = static_cast<std::size_t>(attribute.segment_count());
  if (position.coordinate >= segments) {  // special, missing
    const std::size_t stop = plain + position.coordinate - segments;
    return {stop, stop, 0};
  }
  if (plain == 1) return {0, 0, 0};
  if (attribute.direction != Direction::decreasing) {
    return {position.coordinate, position.coordinate + std::size_t{1}, position.fraction};
  }
  const std::size_t from = plain - 1 - position.coordinate;
  return {from, from - 1, position.fraction};
}

std::vector<double> places_on_axis(const AttributeEncoder& attribute, const std::vector<std::size_t>& knots) {
  std::vector<double> places;
  if (attribute.kind == AttributeKind::categorical) {
    for (std::size_t stop = 0; stop < stop_count(attribute); ++stop) places.push_back(static_cast<double>(stop));
    return places;
  }
  std::size_t node = 0;
  for (std::size_t k = 0; k < attribute.knots.size(); ++k) {
    while (node + 2 < knots.size() && knots[node + 1] <= k) ++node;
    if (knots.size() < 2) {
      places.push_back(0);
      continue;
    }
    const double low = attribute.knots[knots[node]];
    const double high = attribute.knots[knots[node + 1]];
    places.push_back(static_cast<double>(node) + (attribute.knots[k] / 2 - low / 2) / (high / 2 - low / 2));
  }
  for (std::size_t k = 0; k < extra_stops(attribute); ++k) places.push_back(static_cast<double>(knots.size() + k));
  return places;
}

AxisPosition axis_position(double place, std::size_t count) {
  const auto node = std::min(static_cast<std::size_t>(place), count - 1);
  return {node, std::min(node + 1, count - 1), place - static_cast<double>(node)};
}

NodeAxis::NodeAxis(const Encoder& all, std::size_t j)
    : attribute(j),
      count(stop_count(all.attributes[j])),
      plain(all.attributes[j].knots.size()),
      direction(all.attributes[j].direction),
      places(count),
      encoder(&all.attributes[j]) {
  std::iota(places.begin(), places.end(), 0.0);
}

NodeAxis::NodeAxis(const Encoder& all, std::size_t j, const std::vector<std::size_t>& knots)
    : attribute(j),
      count(node_count(all.attributes[j], knots)),
      plain(knots.size()),
      direction(all.attributes[j].direction),
      places(places_on_axis(all.attributes[j], knots)),
      encoder(&all.attributes[j]) {}

AxisPosition NodeAxis::at(const EncodedRows& rows, std::size_t row) const {
  const std::size_t cell = row * rows.attribute_count + attribute;
  const StopPosition stop = stop_position(*encoder, {rows.coordinates[cell], rows.fractions[cell]});
  return axis_position(places[stop.low] + stop.fraction * (places[stop.high] - places[stop.low]), count);
}

std::vector<TermTable::Line> TermTable::lines_of(const AttributeEncoder& attribute,
                                                 const std::vector<double>& at_stops) const {
  std::vector<Line> lines;
  for (int c = 0; c < attribute.coordinate_count(); ++c) {
    const auto coordinate = static_cast<std::uint32_t>(c);
    const StopPosition empty = stop_position(attribute, {coordinate, 0});
    const StopPosition full = stop_position(attribute, {coordinate, 1});
    const double start = at_stops[empty.low];
    lines.push_back({start, at_stops[full.high] - start});
  }
  return lines;
}

TermTable::TermTable(const Encoder& encoder, const Terms& terms) : encoder_(&encoder), base_(terms.base) {
  for (std::size_t j = 0; j < encoder.attributes.size(); ++j) {
    const std::vector<Line> lines = lines_of(encoder.attributes[j], terms.curves[j]);
    curves_.insert(curves_.end(), lines.begin(), lines.end());
  }
  const auto axis = [&](std::size_t j, const std::vector<std::size_t>& knots) {
    const AttributeEncoder& attribute = encoder.attributes[j];
    return Axis{j, node_count(attribute, knots), lines_of(attribute, places_on_axis(attribute, knots))};
  };
  for (const Surface& surface : terms.surfaces) {
    grids_.push_back(
        {axis(surface.first, surface.first_knots), axis(surface.second, surface.second_knots), &surface.values});
  }
}

template <class Fraction>
double TermTable::at(const Grid& grid, const std::uint16_t* coordinates, const Fraction* fractions) {
  const auto on = [&](const Axis& axis) {
    const Line& line = axis.places[coordinates[axis.attribute]];
    return axis_position(line.start + static_cast<double>(fractions[axis.attribute]) * line.step, axis.count);
  };
  const AxisPosition a = on(grid.first);
  const AxisPosition b = on(grid.second);
  const double* const near = grid.values->data() + a.node * grid.second.count;
  const double* const far = grid.values->data() + a.next * grid.second.count;
  const double at_near = near[b.node] + b.fraction * (near[b.next] - near[b.node]);
  const double at_far = far[b.node] + b.fraction * (far[b.next] - far[b.node]);
  return at_near + a.fraction * (at_far - at_near);
}

double TermTable::curve(const EncodedRows& rows, std::size_t row, std::size_t attribute) const {
  const std::size_t cell = row * rows.attribute_count + attribute;
  const Line& line = curves_[encoder_->offsets[attribute] + rows.coordinates[cell]];
  return line.start + rows.fractions[cell] * line.step;
}

double TermTable::surface(const EncodedRows& rows, std::size_t row, std::size_t surface) const {
  const std::size_t begin = row * rows.attribute_count;
  double value = 0;
  rows.fractions.visit(
      [&](const auto* fractions) { value = at(grids_[surface], rows.coordinates.data() + begin, fractions + begin); });
  return value;
}

template <class Fraction>
void TermTable::score(const EncodedRows& rows, const Fraction* all_fractions, Range range,
                      std::span<double> scores) const {
  const std::size_t m = rows.attribute_count;
  for (std::size_t i = range.begin; i < range.end; ++i) {
    const std::uint16_t* const coordinates = rows.coordinates.data() + i * m;
    const Fraction* const fractions = all_fractions + i * m;
    double score = base_;
    for (std::size_t j = 0; j < m; ++j) {
      const Line& line = curves_[encoder_->offsets[j] + coordinates[j]];
      score += line.start + static_cast<double>(fractions[j]) * line.step;
    }
    for (const Grid& grid : grids_) score += at(grid, coordinates, fractions);
    scores[i] = score;
  }
}

void TermTable::score(const EncodedRows& rows, Range range, std::span<double> scores) const {
  rows.fractions.visit([&](const auto* fractions) { score(rows, fractions, range, scores); });
}

std::vector<double> score_rows(const Encoder& encoder, const Terms& terms, const EncodedRows& rows) {
  const TermTable table(encoder, terms);
  std::vector<double> scores(rows.row_count);
  const std::size_t block_count = block_count_for(rows.row_count, 1024, 256);
  parallel_for(block_count,
               [&](std::size_t block) { table.score(rows, block_range(rows.row_count, block_count, block), scores); });
  return scores;
}

}  // namespace detail

}  // namespace xofm
