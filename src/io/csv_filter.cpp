#include "io/csv_filter.hpp"

#include "io/csv_columns.hpp"
#include "io/csv_parse.hpp"

namespace xofm::detail {

namespace {

bool matches(const std::string& cell, const std::string& value) {
  if (cell == value) return true;
  double a = 0;
  double b = 0;
  return read_number(cell, a) == CellKind::number && read_number(value, b) == CellKind::number && a == b;
}

}  // namespace

std::vector<std::size_t> rows_where(std::string_view text, const std::string& file, char separator,
                                    const std::vector<Condition>& conditions, const std::string& purpose) {
  const Header header = read_header(text, file, separator);
  const ColumnIndex index(header, file);
  const Table table(text.substr(header.size), header, file, 1 + header.line_count, default_block_bytes);
  std::vector<bool> kept(table.row_count(), true);
  for (const Condition& condition : conditions) {
    const std::size_t column = index.at(condition.column, purpose);
    std::vector<int> codes(table.row_count());
    std::vector<ColumnTask> tasks(header.names.size());
    tasks[column] = {.role = ColumnTask::Role::text, .codes = codes.data(), .keeps_missing = true};
    parse_columns(table, tasks, MissingTokens({}));
    std::vector<bool> wanted;
    for (const Level& level : tasks[column].levels) wanted.push_back(matches(level.text, condition.value));
    for (std::size_t row = 0; row < codes.size(); ++row) {
      kept[row] = kept[row] && codes[row] >= 0 && wanted[static_cast<std::size_t>(codes[row])];
    }
  }
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < kept.size(); ++row) {
    if (kept[row]) rows.push_back(row);
  }
  return rows;
}

std::vector<std::string> column_texts(std::string_view text, const std::string& file, char separator,
                                      const std::string& column, const std::string& purpose) {
  const Header header = read_header(text, file, separator);
  const Table table(text.substr(header.size), header, file, 1 + header.line_count, default_block_bytes);
  std::vector<std::string> texts(table.row_count());
  std::vector<ColumnTask> tasks(header.names.size());
  tasks[ColumnIndex(header, file).at(column, purpose)].carried = &texts;
  parse_columns(table, tasks, MissingTokens({}));
  return texts;
}

}  // namespace xofm::detail
