// The scorecard as a bank prints it, as CSV. Texts that a spreadsheet would run get an apostrophe in front, unless
// `raw`.
#include <fmt/format.h>

#include <cmath>

#include "io/csv_write.hpp"
#include "io/export/points_table.hpp"
#include "io/export/writers.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

void add(std::string& text, std::string_view cell, bool raw) {
  if (!text.empty() && text.back() != '\n') text += ',';
  append_csv_text(text, cell, ',', raw);
}
void add_number(std::string& text, double value) { text += fmt::format(",{}", value); }
void add_number(std::string& text, const std::optional<double>& value) {
  text += value ? fmt::format(",{}", *value) : ",";
}

void add_cell(std::string& text, const PointCell& cell, bool raw) {
  add(text, cell.attribute, raw);
  add(text, cell.kind, raw);
  if (cell.kind == "level") {
    add(text, cell.level, raw);
    text += ',';
  } else {
    add_number(text, cell.from);
    add_number(text, cell.to);
  }
}

constexpr const char* empty_pair = ",,,,,,\n";

}  // namespace

std::string points_csv(const ExportModel& made, double points, double doubling, bool raw) {
  if (!(std::isfinite(points) && doubling > 0 && std::isfinite(doubling))) {
    throw Error(
        ErrorCode::invalid_option,
        fmt::format("--points is {} and --pdo is {}; they must be a number and a positive number", points, doubling));
  }
  if (made.has_products()) {
    throw Error(
        ErrorCode::invalid_option,
        "the model has products of all pairs of attributes, which no scorecard can list; train it with few pairs "
        "(fit --pairs auto), or export it to c, python or onnx");
  }
  const PointScale scale = point_scale(made, points, doubling);
  std::string text =
      "part,kind,from,to,points,slope,second_part,second_kind,second_from,second_to,second_slope,cross_slope\n";
  text += fmt::format("base,base,,,{},0{}", scale.at_average, empty_pair);
  for (const PointLine& line : point_lines(made, scale)) {
    add_cell(text, line.first, raw);
    add_number(text, line.points);
    add_number(text, line.slope);
    if (!line.second) {
      text += empty_pair;
      continue;
    }
    add_cell(text, *line.second, raw);
    add_number(text, line.second_slope);
    add_number(text, line.cross_slope);
    text += '\n';
  }
  const auto in_points = [&](double score) { return scale.offset + scale.factor * score; };
  // From these total points on the class is this one.
  for (std::size_t s = 0; s < made.steps.classes.size(); ++s) {
    add(text, made.class_names[static_cast<std::size_t>(made.steps.classes[s])], raw);
    text += ",class";
    add_number(text, s > 0 ? std::optional(in_points(made.steps.starts[s - 1])) : std::nullopt);
    add_number(text, s < made.steps.starts.size() ? std::optional(in_points(made.steps.starts[s])) : std::nullopt);
    text += fmt::format(",,{}", empty_pair);
  }
  // At these total points this class or a better one has even odds, and double odds `doubling` points further; each
  // class has the share `points` of strays beside it.
  for (std::size_t h = 0; h < made.class_count(); ++h) {
    add(text, made.class_names[h], raw);
    text += ",even odds";
    const double slope = made.calibration.slope;
    add_number(text, h > 0 ? std::optional(in_points(made.calibration.thresholds[h - 1] / slope)) : std::nullopt);
    text += ',';
    add_number(text, made.floor[h]);
    add_number(text, h > 0 ? scale.doubling : 0);
    text += empty_pair;
  }
  return text;
}

}  // namespace xofm::detail
