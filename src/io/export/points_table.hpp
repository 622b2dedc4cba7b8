// A scorecard as a table of points, exact: within a range points rise or fall with a slope.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/export/export_model.hpp"

namespace xofm::detail {

// points = offset + factor * score. `points` are those of the average training row; with `doubling` more of them, the
// odds of a class or a better one double (as long as strays do not matter).
struct PointScale {
  double factor = 1;
  double offset = 0;
  double at_average = 600;
  double doubling = 20;
};
// Throws Error{invalid_option} for numbers that are no scale, and for a model with products of all pairs.
PointScale point_scale(const ExportModel& made, double points, double doubling);

// One side of a line of the table: a range of numbers, a level, or what has no place among them.
struct PointCell {
  std::string kind;  // range, level, special, missing, other
  std::string attribute;
  std::string level = {};
  std::optional<double> from = {};  // range, special
  std::optional<double> to = {};
  double origin = 0;  // slopes count from here
};

// points + slope (x - x.origin) + second_slope (y - y.origin) + cross_slope (x - x.origin) (y - y.origin)
struct PointLine {
  PointCell first;
  std::optional<PointCell> second = {};  // of a pair
  double points = 0;
  double slope = 0;
  double second_slope = 0;
  double cross_slope = 0;
};

// Of every part, in their order; a missing value that training never had stands where the typical one is.
std::vector<PointLine> point_lines(const ExportModel& made, const PointScale& scale);

// The class of total points from `from` up to `to`.
struct PointClass {
  std::string name;
  std::optional<double> from = {};
  std::optional<double> to = {};
};
std::vector<PointClass> point_classes(const ExportModel& made, const PointScale& scale);

// At these total points this class or a better one has even odds, and double odds `doubling` points further; beside
// that, each class has a share of strays.
struct PointOdds {
  std::string name;
  std::optional<double> even = {};  // not of the lowest class
  double strays = 0;
  double doubling = 0;
};
std::vector<PointOdds> point_odds(const ExportModel& made, const PointScale& scale);

}  // namespace xofm::detail
