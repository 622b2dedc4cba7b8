#include "io/trials_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "io/csv_columns.hpp"
#include "io/csv_parse.hpp"
#include "io/csv_text.hpp"
#include "io/output_file.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

// Each fold is a training; more are taken for a column that is no fold number.
constexpr std::size_t most_folds = 1000;

struct Column {
  const char* name = "";
  std::size_t at = 0;
};

// The whole number of a cell in 1 .. most; `meaning` says what else would be wrong with it.
std::size_t whole_number(const Table& table, const Column& column, std::size_t row, double value, std::size_t most,
                         const std::string& meaning) {
  if (value >= 1 && value <= static_cast<double>(most) && value == std::floor(value)) {
    return static_cast<std::size_t>(value);
  }
  const Place place = table.place(row, column.at);
  table.refuse_cell(
      place.line, column.name,
      fmt::format("{} is not allowed; it must be a whole number from 1 to {}, {}", shown(place.cell), most, meaning));
}

// [level]: whether rows of this part are learned from.
std::vector<bool> parts_of(const Table& table, const Column& column, const std::vector<Level>& levels,
                           const std::vector<int>& codes) {
  std::vector<bool> learns;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    learns.push_back(levels[level].text == "learn");
    if (learns.back() || levels[level].text == "test") continue;
    const auto row = std::find(codes.begin(), codes.end(), static_cast<int>(level)) - codes.begin();
    const Place place = table.place(static_cast<std::size_t>(row), column.at);
    table.refuse_cell(place.line, column.name,
                      fmt::format("{} is no part; it must be learn or test", shown(place.cell)));
  }
  return learns;
}

}  // namespace

std::vector<Trial> read_trials(const std::string& path, std::size_t row_count) {
  const Text input(path);
  const std::string_view text = input.view();
  const std::string file = input_name(path);
  const Header header = read_header(text, file, '\0');
  const ColumnIndex index(header, file);
  Column trial{"trial"};
  Column row{"row"};
  Column part{"part"};
  for (Column* const column : {&trial, &row, &part}) column->at = index.at(column->name, "the splits");
  const Table table(text.substr(header.size), header, file, 1 + header.line_count, default_block_bytes);
  const std::size_t count = table.row_count();
  if (count == 0) throw Error(ErrorCode::invalid_data, fmt::format("{}: there are no rows below the header", file));

  std::vector<double> trial_numbers(count);
  std::vector<double> row_numbers(count);
  std::vector<int> part_codes(count);
  std::vector<ColumnTask> tasks(header.names.size());
  tasks[trial.at] = {.role = ColumnTask::Role::number, .values = trial_numbers.data()};
  tasks[row.at] = {.role = ColumnTask::Role::number, .values = row_numbers.data()};
  tasks[part.at] = {.role = ColumnTask::Role::text, .codes = part_codes.data(), .keeps_missing = true};
  parse_columns(table, tasks, MissingTokens({""}));

  const std::vector<bool> learns = parts_of(table, part, tasks[part.at].levels, part_codes);
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < count; ++i) {
    // A trial has two rows at least, so numbers without gaps cannot be greater than the number of rows.
    const std::size_t t = whole_number(table, trial, i, trial_numbers[i], count, "trials being numbered without gaps");
    const std::size_t r = whole_number(table, row, i, row_numbers[i], row_count, "a row of the data");
    if (t > trials.size()) trials.resize(t);
    (learns[static_cast<std::size_t>(part_codes[i])] ? trials[t - 1].learning : trials[t - 1].holdout).push_back(r - 1);
  }
  for (auto& [learning, holdout] : trials) {
    std::sort(learning.begin(), learning.end());
    std::sort(holdout.begin(), holdout.end());
  }
  return trials;
}

void write_trials(OutputFile& file, const std::vector<Trial>& trials) {
  file.write("trial,row,part\n");
  for (std::size_t t = 0; t < trials.size(); ++t) {
    std::vector<std::pair<std::size_t, const char*>> rows;
    for (const std::size_t row : trials[t].learning) rows.emplace_back(row, "learn");
    for (const std::size_t row : trials[t].holdout) rows.emplace_back(row, "test");
    std::sort(rows.begin(), rows.end());
    std::string text;
    for (const auto& [row, part] : rows) fmt::format_to(std::back_inserter(text), "{},{},{}\n", t + 1, row + 1, part);
    file.write(text);
  }
}

std::vector<int> read_fold_column(std::string_view text, const std::string& file, const std::string& column,
                                  char separator) {
  const Header header = read_header(text, file, separator);
  const std::size_t at = ColumnIndex(header, file).at(column, "--fold-column");
  const Table table(text.substr(header.size), header, file, 1 + header.line_count, default_block_bytes);
  std::vector<int> folds(table.row_count());
  std::vector<ColumnTask> tasks(header.names.size());
  tasks[at] = {.role = ColumnTask::Role::text, .codes = folds.data()};
  parse_columns(table, tasks, MissingTokens({""}));
  const auto missing = std::find(folds.begin(), folds.end(), -1);
  if (missing != folds.end()) {
    const Place place = table.place(static_cast<std::size_t>(missing - folds.begin()), at);
    table.refuse_cell(place.line, column, "the cell is empty; every row needs a fold");
  }
  if (tasks[at].levels.size() > most_folds) {
    throw Error(
        ErrorCode::invalid_data,
        fmt::format("{}: the fold column {} has {} different values; at most {} are allowed, each is a training", file,
                    shown(column), tasks[at].levels.size(), most_folds));
  }
  return folds;
}

}  // namespace xofm::detail
