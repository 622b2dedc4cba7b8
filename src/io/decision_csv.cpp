#include "io/decision_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "io/csv_columns.hpp"
#include "io/csv_labels.hpp"
#include "io/csv_number.hpp"
#include "io/csv_parse.hpp"
#include "io/csv_text.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

// A small file, all cells as texts.
struct Sheet {
  explicit Sheet(const std::string& path)
      : input(path),
        file(input_name(path)),
        header(read_header(input.view(), file, '\0')),
        table(input.view().substr(header.size), header, file, 1 + header.line_count, default_block_bytes),
        columns(header.names.size(), std::vector<std::string>(table.row_count())) {
    std::vector<ColumnTask> tasks(columns.size());
    for (std::size_t j = 0; j < columns.size(); ++j) tasks[j].carried = &columns[j];
    parse_columns(table, tasks, MissingTokens({}));
  }

  [[noreturn]] void refuse(std::size_t row, std::size_t column, const std::string& what) const {
    table.refuse_cell(table.place(row, column).line, header.names[column], what);
  }

  Text input;
  std::string file;
  Header header;
  Table table;
  std::vector<std::vector<std::string>> columns;
};

}  // namespace

std::vector<std::vector<double>> read_costs(const std::string& path, const Schema& schema) {
  const Sheet sheet(path);
  const ClassIndex classes(schema.class_names);
  const std::size_t count = schema.class_names.size();
  std::vector<std::optional<std::size_t>> column_of(count);
  for (std::size_t j = 1; j < sheet.columns.size(); ++j) {
    const std::optional<int> decided = classes.find(sheet.header.names[j]);
    if (!decided) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("{}: the column {} is no class of the model; the classes are {}", sheet.file,
                              shown(sheet.header.names[j]), listed(schema.class_names, 20)));
    }
    column_of[static_cast<std::size_t>(*decided)] = j;
  }
  std::vector<std::vector<double>> costs(count);
  for (std::size_t row = 0; row < sheet.table.row_count(); ++row) {
    const std::string& name = sheet.columns[0][row];
    const std::optional<int> truth = classes.find(name);
    if (!truth) {
      sheet.refuse(
          row, 0,
          fmt::format("{} is no class of the model; the classes are {}", shown(name), listed(schema.class_names, 20)));
    }
    std::vector<double>& of_truth = costs[static_cast<std::size_t>(*truth)];
    if (!of_truth.empty()) sheet.refuse(row, 0, fmt::format("the class {} has two lines; keep one", shown(name)));
    for (std::size_t h = 0; h < count; ++h) {
      if (!column_of[h]) {
        throw Error(ErrorCode::invalid_data,
                    fmt::format("{}: there is no column for the class {}", sheet.file, shown(schema.class_names[h])));
      }
      const std::string& cell = sheet.columns[*column_of[h]][row];
      double cost = 0;
      if (read_number(cell, cost) != CellKind::number) {
        sheet.refuse(row, *column_of[h], fmt::format("the cost {} is not a finite number", shown(cell)));
      }
      of_truth.push_back(cost);
    }
  }
  const auto lacking = std::find_if(costs.begin(), costs.end(), [](const auto& row) { return row.empty(); });
  if (lacking != costs.end()) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("{}: there is no line for the true class {}", sheet.file,
                            shown(schema.class_names[static_cast<std::size_t>(lacking - costs.begin())])));
  }
  return costs;
}

std::map<std::string, HandDecision> read_decisions(const std::string& path, const Schema& schema) {
  const Sheet sheet(path);
  const ColumnIndex index(sheet.header, sheet.file);
  const std::size_t id = index.at("id", "the decisions");
  const std::size_t label = index.at("class", "the decisions");
  const std::size_t reason = index.at("reason", "the decisions");
  const ClassIndex classes(schema.class_names);
  std::map<std::string, HandDecision> decisions;
  for (std::size_t row = 0; row < sheet.table.row_count(); ++row) {
    const std::string& name = sheet.columns[label][row];
    const std::optional<int> decided = classes.find(name);
    if (!decided) {
      sheet.refuse(
          row, label,
          fmt::format("{} is no class of the model; the classes are {}", shown(name), listed(schema.class_names, 20)));
    }
    if (!decisions.emplace(sheet.columns[id][row], HandDecision{*decided, sheet.columns[reason][row]}).second) {
      sheet.refuse(row, id, fmt::format("{} is decided twice; keep one line", shown(sheet.columns[id][row])));
    }
  }
  return decisions;
}

}  // namespace xofm::detail
