// The scorecard as a workbook: a sheet that scores a case that is typed in, by formulas over the table of points.
//
// Whatever is typed becomes the number of a line: ranges first, then special values, missing, other. Everything that
// was trained is in cells, not in formulas: a spreadsheet keeps 17 digits of the former and 15 of the latter.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/export/points_table.hpp"
#include "io/export/workbook.hpp"
#include "io/export/writers.hpp"

namespace xofm::detail {

namespace {

// Columns of the sheet "Score".
enum : int {
  name_column = 1,
  value_column,
  note_column,
  label_column = 5,
  result_column,
  part_column = 8,
  points_column,
  rank_column,
  line_column = 12,
  number_column,
  pair_line_column,
  above_column
};
constexpr std::size_t first_row = 4;

// A spreadsheet counts days from the end of 1899: dates are typed and shown as such.
constexpr double days_before_1970 = 25569;
double shown_number(bool is_date, double value) { return is_date ? value + days_before_1970 : value; }

std::string fixed(const std::string& cell) {  // B7 -> $B$7
  const std::size_t digits = cell.find_first_of("0123456789");
  return fmt::format("${}${}", cell.substr(0, digits), cell.substr(digits));
}

class Card {
 public:
  Card(const ExportModel& made, const PointScale& scale) : made_(made), scale_(scale) {
    for (const ExportAttribute& attribute : made.attributes) {
      if (attribute.is_date) dates_.insert(attribute.name);
    }
  }

  std::string bytes() {
    add_points();
    add_heads();
    for (const ExportAttribute& attribute : made_.attributes) add_attribute(attribute);
    for (std::size_t p = 0; p < made_.parts.size(); ++p) add_part(p);
    add_results();
    return workbook({&score_, &points_, &values_});
  }

 private:
  // The scorecard: the columns of the CSV.
  void add_points() {
    constexpr const char* heads[] = {"part",        "kind",      "from",         "to",
                                     "points",      "slope",     "second_part",  "second_kind",
                                     "second_from", "second_to", "second_slope", "cross_slope"};
    for (int c = 0; c < static_cast<int>(std::size(heads)); ++c) points_.text(c + 1, 1, heads[c], CellStyle::heading);
    points_.width(1, 24);
    points_.width(7, 24);
    std::size_t row = 2;
    points_.text(1, row, "base");
    points_.text(2, row, "base");
    points_.number(5, row, scale_.at_average);
    const auto add_side = [&](int column, const PointCell& side) {
      points_.text(column, row, side.attribute);
      points_.text(column + 1, row, side.kind);
      if (side.kind == "level") points_.text(column + 2, row, side.level);
      const bool is_date = dates_.contains(side.attribute);
      const CellStyle style = is_date ? CellStyle::date : CellStyle::plain;
      if (side.from) points_.number(column + 2, row, shown_number(is_date, *side.from), style);
      if (side.to) points_.number(column + 3, row, shown_number(is_date, *side.to), style);
    };
    std::string last;
    for (const PointLine& line : point_lines(made_, scale_)) {
      ++row;
      // Lines of a part follow one another, in the order of the parts.
      const std::string part = line.first.attribute + '\0' + (line.second ? line.second->attribute : "");
      if (part != last) part_rows_.push_back(row);
      last = part;
      add_side(1, line.first);
      points_.number(5, row, line.points);
      points_.number(6, row, line.slope);
      if (!line.second) continue;
      add_side(7, *line.second);
      points_.number(11, row, line.second_slope);
      points_.number(12, row, line.cross_slope);
    }
    part_rows_.push_back(row + 1);
    class_row_ = row + 1;
    for (const PointClass& step : point_classes(made_, scale_)) {
      ++row;
      points_.text(1, row, step.name);
      points_.text(2, row, "class");
      if (step.from) points_.number(3, row, *step.from);
      if (step.to) points_.number(4, row, *step.to);
    }
    odds_row_ = row + 1;
    for (const PointOdds& odds : point_odds(made_, scale_)) {
      ++row;
      points_.text(1, row, odds.name);
      points_.text(2, row, "even odds");
      if (odds.even) points_.number(3, row, *odds.even);
      points_.number(5, row, odds.strays);
      points_.number(6, row, odds.doubling);
    }
  }

