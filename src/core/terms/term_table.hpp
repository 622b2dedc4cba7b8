// Scores of encoded rows by curves and surfaces: one lookup per attribute, four values per surface.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/parallel.hpp"
#include "xofm/encoder.hpp"
#include "xofm/terms.hpp"

namespace xofm::detail {

// Where a position lies between two stops of its curve: low + fraction * (high - low).
struct StopPosition {
  std::size_t low = 0;
  std::size_t high = 0;
  double fraction = 0;
};

// Stops count knots upwards whatever the direction; a position counts from the top down where it is decreasing.
StopPosition stop_position(const AttributeEncoder& attribute, Position position);

// The place of every stop of the attribute on a surface's axis: node, and how far it is to the next.
std::vector<double> places_on_axis(const AttributeEncoder& attribute, const std::vector<std::size_t>& knots);

// A place on an axis of `count` nodes as the node below it and the share of the way to the next.
struct AxisPosition {
  std::size_t node = 0;
  std::size_t next = 0;
  double fraction = 0;
};
AxisPosition axis_position(double place, std::size_t count);

// One axis of a term: `plain` nodes in order (knots), then others that have none (levels, special, missing, other).
struct NodeAxis {
  std::size_t attribute = 0;
  std::size_t count = 1;
  std::size_t plain = 0;
  Direction direction = Direction::none;
  std::vector<double> places = {};  // of the stops of the attribute's curve
  const AttributeEncoder* encoder = nullptr;

  NodeAxis() = default;                                     // one node
  NodeAxis(const Encoder& encoder, std::size_t attribute);  // of a curve: its stops
  NodeAxis(const Encoder& encoder, std::size_t attribute, const std::vector<std::size_t>& knots);  // of a surface

  AxisPosition at(const EncodedRows& rows, std::size_t row) const;
};

class TermTable {
 public:
  TermTable(const Encoder& encoder, const Terms& terms);

  void score(const EncodedRows& rows, Range range, std::span<double> scores) const;

  // The parts that make up a row's score, one at a time.
  double curve(const EncodedRows& rows, std::size_t row, std::size_t attribute) const;
  double surface(const EncodedRows& rows, std::size_t row, std::size_t surface) const;

 private:
  template <class Fraction>
  void score(const EncodedRows& rows, const Fraction* all_fractions, Range range, std::span<double> scores) const;

  // Per coordinate: value at fraction 0, and what fraction 1 adds.
  struct Line {
    double start = 0;
    double step = 0;
  };
  struct Axis {
    std::size_t attribute = 0;
    std::size_t count = 0;     // of nodes
    std::vector<Line> places;  // per coordinate of the attribute
  };
  struct Grid {
    Axis first;
    Axis second;
    const std::vector<double>* values;
  };

  template <class Fraction>
  static double at(const Grid& grid, const std::uint16_t* coordinates, const Fraction* fractions);
  std::vector<Line> lines_of(const AttributeEncoder& attribute, const std::vector<double>& at_stops) const;

  const Encoder* encoder_;
  double base_;
  std::vector<Line> curves_;  // per coordinate of all attributes
  std::vector<Grid> grids_;
};

// Of all rows, on all threads.
std::vector<double> score_rows(const Encoder& encoder, const Terms& terms, const EncodedRows& rows);

}  // namespace xofm::detail
