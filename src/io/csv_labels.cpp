#include "io/csv_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "io/csv_columns.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

// The first row, in file order, whose level is one of the chosen; no_row if none is.
template <class Chosen>
std::size_t first_row_where(const std::vector<int>& codes, const std::vector<Level>& levels, Chosen chosen) {
  std::vector<bool> wanted;
  for (const auto& level : levels) wanted.push_back(chosen(level.text));
  const auto found =
      std::find_if(codes.begin(), codes.end(), [&](int c) { return wanted[static_cast<std::size_t>(c)]; });
  return found == codes.end() ? no_row : static_cast<std::size_t>(found - codes.begin());
}

CellKind kind_of(std::string_view label, const MissingTokens& missing) {
  double value = 0;
  return read_cell(label, missing, value);
}

// The labels in order of appearance, for a message.
std::vector<std::string> by_appearance(const std::vector<Level>& levels, const std::vector<int>& codes) {
  constexpr std::size_t enough = 10;
  std::vector<bool> seen(levels.size());
  std::vector<std::string> result;
  for (std::size_t i = 0; i < codes.size() && result.size() < std::min(enough, levels.size()); ++i) {
    const auto code = static_cast<std::size_t>(codes[i]);
    if (!seen[code]) result.push_back(levels[code].text);
    seen[code] = true;
  }
  return result;
}

// How programs write that there is no value, whatever the tokens of this file are.
bool is_no_value(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto known = {"nan", "-nan", "null", "none", "n/a", "na", "#n/a", "nil"};
  return std::find(known.begin(), known.end(), lower) != known.end();
}

[[noreturn]] void ask_for_order(const Table& table, const ColumnTask& task, const std::string& name,
                                const std::vector<int>& labels) {
  const auto seen = by_appearance(task.levels, labels);
  if (std::all_of(task.levels.begin(), task.levels.end(), [](const Level& level) { return is_no_value(level.text); })) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("{}: every label in column {} is {}, which is no class; choose another column with --label",
                            table.file(), shown(name), listed(seen, seen.size())));
  }
  std::string order;
  for (const auto& label : seen) order += (order.empty() ? "" : ",") + label;
  const bool all = seen.size() == task.levels.size();
  throw Error(
      ErrorCode::invalid_data,
      fmt::format("{}: the labels in column {} are text ({}{}) and their order is not known; give it, lowest "
                  "class first: --classes {}{}",
                  table.file(), shown(name), listed(seen, seen.size()),
                  all ? "" : fmt::format(", ... {} in all", task.levels.size()), all ? order : "low,medium,high",
                  all ? " (put these in the right order)" : " (or choose another column with --label)"));
}

// Numeric labels: equal numbers are one class, in numeric order.
std::vector<int> number_classes(const Table& table, const ColumnTask& task, std::size_t column, const std::string& name,
                                const MissingTokens& missing, std::vector<std::string>& classes,
                                const std::vector<double>& weights, const std::vector<int>& labels) {
  const auto first_of = [&](CellKind kind) {
    return first_row_where(labels, task.levels, [&](const auto& text) { return kind_of(text, missing) == kind; });
  };
  std::size_t row = first_of(CellKind::missing);
  if (row != no_row) {
    table.refuse_cell(table.place(row, column).line, name, "the label is missing; fill it in or remove the row");
  }
  const Tally tally = tally_of_levels(task, NumberFormat{});
  row = first_of(CellKind::text);
  if (row != no_row && tally.texts >= tally.numbers) ask_for_order(table, task, name, labels);
  if (row != no_row) {
    const Place place = table.place(row, column);
    table.refuse_cell(place.line, name,
                      fmt::format("the label {} is text, but most labels are numbers; fix it, or give the order of all "
                                  "classes with --classes",
                                  shown(place.cell)));
  }
  row = first_of(CellKind::infinite);
  if (row != no_row) {
    const Place place = table.place(row, column);
    table.refuse_cell(place.line, name, fmt::format("the label {} is infinite", shown(place.cell)));
  }
  std::map<double, int> class_of;
  std::vector<double> values(task.levels.size());
  for (std::size_t i = 0; i < values.size(); ++i) read_number(task.levels[i].text, values[i]);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (weights.empty() || weights[i] > 0) class_of.emplace(values[static_cast<std::size_t>(labels[i])] + 0.0, 0);
  }
  if (class_of.size() > most_numeric_classes) {
    throw Error(
        ErrorCode::invalid_data,
        fmt::format("{}: the label column {} has {} different numbers, which looks like a measurement: --bins 5 makes "
                    "5 ordered classes at its quantiles, --bins-at 10,20 three that begin where you say; or choose "
                    "another column with --label, or name the classes (255 at most) with --classes",
                    table.file(), shown(name), class_of.size()));
  }
  for (auto& [value, index] : class_of) {
    index = static_cast<int>(classes.size());
    classes.push_back(fmt::format("{}", value));
  }
  std::vector<int> class_of_level;
  for (const double value : values) {
    const auto found = class_of.find(value);
    class_of_level.push_back(found == class_of.end() ? 0 : found->second);
  }
  return class_of_level;
}

[[noreturn]] void refuse_one_class(const Table& table, const std::string& name, const std::string& label) {
  throw Error(ErrorCode::invalid_data,
              fmt::format("{}: every row has the label {} in column {}; at least two classes are needed", table.file(),
                          shown(label), shown(name)));
}