  void add_heads() {
    score_.text(1, 1, "Type a case into the marked cells of column B; an empty cell is a missing value.",
                CellStyle::heading);
    constexpr std::pair<int, const char*> heads[] = {
        {name_column, "column"},   {value_column, "value"},    {note_column, "note"},   {label_column, "result"},
        {part_column, "part"},     {points_column, "points"},  {rank_column, "reason"}, {line_column, "line"},
        {number_column, "number"}, {pair_line_column, "line"}, {above_column, "above"}};
    for (const auto& [column, head] : heads) score_.text(column, first_row - 1, head, CellStyle::heading);
    for (const int column : {name_column, label_column, part_column}) score_.width(column, 24);
    score_.width(value_column, 16);
    score_.width(note_column, 30);
    score_.width(result_column, 16);
    for (int column = line_column; column <= above_column; ++column) score_.width(column, 8, true);
    values_.text(1, 1, "What the sheet Score looks up: typed values, the numbers of their lines; knots.",
                 CellStyle::heading);
    values_.text(1, 2, "points of score 0");
    values_.number(2, 2, scale_.offset);
    values_.text(1, 3, "points of a score of 1 more");
    values_.number(2, 3, scale_.factor);
    values_row_ = 4;
  }

  // Adds lines to the sheet of values, and says which.
  template <class Values>
  std::pair<std::size_t, std::size_t> add_values(const std::string& name, const Values& values) {
    const std::size_t from = values_row_;
    for (const auto& [value, line] : values) {
      values_.text(1, values_row_, name);
      if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
        values_.number(2, values_row_, value);
      } else {
        values_.text(2, values_row_, value);
      }
      values_.number(3, values_row_++, static_cast<double>(line));
    }
    return {from, values_row_ - 1};
  }

  void add_attribute(const ExportAttribute& attribute) {
    const std::size_t row = next_row_;
    rows_.push_back(row);
    for (const std::string& column : attribute.columns) {
      score_.text(name_column, next_row_, column);
      score_.empty(value_column, next_row_,
                   attribute.is_date           ? CellStyle::date_input
                   : attribute.reads_numbers() ? CellStyle::number_input
                                               : CellStyle::text_input);
      ++next_row_;
    }
    const std::string typed = cell_name(value_column, row);
    const std::string line = cell_name(line_column, row);
    if (attribute.is_numeric) {
      add_number(attribute, typed, line, row);
    } else if (attribute.from_indicators) {
      add_indicators(attribute, row);
    } else {
      add_text(attribute, typed, row);
    }
    if (attribute.is_numeric) return;
    const std::size_t count = attribute.levels.size();
    score_.formula(note_column, row,
                   fmt::format(R"(IF({0}={1},"missing",IF({0}={2},"not in training","")))", line, count, count + 1));
  }

  void add_number(const ExportAttribute& attribute, const std::string& typed, const std::string& line,
                  std::size_t row) {
    const std::size_t knots = attribute.knots.size();
    const std::size_t missing = knots + 1 + attribute.special.size();
    std::vector<std::pair<double, std::size_t>> exact;
    for (const double gap : attribute.missing_numbers)
      exact.emplace_back(shown_number(attribute.is_date, gap), missing);
    for (std::size_t k = 0; k < attribute.special.size(); ++k)
      exact.emplace_back(shown_number(attribute.is_date, attribute.special[k]), knots + 1 + k);
    std::vector<std::pair<double, std::size_t>> ranges;
    for (std::size_t k = 0; k < knots; ++k)
      ranges.emplace_back(shown_number(attribute.is_date, attribute.knots[k]), k + 1);
    const auto [first, last] = add_values(attribute.name, ranges);
    std::string found = fmt::format("SUMPRODUCT(--({}<={}))", cell_range(2, first, last, "Values"), typed);
    if (!exact.empty()) {
      const auto [from, to] = add_values(attribute.name, exact);
      found = fmt::format("IFERROR(INDEX({},MATCH({},{},0)),{})", cell_range(3, from, to, "Values"), typed,
                          cell_range(2, from, to, "Values"), found);
    }
    score_.formula(line_column, row, fmt::format("IF(ISNUMBER({}),{},{})", typed, found, missing));
    score_.formula(number_column, row, fmt::format("IF(ISNUMBER({0}),{0},0)", typed));
    const auto knot = [](std::size_t at) { return fmt::format("Values!{}", fixed(cell_name(2, at))); };
    // A date would be shown as a number of days.
    const auto beyond = [&](const char* side, std::size_t at) {
      return attribute.is_date ? fmt::format("\"{} training\"", side)
                               : fmt::format("\"{} training: as \"&{}", side, knot(at));
    };
    const std::string above =
        fmt::format("IF(AND({}={},{}>{}),{},\"\")", line, knots, typed, knot(last), beyond("above", last));
    score_.formula(
        note_column, row,
        fmt::format("IF({0}={1},\"missing\",IF({0}=0,{2},{3}))", line, missing, beyond("below", first), above));
  }

