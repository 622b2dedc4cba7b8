#include "io/csv_infer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "core/data/calendar.hpp"
#include "io/csv_format.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

using Role = ColumnTask::Role;

// A categorical column with more levels than this, and more than half as many as rows, is taken for an identifier.
constexpr std::size_t identifier_levels = 50;

// What a number with a comma, or dates among numbers, ask for.
std::string format_hint(const Table& table, std::string_view cell) {
  double value = 0;
  if (!table.format().comma && read_number(cell, NumberFormat{.comma = true}, value) == CellKind::number) {
    return " as long as the file has decimal points; if commas are meant, add --decimal ,";
  }
  if (table.format().comma && read_number(cell, value) == CellKind::number) {
    return " as long as the file has decimal commas; if points are meant, add --decimal .";
  }
  return "";
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
      fmt::format("{} is not a number{}, but {} of the {} values are; fix the cell, or add it to the missing "
                  "values with --missing",
                  shown(place.cell), format_hint(table, place.cell), count - tally.texts, count));
}

// The first row whose level is of this kind.
std::size_t first_row_of(const ColumnTask& task, const std::vector<double>& codes, CellKind kind,
                         const NumberFormat& format) {
  std::vector<bool> wanted;
  for (const auto& level : task.levels) {
    double value = 0;
    wanted.push_back(read_number(level.text, format, value) == kind);
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

void check_levels(const Table& table, std::size_t column, const std::string& name, const ColumnTask& task,
                  const std::vector<double>& codes) {
  for (std::size_t i = 0; i < task.levels.size(); ++i) {
    if (is_utf8(task.levels[i].text)) continue;
    const auto row = std::find(codes.begin(), codes.end(), static_cast<double>(i)) - codes.begin();
    const Place place = table.place(static_cast<std::size_t>(row), column);
    table.refuse_cell(place.line, name, fmt::format("{} is not valid UTF-8; {}", shown(place.cell), encoding_hint));
  }
}

// The values of the rows that count.
std::vector<double> counting(const std::vector<double>& values, const std::vector<double>& weights) {
  std::vector<double> result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (weights[i] > 0) result.push_back(values[i]);
  }
  return result;
}

// Levels that no row has which counts leave; where they are, there is an unseen level.
void forget_levels(ColumnTask& task, std::vector<double>& codes, const std::vector<double>& counting_codes) {
  std::vector<double> code_of_level(task.levels.size(), unseen_level);
  for (const double code : counting_codes) {
    if (code >= 0) code_of_level[static_cast<std::size_t>(code)] = 0;
  }
  std::vector<Level> used;
  for (std::size_t level = 0; level < task.levels.size(); ++level) {
    if (code_of_level[level] == unseen_level) continue;
    code_of_level[level] = static_cast<double>(used.size());
    used.push_back(std::move(task.levels[level]));
  }
  task.levels = std::move(used);
  for (double& code : codes) {
    if (code >= 0) code = code_of_level[static_cast<std::size_t>(code)];
  }
}

void check_not_all_missing(const Table& table, const std::string& name, const std::vector<double>& values) {
  if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isnan(value); })) return;
  throw Error(
      ErrorCode::invalid_data,
      fmt::format("{}: column {} was asked for, but has no value in any row; leave it out", table.file(), shown(name)));
}

// "id", "client_id", "ClientID", "row no": how people call what names a row.
bool is_called_identifier(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const std::string_view word : {"id", "nr", "no", "key", "index", "uuid", "rowid", "row", "unnamed: 0"}) {
    if (lower == word) return true;
    if (word.size() > 3 || !lower.ends_with(word)) continue;
    const char before = name[name.size() - word.size() - 1];
    const char first = name[name.size() - word.size()];
    if (std::string_view("_-. ").find(before) != std::string_view::npos) return true;
    if (std::islower(static_cast<unsigned char>(before)) != 0 && first == 'I') return true;
  }
  return false;
}