void replace_codes(std::vector<int>& labels, const std::vector<int>& class_of_level) {
  for (int& label : labels) label = class_of_level[static_cast<std::size_t>(label)];
}

}  // namespace

ClassIndex::ClassIndex(const std::vector<std::string>& names) {
  for (std::size_t h = 0; h < names.size(); ++h) {
    double value = 0;
    names_.emplace(names[h], static_cast<int>(h));
    if (read_number(names[h], value) == CellKind::number) numbers_.emplace(value, static_cast<int>(h));
  }
}

std::optional<int> ClassIndex::find(std::string_view label) const {
  const auto name = names_.find(std::string(label));
  if (name != names_.end()) return name->second;
  double value = 0;
  if (numbers_.empty() || read_number(label, value) != CellKind::number) return std::nullopt;
  const auto number = numbers_.find(value);
  return number == numbers_.end() ? std::nullopt : std::optional(number->second);
}

void check_classes(const std::vector<std::string>& classes) {
  if (classes.size() < 2) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("classes names only {}; at least two are needed", listed(classes, 1)));
  }
  std::set<std::string> names;
  std::set<double> numbers;  // "1" and "1.0" would be one class
  for (const auto& name : classes) {
    if (name.empty()) throw Error(ErrorCode::invalid_option, "classes holds an empty name");
    if (!is_utf8(name)) throw Error(ErrorCode::invalid_option, fmt::format("classes: {} is not UTF-8", shown(name)));
    double value = 0;
    const bool is_number = read_number(name, value) == CellKind::number;
    if (!names.insert(name).second || (is_number && !numbers.insert(value).second)) {
      throw Error(ErrorCode::invalid_option, fmt::format("classes names {} twice", shown(name)));
    }
  }
}

void label_rows(const Table& table, const ColumnTask& task, std::size_t column, const std::string& name,
                const MissingTokens& missing, const std::vector<std::string>& classes, const ClassIndex& index,
                std::vector<int>& labels) {
  const std::size_t row =
      first_row_where(labels, task.levels, [&](const auto& text) { return !index.find(text).has_value(); });
  if (row != no_row) {
    const Place place = table.place(row, column);
    if (missing.contains(place.cell)) {
      table.refuse_cell(place.line, name, "the label is missing; fill it in or remove the row");
    }
    table.refuse_cell(place.line, name,
                      fmt::format("the label {} is not one of the classes {}", shown(place.cell), listed(classes, 20)));
  }
  std::vector<int> class_of_level;
  for (const auto& level : task.levels) class_of_level.push_back(*index.find(level.text));
  replace_codes(labels, class_of_level);
}

void label_rows(const Table& table, const ColumnTask& task, std::size_t column, const std::string& name,
                const MissingTokens& missing, std::vector<std::string>& classes, const std::vector<double>& weights,
                std::vector<int>& labels) {
  const std::size_t broken = first_row_where(labels, task.levels, [](const auto& text) { return !is_utf8(text); });
  if (broken != no_row) {
    const Place place = table.place(broken, column);
    table.refuse_cell(place.line, name,
                      fmt::format("the label {} is not valid UTF-8; {}", shown(place.cell), encoding_hint));
  }
  if (classes.empty()) {
    replace_codes(labels, number_classes(table, task, column, name, missing, classes, weights, labels));
  } else {
    check_classes(classes);
    label_rows(table, task, column, name, missing, classes, ClassIndex(classes), labels);
  }
  refuse_one_class(table, name, classes, weights, labels);
}

void refuse_one_class(const Table& table, const std::string& name, const std::vector<std::string>& classes,
                      const std::vector<double>& weights, const std::vector<int>& labels) {
  std::set<int> seen;
  for (std::size_t i = 0; i < labels.size() && seen.size() < 2; ++i) {
    if (weights.empty() || weights[i] > 0) seen.insert(labels[i]);
  }
  if (seen.size() == 1) refuse_one_class(table, name, classes[static_cast<std::size_t>(*seen.begin())]);
}

void refuse_single_label(const Table& table, std::size_t column, const std::string& name) {
  std::optional<std::string> first;
  try {
    for (const char* p = table.blocks().front().begin; p != table.end();) {
      const Record record = next_record(p, table.end());
      p = record.next;
      if (table.skips(record)) continue;
      CellCursor cursor(record, table.separator());
      for (std::size_t j = 0; j < column && !cursor.done(); ++j) cursor.cell();
      if (cursor.done()) return;  // too few cells: the parser tells
      const std::string_view cell = cursor.cell();
      if (!first) first = cell;
      if (cell != *first || cell.empty()) return;
    }
  } catch (const Malformed&) {  // likewise
    return;
  }
  refuse_one_class(table, name, first.value_or(""));
}

void check_weights(const Table& table, std::size_t column, const std::string& name, const MissingTokens& missing,
                   const std::vector<double>& weights) {
  const auto bad = std::find_if(weights.begin(), weights.end(), [](double weight) { return !(weight >= 0); });
  if (bad == weights.end()) return;
  const Place place = table.place(static_cast<std::size_t>(bad - weights.begin()), column);
  const CellKind kind = kind_of(place.cell, missing);
  table.refuse_cell(place.line, name,
                    kind == CellKind::missing
                        ? std::string("the weight is missing; a weight is a finite number, 0 or more")
                        : fmt::format("the weight {} is {}; a weight is a finite number, 0 or more", shown(place.cell),
                                      kind == CellKind::number ? "negative"
                                      : kind == CellKind::text ? "not a number"
                                                               : "infinite"));
}

}  // namespace xofm::detail
