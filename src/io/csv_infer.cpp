#include "io/csv_infer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

using Role = ColumnTask::Role;

// A categorical column with more levels than this, and more than half as many as rows, is taken for an identifier.
constexpr std::size_t identifier_levels = 50;

// A number written with a decimal comma, as in 3,14.
bool has_decimal_comma(std::string_view cell) {
  if (std::count(cell.begin(), cell.end(), ',') != 1) return false;
  std::string with_point(cell);
  std::replace(with_point.begin(), with_point.end(), ',', '.');
  double value = 0;
  return read_number(with_point, value) == CellKind::number;
}

std::string comma_hint(std::string_view cell) {
  return has_decimal_comma(cell) ? " (numbers need a decimal point, not a comma)" : "";
}

[[noreturn]] void refuse_infinite(const Table& table, std::size_t column, const std::string& name, std::size_t row) {
  const Place place = table.place(row, column);
  table.refuse_cell(place.line, name,
                    fmt::format("the number {} is infinite; values must be finite: fix the cell, or "
                                "make it missing with --missing",
                                shown(place.cell)));
}

[[noreturn]] void refuse_mixed(const Table& table, std::size_t column, const std::string& name, std::size_t row,
                               const Tally& tally) {
  const Place place = table.place(row, column);
  const std::size_t count = tally.numbers + tally.infinite + tally.texts;
  table.refuse_cell(
      place.line, name,
      fmt::format("{} is not a number{}, but {} of the {} values are; fix the cell, add it to the missing "
                  "values with --missing, or make the column categorical with --categorical {}",
                  shown(place.cell), comma_hint(place.cell), count - tally.texts, count, name));
}

// The first row whose level is of this kind.
std::size_t first_row_of(const ColumnTask& task, const std::vector<double>& codes, CellKind kind) {
  std::vector<bool> wanted;
  for (const auto& level : task.levels) {
    double value = 0;
    wanted.push_back(read_number(level.text, value) == kind);
  }
  const auto found = std::find_if(codes.begin(), codes.end(),
                                  [&](double code) { return code >= 0 && wanted[static_cast<std::size_t>(code)]; });
  return found == codes.end() ? no_row : static_cast<std::size_t>(found - codes.begin());
}

// Whether the column is categorical; throws if it is neither that nor numeric. `tally` knows its first rows.
bool is_categorical(const Table& table, std::size_t column, const std::string& name, const Tally& tally) {
  if (tally.texts > tally.numbers + tally.infinite) return true;
  const std::size_t row = std::min(tally.first_text, tally.first_infinite);
  if (row == no_row) return false;
  if (row == tally.first_infinite) refuse_infinite(table, column, name, row);
  refuse_mixed(table, column, name, row, tally);
}

// A column of numbers with decimal commas would pass for text, and every number for a level of its own.
void check_decimal_commas(const Table& table, std::size_t column, const std::string& name, const ColumnTask& task,
                          const std::vector<double>& codes) {
  std::size_t total = 0;
  std::size_t number_like = 0;
  std::vector<bool> has_comma;
  for (const auto& level : task.levels) {
    double value = 0;
    has_comma.push_back(has_decimal_comma(level.text));
    total += level.count;
    if (has_comma.back() || read_number(level.text, value) == CellKind::number) number_like += level.count;
  }
  if (2 * number_like < total) return;
  const auto first = std::find_if(codes.begin(), codes.end(),
                                  [&](double code) { return code >= 0 && has_comma[static_cast<std::size_t>(code)]; });
  if (first == codes.end()) return;
  const Place place = table.place(static_cast<std::size_t>(first - codes.begin()), column);
  table.refuse_cell(place.line, name,
                    fmt::format("{} has a decimal comma; write numbers with a decimal point, or make the column "
                                "categorical with --categorical {}",
                                shown(place.cell), name));
}

void check_levels(const Table& table, std::size_t column, const std::string& name, const ColumnTask& task,
                  const std::vector<double>& codes, bool asked_for) {
  for (std::size_t i = 0; i < task.levels.size(); ++i) {
    if (is_utf8(task.levels[i].text)) continue;
    const auto row = std::find(codes.begin(), codes.end(), static_cast<double>(i)) - codes.begin();
    const Place place = table.place(static_cast<std::size_t>(row), column);
    table.refuse_cell(place.line, name,
                      fmt::format("{} is not valid UTF-8; save the file as UTF-8", shown(place.cell)));
  }
  if (asked_for) return;
  check_decimal_commas(table, column, name, task, codes);
  if (task.levels.size() > identifier_levels && task.levels.size() > table.row_count() / 2) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("{}: column {} has {} different texts in {} rows, which looks like an identifier; leave it "
                            "out with --ignore {}, or keep it with --categorical {}",
                            table.file(), shown(name), task.levels.size(), table.row_count(), name, name));
  }
}