  void add_text(const ExportAttribute& attribute, const std::string& typed, std::size_t row) {
    const std::size_t count = attribute.levels.size();
    std::vector<std::pair<std::string, std::size_t>> texts;
    for (std::size_t k = 0; k < count; ++k) texts.emplace_back(attribute.levels[k], k);
    for (const std::string& text : attribute.missing_texts) texts.emplace_back(text, count);
    const auto [from, to] = add_values(attribute.name, texts);
    if (count > 0) score_.propose(value_column, row, cell_range(2, from, from + count - 1, "Values"));
    // EXACT, since MATCH knows no case and takes * and ? for patterns. What is found nowhere is on the last line.
    const std::string place =
        to + 1 == from ? ""
                       : fmt::format("+SUMPRODUCT(EXACT({},{})*({}-{}))", typed, cell_range(2, from, to, "Values"),
                                     cell_range(3, from, to, "Values"), count + 1);
    score_.formula(line_column, row, fmt::format("IF(LEN({})=0,{},{}{})", typed, count, count + 1, place));
  }

  void add_indicators(const ExportAttribute& attribute, std::size_t row) {
    const std::size_t count = attribute.levels.size();
    const std::string typed = cell_range(value_column, row, row + count - 1);
    std::string known = fmt::format("COUNT({})", typed);
    std::vector<std::pair<double, std::size_t>> gaps;
    for (const double gap : attribute.missing_numbers) gaps.emplace_back(gap, count);
    if (!gaps.empty()) {
      const auto [from, to] = add_values(attribute.name, gaps);
      known += fmt::format("-SUMPRODUCT(COUNTIF({},{}))", typed, cell_range(2, from, to, "Values"));
    }
    score_.formula(line_column, row,
                   fmt::format("IF({0}=0,{1},IF(AND(COUNTIF({2},1)=1,COUNTIF({2},0)={3}),MATCH(1,{2},0)-1,{4}))", known,
                               count, typed, count - 1, count + 1));
  }

  // A line of the curve as a line of an axis, which has some of its knots.
  std::string axis_line(const ExportAxis& axis) const {
    const ExportAttribute& attribute = made_.attributes[axis.attribute];
    const std::string line = cell_name(line_column, rows_[axis.attribute]);
    if (!attribute.is_numeric || axis.plain_count == attribute.knots.size()) return line;
    std::string lines;
    for (std::size_t range = 0; range <= attribute.knots.size(); ++range) {
      const auto end = axis.stops.begin() + static_cast<std::ptrdiff_t>(axis.plain_count);
      lines +=
          fmt::format("{},", std::count_if(axis.stops.begin(), end, [&](std::size_t stop) { return stop < range; }));
    }
    for (std::size_t k = 0; k <= attribute.special.size(); ++k) lines += fmt::format("{},", axis.plain_count + 1 + k);
    lines.pop_back();
    return fmt::format("INDEX({{{}}},1,{}+1)", lines, line);
  }

