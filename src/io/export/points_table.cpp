#include "io/export/points_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

// A line of the table in one direction: the cell, its place among the nodes, and the width up to the next; 0: no slope.
struct Side {
  PointCell cell;
  std::size_t node = 0;
  double width = 0;
  // Without a stop of its own: between node and the next, so far.
  double fraction = 0;
};

// Of an axis whose nodes are these stops; `plain_count` of them are knots.
std::vector<Side> sides(const ExportAttribute& attribute, const std::vector<std::size_t>& stops,
                        std::size_t plain_count, const std::function<StopPlace(double)>& place) {
  std::vector<Side> made;
  const auto cell = [&](const char* kind) { return PointCell{.kind = kind, .attribute = attribute.name}; };
  if (attribute.is_numeric) {
    const auto knot = [&](std::size_t node) { return attribute.knots[stops[node]]; };
    for (std::size_t node = 0; node <= plain_count; ++node) {
      Side side{.cell = cell("range"), .node = node == 0 ? 0 : node - 1};
      if (node > 0) side.cell.from = knot(node - 1);
      if (node < plain_count) side.cell.to = knot(node);
      side.cell.origin = side.cell.from.value_or(0);
      if (node > 0 && node < plain_count) side.width = knot(node) - knot(node - 1);
      made.push_back(side);
    }
    for (std::size_t k = 0; k < attribute.special.size(); ++k) {
      Side side{.cell = cell("special"), .node = plain_count + k};
      side.cell.from = side.cell.to = attribute.special[k];
      made.push_back(side);
    }
  } else {
    for (std::size_t k = 0; k < attribute.levels.size(); ++k) {
      Side side{.cell = cell("level"), .node = k};
      side.cell.level = attribute.levels[k];
      made.push_back(side);
    }
  }
  const StopPlace missing = place(std::nan(""));
  made.push_back({.cell = cell("missing"), .node = missing.low, .fraction = missing.fraction});
  if (!attribute.is_numeric) made.push_back({.cell = cell("other"), .node = stops.size() - 1});
  return made;
}

std::vector<Side> curve_sides(const ExportAttribute& attribute) {
  std::vector<std::size_t> stops;
  for (std::size_t stop = 0; stop < attribute.stop_count(); ++stop) stops.push_back(stop);
  return sides(attribute, stops, attribute.knots.size(), [&](double x) { return place_of(attribute, x); });
}

std::vector<Side> axis_sides(const ExportAttribute& attribute, const ExportAxis& axis) {
  return sides(attribute, axis.stops, axis.plain_count, [&](double x) {
    const StopPlace stop = place_of(attribute, x);
    double at = axis.places[stop.low];
    if (stop.fraction > 0) at += stop.fraction * (axis.places[stop.low + 1] - at);
    const auto node = static_cast<std::size_t>(at);
    return StopPlace{node, at - static_cast<double>(node)};
  });
}

void add_curve(const ExportModel& made, const ExportPart& part, double factor, std::vector<PointLine>& lines) {
  for (const Side& side : curve_sides(made.attributes[part.first])) {
    const double value = part.values[side.node];
    PointLine line{.first = side.cell, .points = factor * value};
    if (side.fraction > 0) line.points += factor * side.fraction * (part.values[side.node + 1] - value);
    if (side.width > 0) line.slope = factor * ((part.values[side.node + 1] - value) / side.width);
    lines.push_back(std::move(line));
  }
}

void add_surface(const ExportModel& made, const ExportPart& part, double factor, std::vector<PointLine>& lines) {
  const std::size_t count = part.second_axis.stops.size();
  const auto at = [&](std::size_t i, std::size_t j) { return factor * part.values[i * count + j]; };
  const auto seconds = axis_sides(made.attributes[part.second], part.second_axis);
  for (const Side& first : axis_sides(made.attributes[part.first], part.first_axis)) {
    for (const Side& second : seconds) {
      const bool goes_on = first.width > 0 || first.fraction > 0;
      const bool second_goes_on = second.width > 0 || second.fraction > 0;
      const std::size_t i = first.node + (goes_on ? 1 : 0);
      const std::size_t j = second.node + (second_goes_on ? 1 : 0);
      // Per whole step from node to node; then by what a step is: a width, or a fixed share.
      double points = at(first.node, second.node);
      double slope = at(i, second.node) - points;
      double second_slope = at(first.node, j) - points;
      double cross = at(i, j) - at(i, second.node) - second_slope;
      points += first.fraction * slope + second.fraction * second_slope + first.fraction * second.fraction * cross;
      slope += second.fraction * cross;
      second_slope += first.fraction * cross;
      PointLine line{.first = first.cell, .second = second.cell, .points = points};
      if (first.width > 0) line.slope = slope / first.width;
      if (second.width > 0) line.second_slope = second_slope / second.width;
      if (first.width > 0 && second.width > 0) line.cross_slope = cross / first.width / second.width;
      lines.push_back(std::move(line));
    }
  }
}

}  // namespace

PointScale point_scale(const ExportModel& made, double points, double doubling) {
  if (!(std::isfinite(points) && doubling > 0 && std::isfinite(doubling))) {
    throw Error(
        ErrorCode::invalid_option,
        fmt::format("--points is {} and --pdo is {}; they must be a number and a positive number", points, doubling));
  }
  refuse_products(made, "no scorecard");
  const double factor = doubling / std::log(2.0) * made.calibration.slope;
  return {.factor = factor, .offset = points - factor * made.base, .at_average = points, .doubling = doubling};
}

std::vector<PointLine> point_lines(const ExportModel& made, const PointScale& scale) {
  std::vector<PointLine> lines;
  for (const ExportPart& part : made.parts) {
    if (part.kind == PartKind::curve) add_curve(made, part, scale.factor, lines);
    if (part.kind == PartKind::surface) add_surface(made, part, scale.factor, lines);
  }
  return lines;
}

std::vector<PointClass> point_classes(const ExportModel& made, const PointScale& scale) {
  const auto& [starts, classes] = made.steps;
  std::vector<PointClass> steps;
  for (std::size_t s = 0; s < classes.size(); ++s) {
    PointClass& step = steps.emplace_back(PointClass{made.class_names[static_cast<std::size_t>(classes[s])]});
    if (s > 0) step.from = scale.offset + scale.factor * starts[s - 1];
    if (s < starts.size()) step.to = scale.offset + scale.factor * starts[s];
  }
  return steps;
}

std::vector<PointOdds> point_odds(const ExportModel& made, const PointScale& scale) {
  std::vector<PointOdds> odds;
  for (std::size_t h = 0; h < made.class_count(); ++h) {
    PointOdds& of = odds.emplace_back(PointOdds{made.class_names[h], {}, made.floor[h]});
    if (h == 0) continue;
    of.even = scale.offset + scale.factor * (made.calibration.thresholds[h - 1] / made.calibration.slope);
    of.doubling = scale.doubling;
  }
  return odds;
}

}  // namespace xofm::detail
