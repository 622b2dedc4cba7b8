// A model as one SELECT: each step is a common table expression that adds columns to the one before.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "io/csv_number.hpp"
#include "io/export/literals.hpp"
#include "io/export/sql_dialect.hpp"
#include "io/export/writers.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

using Texts = std::vector<std::string>;

std::string plus(double value, const SqlWriter& sql) {
  return fmt::format(" {} {}", value < 0 ? '-' : '+', sql.number(std::abs(value)));
}

class Query {
 public:
  Query(const ExportModel& made, const ExportOptions& options)
      : made_(made), options_(options), sql_(options.dialect) {}

  std::string text() {
    check_columns();
    add_input();
    add_values();
    add_places();
    add_parts();
    add_reasons();
    return fmt::format("WITH\n{}\n{}\n", fmt::join(steps_, ",\n"), result());
  }

 private:
  // Columns of the table that would be taken for one another.
  void check_columns() const {
    std::map<std::string, std::string> seen;
    const auto folded = [&](std::string name) {
      constexpr std::size_t most_bytes = 63;
      if (options_.dialect == SqlDialect::postgres) return name.substr(0, most_bytes);
      std::transform(name.begin(), name.end(), name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
      return name;
    };
    for (const ExportAttribute& attribute : made_.attributes) {
      for (const std::string& column : attribute.columns) {
        const auto [other, is_new] = seen.emplace(folded(column), column);
        if (is_new) continue;
        throw Error(ErrorCode::invalid_option,
                    fmt::format("the columns {} and {} are one and the same in {}: rename one and train again",
                                shown(other->second), shown(column),
                                sql_.ignores_case() ? "this dialect, where case does not matter"
                                                    : "PostgreSQL, where names have at most 63 bytes"));
      }
    }
  }

  void add_input() {
    Texts columns;
    if (!options_.id.empty()) columns.push_back(fmt::format("t.{} AS id_value", sql_.name(options_.id)));
    for (std::size_t j = 0; j < made_.attributes.size(); ++j) {
      const ExportAttribute& attribute = made_.attributes[j];
      for (std::size_t c = 0; c < attribute.columns.size(); ++c) {
        const std::string column = "t." + sql_.name(attribute.columns[c]);
        columns.push_back(fmt::format(
            "{} AS {}", attribute.reads_numbers() ? cell(attribute, column) : sql_.as_text(column), input(j, c)));
      }
    }
    if (columns.empty()) columns.push_back("1 AS nothing");
    const std::string select =
        fmt::format("  SELECT {}\n  FROM {} AS t", fmt::join(columns, ",\n    "), sql_.table(options_.table));
    last_ = "xofm_input";
    steps_.push_back(sql_.step(last_, select));
  }

  // A number as a double.
  std::string cell(const ExportAttribute& attribute, const std::string& column) const {
    if (!sql_.has_untyped_cells()) return sql_.as_double(column);
    Texts tokens = {sql_.text("")};
    for (const std::string& token : attribute.missing_texts) tokens.push_back(sql_.text(token));
    // SQLite keeps dates as texts. One that is written in another way ends the query, instead of counting by its day.
    std::string date;
    if (attribute.is_date) {
      date = fmt::format(
          "WHEN typeof({0}) = 'text' AND strftime('%s', {0}) IS NOT NULL AND {0} LIKE '____-__-__%' "
          "THEN strftime('%s', {0}) / 86400e0 WHEN typeof({0}) = 'text' AND NOT json_valid({0}) THEN json({0}) ",
          column);
    }
    return fmt::format("CASE WHEN typeof({0}) = 'text' AND trim({0}) IN ({1}) THEN NULL {3}ELSE {2} END", column,
                       fmt::join(tokens, ", "), sql_.as_double(column), date);
  }

  static std::string input(std::size_t j, std::size_t c) { return fmt::format("c{}_{}", j, c); }
  static std::string value(std::size_t j) { return fmt::format("x{}", j); }

  // Numbers without gaps where training had none; levels as the numbers of their stops.
  void add_values() {
    Texts columns;
    for (std::size_t j = 0; j < made_.attributes.size(); ++j) {
      const ExportAttribute& attribute = made_.attributes[j];
      const std::string expression = attribute.is_numeric        ? number_value(attribute, j)
                                     : attribute.from_indicators ? indicator_value(attribute, j)
                                                                 : text_value(attribute, j);
      columns.push_back(fmt::format("{} AS {}", expression, value(j)));
    }
    add_step("xofm_values", {}, columns);
  }

  std::string gap_condition(const ExportAttribute& attribute, const std::string& column) const {
    std::string condition = sql_.is_missing(column);
    for (const double gap : attribute.missing_numbers)
      condition += fmt::format(" OR {} = {}", column, sql_.number(gap));
    return condition;
  }

  std::string number_value(const ExportAttribute& attribute, std::size_t j) const {
    const std::string column = input(j, 0);
    const std::string gap = attribute.has_missing ? "NULL" : sql_.number(attribute.typical_number());
    return fmt::format("CASE WHEN {} THEN {} ELSE {} END", gap_condition(attribute, column), gap, column);
  }

  static std::size_t missing_code(const ExportAttribute& attribute) { return place_of(attribute, std::nan("")).low; }

  std::string text_value(const ExportAttribute& attribute, std::size_t j) const {
    const std::string column = input(j, 0);
    Texts tokens;
    for (const std::string& token : attribute.missing_texts) tokens.push_back(sql_.text(token));
    std::string text = fmt::format("CASE WHEN {} IS NULL{} THEN {}", column,
                                   tokens.empty() ? "" : fmt::format(" OR {} IN ({})", column, fmt::join(tokens, ", ")),
                                   missing_code(attribute));
    for (std::size_t k = 0; k < attribute.levels.size(); ++k) {
      text += fmt::format("\n      WHEN {} = {} THEN {}", column, sql_.text(attribute.levels[k]), k);
    }
    return text + fmt::format(" ELSE {} END", attribute.other_stop());
  }

  // Exactly one 1 among 0s is its level; nothing but gaps is missing.
  std::string indicator_value(const ExportAttribute& attribute, std::size_t j) const {
    Texts gaps;
    Texts clear;
    std::string sum;
    std::string level;
    for (std::size_t k = 0; k < attribute.columns.size(); ++k) {
      const std::string column = input(j, k);
      gaps.push_back("(" + gap_condition(attribute, column) + ")");
      clear.push_back(fmt::format("{0} IN ({1}, {2})", column, sql_.number(0), sql_.number(1)));
      sum += (k > 0 ? " + " : "") + column;
      level += fmt::format("{}CASE WHEN {} = {} THEN {} ELSE 0 END", k > 0 ? " + " : "", column, sql_.number(1), k);
    }
    return fmt::format("CASE WHEN {} THEN {} WHEN {} AND {} = {} THEN {} ELSE {} END", fmt::join(gaps, " AND "),
                       missing_code(attribute), fmt::join(clear, " AND "), sum, sql_.number(1), level,
                       attribute.other_stop());
  }

  // low + (x - from) / (to - from) * (high - low)
  std::string share(const std::string& x, double from, double to) const {
    if (std::isfinite(to - from)) return fmt::format("({}{}) / {}", x, plus(-from, sql_), sql_.number(to - from));
    return fmt::format("({} / {}{}) / {}", x, sql_.number(2), plus(-from / 2, sql_), sql_.number(to / 2 - from / 2));
  }

  std::string special_cases(const ExportAttribute& attribute, const std::string& x,
                            const std::function<std::string(std::size_t)>& at_stop) const {
    std::string text;
    if (attribute.has_missing) text += fmt::format(" WHEN {} IS NULL THEN {}", x, at_stop(attribute.missing_stop()));
    for (std::size_t k = 0; k < attribute.special.size(); ++k) {
      text += fmt::format(" WHEN {} = {} THEN {}", x, sql_.number(attribute.special[k]),
                          at_stop(attribute.special_stop(k)));
    }
    return text;
  }

  std::string curve(const ExportPart& part) const {
    const ExportAttribute& attribute = made_.attributes[part.first];
    const std::string x = value(part.first);
    std::string text = "CASE";
    if (!attribute.is_numeric) {
      for (std::size_t stop = 0; stop + 1 < part.values.size(); ++stop) {
        text += fmt::format(" WHEN {} = {} THEN {}", x, stop, sql_.number(part.values[stop]));
      }
      return text + fmt::format(" ELSE {} END", sql_.number(part.values.back()));
    }
    text += special_cases(attribute, x, [&](std::size_t stop) { return sql_.number(part.values[stop]); });
    const std::vector<double>& knots = attribute.knots;
    text += fmt::format(" WHEN {} <= {} THEN {}", x, sql_.number(knots[0]), sql_.number(part.values[0]));
    for (std::size_t k = 1; k < knots.size(); ++k) {
      const double step = part.values[k] - part.values[k - 1];
      text += fmt::format("\n      WHEN {} < {} THEN {}", x, sql_.number(knots[k]), sql_.number(part.values[k - 1]));
      if (step != 0) text += fmt::format("{} * {}", plus(step, sql_), share(x, knots[k - 1], knots[k]));
    }
    return text + fmt::format(" ELSE {} END", sql_.number(part.values[knots.size() - 1]));
  }

  // Node of an axis and, between two of them, how far it is to the next. Axes that several surfaces share exist once.
  void add_places() {
    Texts columns;
    for (const ExportPart& part : made_.parts) {
      if (part.kind != PartKind::surface) continue;
      for (const ExportAxis* const axis : {&part.first_axis, &part.second_axis}) {
        const auto [found, is_new] = axes_.emplace(std::pair(axis->attribute, axis->stops), axes_.size());
        const ExportAttribute& attribute = made_.attributes[axis->attribute];
        if (is_new && attribute.is_numeric) add_axis(*axis, attribute, found->second, columns);
      }
    }
    if (columns.empty()) return;
    Texts values;
    for (std::size_t j = 0; j < made_.attributes.size(); ++j) values.push_back(value(j));
    add_step("xofm_places", values, columns);
  }

  void add_axis(const ExportAxis& axis, const ExportAttribute& attribute, std::size_t index, Texts& columns) const {
    const std::string x = value(axis.attribute);
    const auto knot = [&](std::size_t node) { return attribute.knots[axis.stops[node]]; };
    const std::size_t last = axis.plain_count - 1;
    const auto node_of = [&](std::size_t stop) {
      return fmt::format("{}", std::find(axis.stops.begin(), axis.stops.end(), stop) - axis.stops.begin());
    };
    std::string nodes = "CASE" + special_cases(attribute, x, node_of);
    const auto nothing = [&](std::size_t) { return sql_.number(0); };
    std::string shares = "CASE" + special_cases(attribute, x, nothing);
    nodes += fmt::format(" WHEN {} <= {} THEN 0", x, sql_.number(knot(0)));
    shares += fmt::format(" WHEN {} <= {} THEN {}", x, sql_.number(knot(0)), sql_.number(0));
    for (std::size_t node = 1; node <= last; ++node) {
      nodes += fmt::format(" WHEN {} < {} THEN {}", x, sql_.number(knot(node)), node - 1);
      shares += fmt::format(" WHEN {} < {} THEN {}", x, sql_.number(knot(node)), share(x, knot(node - 1), knot(node)));
    }
    columns.push_back(fmt::format("{} ELSE {} END AS n{}", nodes, last, index));
    columns.push_back(fmt::format("{} ELSE {} END AS f{}", shares, sql_.number(0), index));
  }

  std::string surface(const ExportPart& part) const {
    const std::size_t width = part.second_axis.stops.size();
    const auto at = [&](std::size_t i, std::size_t j) { return part.values[i * width + j]; };
    const auto columns_of = [&](const ExportAxis& axis) {
      const std::size_t index = axes_.at({axis.attribute, axis.stops});
      const bool is_numeric = axis.plain_count > 0;
      return std::pair(is_numeric ? fmt::format("n{}", index) : value(axis.attribute), fmt::format("f{}", index));
    };
    const auto [first_node, first_share] = columns_of(part.first_axis);
    const auto [second_node, second_share] = columns_of(part.second_axis);
    std::string text = fmt::format("CASE {}", first_node);
    for (std::size_t i = 0; i < part.first_axis.stops.size(); ++i) {
      text += fmt::format("\n      WHEN {} THEN CASE {}", i, second_node);
      const bool is_between = i + 1 < part.first_axis.plain_count;
      for (std::size_t j = 0; j < width; ++j) {
        const bool is_within = j + 1 < part.second_axis.plain_count;
        text += fmt::format(" WHEN {} THEN {}", j, sql_.number(at(i, j)));
        const auto add = [&](double slope, const std::string& factor) {
          if (slope != 0) text += fmt::format("{} * {}", plus(slope, sql_), factor);
        };
        if (is_within) add(at(i, j + 1) - at(i, j), second_share);
        if (is_between) add(at(i + 1, j) - at(i, j), first_share);
        if (is_within && is_between) {
          add(at(i + 1, j + 1) - at(i + 1, j) - (at(i, j + 1) - at(i, j)), first_share + " * " + second_share);
        }
      }
      text += " END";
    }
    return text + " END";
  }

  static std::string part_column(std::size_t p) { return fmt::format("p{}", p); }

  void add_parts() {
    Texts columns;
    std::string sum = sql_.number(made_.base);
    for (std::size_t p = 0; p < made_.parts.size(); ++p) {
      const ExportPart& part = made_.parts[p];
      columns.push_back(
          fmt::format("{} AS {}", part.kind == PartKind::curve ? curve(part) : surface(part), part_column(p)));
      sum += " + " + part_column(p);
    }
    add_step("xofm_parts", {}, columns);
    add_step("xofm_scores", part_columns(), {sum + " AS total"});
  }

  Texts part_columns() const {
    Texts columns;
    for (std::size_t p = 0; p < made_.parts.size(); ++p) columns.push_back(part_column(p));
    return columns;
  }

  // Three times: the least contribution that is left, and the first part that has it.
  void add_reasons() {
    const double never =
        made_.highest_reasons ? std::numeric_limits<double>::lowest() : std::numeric_limits<double>::max();
    Texts kept = part_columns();
    kept.emplace_back("total");
    for (std::size_t r = 0; r < std::min(export_reason_count, made_.parts.size()); ++r) {
      const auto is_left = [&](std::size_t p) {
        std::string condition;
        for (std::size_t q = 0; q < r; ++q) condition += fmt::format("{}i{} <> {}", q > 0 ? " AND " : "", q, p);
        return condition;
      };
      Texts left;
      std::string which = "CASE";
      for (std::size_t p = 0; p < made_.parts.size(); ++p) {
        const std::string column = part_column(p);
        left.push_back(
            r == 0 ? column : fmt::format("CASE WHEN {} THEN {} ELSE {} END", is_left(p), column, sql_.number(never)));
        which += fmt::format(" WHEN {} = m{}{} THEN {}", column, r, r == 0 ? "" : " AND " + is_left(p), p);
      }
      const std::string extreme = made_.highest_reasons ? sql_.greatest(left) : sql_.least(left);
      add_step(fmt::format("xofm_extreme_{}", r), kept, {fmt::format("{} AS m{}", extreme, r)});
      add_step(fmt::format("xofm_reason_{}", r), kept, {fmt::format("{} END AS i{}", which, r)});
      kept.push_back(fmt::format("i{}", r));
    }
  }

  std::string probability(std::size_t h) const {
    // exp is kept within what a double can hold: PostgreSQL refuses to go beyond.
    const auto below = [&](std::size_t cut) {
      constexpr double farthest = 700;
      const std::string distance = fmt::format("{} * total{}", sql_.number(-made_.calibration.slope),
                                               plus(made_.calibration.thresholds[cut], sql_));
      return fmt::format("1 / (1 + exp({}))",
                         sql_.greatest({sql_.number(-farthest), sql_.least({sql_.number(farthest), distance})}));
    };
    const std::size_t last = made_.class_count() - 1;
    std::string share = h == 0 ? "1" : below(h - 1);
    if (h < last) share += " - " + below(h);
    return fmt::format("{} * ({}){}", sql_.number(made_.logistic_share), share, plus(made_.floor[h], sql_));
  }

  std::string result() const {
    Texts columns;
    if (!options_.id.empty()) columns.push_back("id_value AS " + sql_.name(options_.id));
    columns.push_back("total AS score");
    std::string label = made_.steps.starts.empty() ? "" : "CASE";
    const auto class_name = [&](std::size_t step) {
      return sql_.text(made_.class_names[static_cast<std::size_t>(made_.steps.classes[step])]);
    };
    for (std::size_t s = 0; s < made_.steps.starts.size(); ++s) {
      label += fmt::format(" WHEN total < {} THEN {}", sql_.number(made_.steps.starts[s]), class_name(s));
    }
    if (label.empty()) {
      label = class_name(0);
    } else {
      label += fmt::format(" ELSE {} END", class_name(made_.steps.starts.size()));
    }
    columns.push_back(label + " AS class");
    for (std::size_t h = 0; h < made_.class_count(); ++h) {
      columns.push_back(fmt::format("{} AS {}", probability(h), sql_.name("probability_" + made_.class_names[h])));
    }
    for (std::size_t r = 0; r < export_reason_count; ++r) {
      std::string reason =
          "CAST(NULL AS " + std::string(options_.dialect == SqlDialect::spark ? "STRING" : "TEXT") + ")";
      if (r < made_.parts.size()) {
        reason = fmt::format("CASE i{}", r);
        for (std::size_t p = 0; p < made_.parts.size(); ++p) {
          reason += fmt::format(" WHEN {} THEN {}", p, sql_.text(made_.parts[p].name));
        }
        reason += " END";
      }
      columns.push_back(fmt::format("{} AS reason_{}", reason, r + 1));
    }
    return fmt::format("SELECT {}\nFROM {}", fmt::join(columns, ",\n  "), last_);
  }

  // A step that adds columns to some of those of the step before.
  void add_step(const std::string& name, const Texts& kept, const Texts& added) {
    Texts columns;
    if (!options_.id.empty()) columns.push_back("id_value");
    columns.insert(columns.end(), kept.begin(), kept.end());
    columns.insert(columns.end(), added.begin(), added.end());
    if (columns.empty()) columns.push_back("1 AS nothing");
    steps_.push_back(sql_.step(name, fmt::format("  SELECT {}\n  FROM {}", fmt::join(columns, ",\n    "), last_)));
    last_ = name;
  }

  const ExportModel& made_;
  const ExportOptions& options_;
  SqlWriter sql_;
  Texts steps_;
  std::string last_;  // step
  std::map<std::pair<std::size_t, std::vector<std::size_t>>, std::size_t> axes_;
};

}  // namespace

std::string sql_select(const ExportModel& made, const ExportOptions& options) {
  if (options.table.empty()) {
    throw Error(ErrorCode::invalid_option, "SQL needs the table to read: add --table NAME");
  }
  refuse_products(made, "no SELECT");
  return Query(made, options).text();
}

}  // namespace xofm::detail