  void add_part(std::size_t p) {
    const ExportPart& part = made_.parts[p];
    const std::size_t row = first_row + p;
    const bool is_pair = part.kind == PartKind::surface;
    score_.text(part_column, row, part.name);
    std::string line = cell_name(line_column, rows_[part.first]);
    if (is_pair) {
      const ExportAttribute& second = made_.attributes[part.second];
      const std::size_t width =
          part.second_axis.stops.size() + (second.is_numeric ? 1 : 0) + (second.has_missing ? 0 : 1);
      score_.formula(pair_line_column, row,
                     fmt::format("{}*{}+{}", axis_line(part.first_axis), width, axis_line(part.second_axis)));
      line = cell_name(pair_line_column, row);
    }
    const auto at = [&](int column) {
      return fmt::format("INDEX({},{}+1)", cell_range(column, part_rows_[p], part_rows_[p + 1] - 1, "Points"), line);
    };
    const auto beyond = [&](std::size_t attribute, int from) {
      return fmt::format("({}-{})", cell_name(number_column, rows_[attribute]), at(from));
    };
    const bool first_slopes = made_.attributes[part.first].is_numeric;
    const bool second_slopes = is_pair && made_.attributes[part.second].is_numeric;
    std::string sum = at(5);
    if (first_slopes) sum += fmt::format("+{}*{}", at(6), beyond(part.first, 3));
    if (second_slopes) sum += fmt::format("+{}*{}", at(11), beyond(part.second, 9));
    if (first_slopes && second_slopes)
      sum += fmt::format("+{}*{}*{}", at(12), beyond(part.first, 3), beyond(part.second, 9));
    score_.formula(points_column, row, sum, CellStyle::rounded);
    // Its place among the reasons; equal ones by their order.
    const std::string own = cell_name(points_column, row);
    const std::string all = cell_range(points_column, first_row, first_row + made_.parts.size() - 1);
    std::string rank = fmt::format("1+SUMPRODUCT(--({}{}{}))", all, made_.highest_reasons ? ">" : "<", own);
    if (p > 0) rank += fmt::format("+SUMPRODUCT(--({}={}))", cell_range(points_column, first_row, row - 1), own);
    score_.formula(rank_column, row, rank);
  }

  void add_results() {
    std::size_t row = first_row;
    const auto add = [&](const std::string& label, const std::string& formula, CellStyle style = CellStyle::plain) {
      score_.text(label_column, row, label);
      score_.formula(result_column, row, formula, style);
      return cell_name(result_column, row++);
    };
    const std::size_t parts = made_.parts.size();
    std::string sum = "Points!$E$2";
    if (parts > 0) sum += fmt::format("+SUM({})", cell_range(points_column, first_row, first_row + parts - 1));
    const std::string total = add("points", sum, CellStyle::rounded);
    add("score", fmt::format("({}-Values!$B$2)/Values!$B$3", total));
    const std::string names = cell_range(1, class_row_, odds_row_ - 1, "Points");
    const std::string steps =
        odds_row_ - class_row_ > 1
            ? fmt::format("SUMPRODUCT(--({}<={}))", cell_range(3, class_row_ + 1, odds_row_ - 1, "Points"), total)
            : "0";
    add("class", fmt::format("INDEX({},{}+1)", names, steps));
    for (std::size_t r = 1; r <= export_reason_count; ++r) {
      const auto range = [&](int column) {
        return cell_range(column, first_row, first_row + std::max<std::size_t>(parts, 1) - 1);
      };
      add(fmt::format("reason {}", r),
          fmt::format(R"(IFERROR(INDEX({},MATCH({},{},0)),""))", range(part_column), r, range(rank_column)));
    }
    score_.text(label_column, row++, "probabilities", CellStyle::heading);
    const std::size_t classes = made_.class_count();
    const auto strays = [&](std::size_t h) { return cell_range(5, odds_row_ + h, odds_row_ + classes - 1, "Points"); };
    for (std::size_t h = 0; h < classes; ++h) {
      // Of this class or a better one.
      const auto odds = [&](int column) { return fmt::format("Points!{}", fixed(cell_name(column, odds_row_ + h))); };
      const std::string above = h == 0 ? "1"
                                       : fmt::format("SUM({})+(1-SUM({}))/(1+2^MAX(-1000,MIN(1000,({}-{})/{})))",
                                                     strays(h), strays(0), odds(3), total, odds(6));
      score_.formula(above_column, row, above);
      const std::string next = h + 1 < classes ? cell_name(above_column, row + 1) : "0";
      add(made_.class_names[h], fmt::format("{}-{}", cell_name(above_column, row), next), CellStyle::percent);
    }
  }

  const ExportModel& made_;
  const PointScale& scale_;
  Sheet score_{"Score"};
  Sheet points_{"Points"};
  Sheet values_{"Values"};
  std::set<std::string> dates_;
  std::vector<std::size_t> part_rows_;  // on Points; and the row after the last
  std::size_t class_row_ = 0;
  std::size_t odds_row_ = 0;
  std::vector<std::size_t> rows_;  // of attributes on Score
  std::size_t next_row_ = first_row;
  std::size_t values_row_ = 0;
};

}  // namespace

std::string points_workbook(const ExportModel& made, double points, double doubling) {
  return Card(made, point_scale(made, points, doubling)).bytes();
}

}  // namespace xofm::detail
