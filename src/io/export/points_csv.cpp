// The scorecard as a bank prints it, as CSV. Texts that a spreadsheet would run get an apostrophe in front, unless
// `raw`.
#include <fmt/format.h>

#include "io/csv_write.hpp"
#include "io/export/points_table.hpp"
#include "io/export/writers.hpp"

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
  for (const PointClass& step : point_classes(made, scale)) {
    add(text, step.name, raw);
    text += ",class";
    add_number(text, step.from);
    add_number(text, step.to);
    text += fmt::format(",,{}", empty_pair);
  }
  for (const PointOdds& odds : point_odds(made, scale)) {
    add(text, odds.name, raw);
    text += ",even odds";
    add_number(text, odds.even);
    text += ',';
    add_number(text, odds.strays);
    add_number(text, odds.doubling);
    text += empty_pair;
  }
  return text;
}

}  // namespace xofm::detail