// Whole numbers, all different, that count the rows or are called an identifier.
bool is_numeric_identifier(const std::string& name, const std::vector<double>& values) {
  constexpr std::size_t least_rows = 20;
  if (values.size() < least_rows) return false;
  const auto is_whole = [](double value) { return value == std::floor(value); };
  if (!std::all_of(values.begin(), values.end(), is_whole)) return false;
  const bool counts =
      std::adjacent_find(values.begin(), values.end(), [](double a, double b) { return b != a + 1; }) == values.end();
  if (counts || !is_called_identifier(name)) return counts;
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

// Why nothing can be learned from a column with these values; empty if something can.
std::string useless_reason(const std::string& name, const ColumnTask& task, const std::vector<double>& values) {
  const std::size_t rows = values.size();
  const auto is_missing = [](double value) { return std::isnan(value); };
  if (std::all_of(values.begin(), values.end(), is_missing)) return "has no value in any row";
  if (task.role == Role::text && task.levels.size() == 1 && std::none_of(values.begin(), values.end(), is_missing)) {
    return fmt::format("is {} in every row", shown(task.levels.front().text));
  }
  if (task.role == Role::text) {
    if (task.levels.size() <= identifier_levels || task.levels.size() <= rows / 2) return "";
    return fmt::format("looks like an identifier: {} different texts in {} rows", task.levels.size(), rows);
  }
  const auto differs = [&](double value) { return value != values.front(); };  // so does a missing value
  if (rows > 1 && std::none_of(values.begin(), values.end(), differs)) {
    return task.is_time ? fmt::format("is {} in every row", date_text(values.front()))
                        : fmt::format("is {} in every row", values.front());
  }
  if (!task.is_time && is_numeric_identifier(name, values)) {
    return fmt::format("looks like an identifier: {} different whole numbers", rows);
  }
  return "";
}

struct Clues {
  bool has_text = false;
  bool has_other = false;  // than dates and missing values
  bool has_date = false;
  std::size_t day_first = 0;  // cells that are certain
  std::size_t month_first = 0;
  std::string open;  // the first cell that could be both
};

void add_clue(std::string_view cell, CellKind kind, Clues& clues) {
  if (kind == CellKind::missing) return;
  clues.has_text = clues.has_text || kind == CellKind::text;
  const DateClue clue = clues.has_other || kind != CellKind::text ? DateClue::none : date_clue(cell);
  clues.has_other = clues.has_other || clue == DateClue::none;
  clues.has_date = clues.has_date || clue != DateClue::none;
  clues.day_first += clue == DateClue::day_first ? 1 : 0;
  clues.month_first += clue == DateClue::month_first ? 1 : 0;
  double day_first = 0;
  double month_first = 0;
  if (clue != DateClue::open || !clues.open.empty()) return;
  if (read_time(cell, DateOrder::day_first, day_first) && read_time(cell, DateOrder::month_first, month_first) &&
      day_first != month_first) {
    clues.open = cell;
  }
}

DateOrder order_of(const Table& table, const std::string& name, const Clues& clues) {
  if (clues.day_first == 0 && clues.month_first == 0 && !clues.open.empty()) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("{}: the dates of column {}, such as {}, do not tell whether the day or the month comes "
                            "first; write them as 2024-05-31, or leave the column out with --ignore {}",
                            table.file(), shown(name), shown(clues.open), name));
  }
  return clues.month_first > clues.day_first ? DateOrder::month_first : DateOrder::day_first;
}

}  // namespace

std::vector<ColumnGuess> guess_kinds(const Table& table, const Header& header, const ColumnPlan& plan,
                                     const MissingTokens& missing) {
  constexpr std::size_t most_bytes = std::size_t{256} << 10;
  std::vector<Clues> clues(table.column_count());
  try {
    const char* begin = table.blocks().front().begin;
    const char* stop = begin + std::min(most_bytes, static_cast<std::size_t>(table.end() - begin));
    for (const char* p = begin; p < stop;) {
      const Record record = next_record(p, table.end());
      p = record.next;
      if (table.skips(record)) continue;
      CellCursor cursor(record, table.separator());
      for (std::size_t j = 0; j < clues.size() && !cursor.done(); ++j) {
        double value = 0;
        if (!table.format().comma && cursor.number(value)) {
          clues[j].has_other = clues[j].has_other || !missing.contains(value);
          continue;
        }
        const std::string_view cell = cursor.cell();
        add_clue(cell, read_cell(cell, missing, table.format(), value), clues[j]);
      }
    }
  } catch (const Malformed&) {  // the parser will meet it again and report it
  }
  std::vector<ColumnGuess> guesses;
  for (const auto& attribute : plan.attributes) {
    const Clues& own = clues[attribute.column];
    ColumnGuess& guess = guesses.emplace_back();
    guess.is_time = own.has_date && !own.has_other && attribute.kind != AttributeKind::categorical;
    guess.kind =
        attribute.kind.value_or(own.has_text && !guess.is_time ? AttributeKind::categorical : AttributeKind::numeric);
    if (guess.is_time) guess.date_order = order_of(table, header.names[attribute.column], own);
  }
  return guesses;
}