void check_not_all_missing(const Table& table, const std::string& name, const ColumnTask& task) {
  if (task.tally.missing < table.row_count()) return;
  throw Error(ErrorCode::invalid_data,
              fmt::format("{}: column {} has no value in any row; leave it out with --ignore {}", table.file(),
                          shown(name), name));
}

}  // namespace

std::vector<AttributeKind> guess_kinds(const Table& table, const ColumnPlan& plan, const MissingTokens& missing) {
  constexpr std::size_t most_bytes = std::size_t{256} << 10;
  std::vector<bool> has_text(table.column_count());
  try {
    const char* begin = table.blocks().front().begin;
    const char* stop = begin + std::min(most_bytes, static_cast<std::size_t>(table.end() - begin));
    for (const char* p = begin; p < stop;) {
      const Record record = next_record(p, table.end());
      p = record.next;
      CellCursor cursor(record, table.separator());
      for (std::size_t j = 0; j < has_text.size() && !cursor.done(); ++j) {
        double value = 0;
        if (!cursor.number(value) && read_cell(cursor.cell(), missing, value) == CellKind::text) has_text[j] = true;
      }
    }
  } catch (const Malformed&) {  // the parser will meet it again and report it
  }
  std::vector<AttributeKind> kinds;
  for (const auto& attribute : plan.attributes) {
    const auto guess = has_text[attribute.column] ? AttributeKind::categorical : AttributeKind::numeric;
    kinds.push_back(attribute.kind.value_or(guess));
  }
  return kinds;
}

void refuse_not_numeric(const Table& table, std::size_t column, const std::string& name, const Tally& tally) {
  const std::size_t row = std::min(tally.first_text, tally.first_infinite);
  if (row == no_row) return;
  if (row == tally.first_infinite) refuse_infinite(table, column, name, row);
  const Place place = table.place(row, column);
  table.refuse_cell(place.line, name,
                    fmt::format("{} is not a number{}, but the column is numeric; fix the cell or leave it empty",
                                shown(place.cell), comma_hint(place.cell)));
}

std::vector<Attribute> infer_attributes(const Table& table, const Header& header, const ColumnPlan& plan,
                                        std::vector<ColumnTask>& tasks, std::vector<std::vector<double>>& columns,
                                        const MissingTokens& missing) {
  std::vector<ColumnTask> late(tasks.size());
  bool any_late = false;
  for (std::size_t j = 0; j < plan.attributes.size(); ++j) {
    const auto [column, kind] = plan.attributes[j];
    const auto& name = header.names[column];
    ColumnTask& task = tasks[column];
    check_not_all_missing(table, name, task);
    if (kind == AttributeKind::categorical) continue;
    if (kind == AttributeKind::numeric) {
      refuse_not_numeric(table, column, name, task.tally);
    } else if (task.role == Role::text) {
      Tally tally = tally_of_levels(task);
      tally.first_text = first_row_of(task, columns[j], CellKind::text);
      tally.first_infinite = first_row_of(task, columns[j], CellKind::infinite);
      is_categorical(table, column, name, tally);  // a text was seen: it is, or this throws
    } else if (is_categorical(table, column, name, task.tally)) {
      late[column] = {.role = Role::text, .values = columns[j].data()};
      any_late = true;
    }
  }
  if (any_late) parse_columns(table, late, missing);
  std::vector<Attribute> attributes;
  for (std::size_t j = 0; j < plan.attributes.size(); ++j) {
    const auto [column, kind] = plan.attributes[j];
    if (late[column].role == Role::text) tasks[column] = std::move(late[column]);
    Attribute attribute;
    attribute.name = header.names[column];
    if (tasks[column].role == Role::text) {
      attribute.kind = AttributeKind::categorical;
      check_levels(table, column, attribute.name, tasks[column], columns[j], kind.has_value());
      for (auto& level : tasks[column].levels) attribute.levels.push_back(std::move(level.text));
    }
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

}  // namespace xofm::detail