void refuse_not_numeric(const Table& table, std::size_t column, const std::string& name, const ColumnTask& task) {
  const Tally& tally = task.tally;
  const std::size_t row = std::min(tally.first_text, tally.first_infinite);
  if (row == no_row) return;
  if (row == tally.first_infinite) refuse_infinite(table, column, name, row);
  const Place place = table.place(row, column);
  if (task.is_time) {
    table.refuse_cell(place.line, name,
                      fmt::format("{} is no date as the others in this column are; fix the cell or leave it empty",
                                  shown(place.cell)));
  }
  table.refuse_cell(place.line, name,
                    fmt::format("{} is not a number{}, but the column is numeric; fix the cell or leave it empty",
                                shown(place.cell), format_hint(table, place.cell)));
}

std::vector<InferredColumn> infer_attributes(const Table& table, const Header& header, const ColumnPlan& plan,
                                             std::vector<ColumnTask>& tasks, std::vector<Column>& columns,
                                             const std::vector<double>& weights, const MissingTokens& missing) {
  const bool all_count = std::all_of(weights.begin(), weights.end(), [](double weight) { return weight > 0; });
  std::vector<ColumnTask> late(tasks.size());
  bool any_late = false;
  for (std::size_t j = 0; j < plan.attributes.size(); ++j) {
    const std::size_t column = plan.attributes[j].column;
    const auto kind = plan.attributes[j].kind;
    const auto& name = header.names[column];
    ColumnTask& task = tasks[column];
    if (kind == AttributeKind::categorical) continue;
    if (kind == AttributeKind::numeric || task.is_time) {
      refuse_not_numeric(table, column, name, task);
    } else if (task.role == Role::text) {
      Tally tally = tally_of_levels(task, table.format());
      tally.first_text = first_row_of(task, columns[j].values(), CellKind::text, table.format());
      tally.first_infinite = first_row_of(task, columns[j].values(), CellKind::infinite, table.format());
      is_categorical(table, column, name, tally);  // a text was seen: it is, or this throws
    } else if (is_categorical(table, column, name, task.tally)) {
      late[column] = {.role = Role::text, .values = columns[j].data()};
      any_late = true;
    }
  }
  if (any_late) parse_columns(table, late, missing);
  std::vector<InferredColumn> inferred;
  for (std::size_t j = 0; j < plan.attributes.size(); ++j) {
    const std::size_t column = plan.attributes[j].column;
    if (late[column].role == Role::text) tasks[column] = std::move(late[column]);
    ColumnTask& task = tasks[column];
    auto& [attribute, useless] = inferred.emplace_back();
    attribute.name = header.names[column];
    std::vector<double>& all = columns[j].values();
    if (task.role == Role::text) check_levels(table, column, attribute.name, task, all);
    std::vector<double> some;
    if (!all_count) {
      some = counting(all, weights);
      if (task.role == Role::text) forget_levels(task, all, some);
    }
    const std::vector<double>& values = all_count ? all : some;
    if (plan.attributes[j].is_asked_for) {
      check_not_all_missing(table, attribute.name, values);
    } else {
      useless = useless_reason(attribute.name, task, values);
    }
    if (task.is_time) {
      attribute.time = TimePart::days;
      attribute.month_first = task.date_order == DateOrder::month_first;
      attribute.unit = "days since 1970-01-01";
    }
    if (task.role == Role::text) {
      attribute.kind = AttributeKind::categorical;
      for (auto& level : task.levels) attribute.levels.push_back(std::move(level.text));
    }
  }
  return inferred;
}

}  // namespace xofm::detail
