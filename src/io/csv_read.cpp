#include "io/csv_read.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/parallel.hpp"
#include "core/data/indicators.hpp"
#include "io/csv_infer.hpp"
#include "io/csv_text.hpp"
#include "xofm/error.hpp"

namespace xofm {

namespace detail {

namespace {

using Role = ColumnTask::Role;

// From here on it pays to look for two classes before the columns, which may be many times as large, are made.
constexpr std::size_t large_text = std::size_t{16} << 20;

void allocate(std::vector<std::vector<double>>& columns, std::size_t count, std::size_t row_count) {
  columns.resize(count);
  // Most of the cost is the first touch of the pages, which the columns can do side by side.
  parallel_for(count, [&](std::size_t j) { columns[j].resize(row_count); });
}

// A file without a header whose rows are not all numbers: what stands for the name of the label is one of the labels,
// and a number stands for another name.
void refuse_label_as_name(const Header& header, const ColumnTask& task, std::size_t column, const std::string& file) {
  const std::string& label = header.names[column];
  const auto is_label = [&](const Level& level) { return level.text == label; };
  const auto is_number = [](const std::string& name) {
    double value = 0;
    return read_number(name, value) == CellKind::number;
  };
  if (std::none_of(task.levels.begin(), task.levels.end(), is_label)) return;
  if (std::none_of(header.names.begin(), header.names.end(), is_number)) return;
  throw Error(ErrorCode::invalid_data,
              fmt::format("{}: line 1 ({}) ends in {}, which is a label of the rows too, so the header seems to be "
                          "missing; put a line with the names of the columns above it. If these are the names, say "
                          "which is the label: --label {}",
                          file, listed(header.names, 5), shown(label), label));
}

}  // namespace

Dataset read_training_text(std::string_view text, const std::string& file, const CsvOptions& options,
                           std::size_t block_bytes) {
  const Header header = read_header(text, file, options.separator);
  const ColumnPlan plan = plan_training(header, options, file);
  if (!options.classes.empty()) check_classes(options.classes);
  const Table table(text.substr(header.size), header, file, 1 + header.line_count, block_bytes);
  if (table.row_count() == 0) {
    throw Error(ErrorCode::invalid_data, fmt::format("{}: there are no rows below the header", file));
  }
  const MissingTokens missing(options.missing);
  if (text.size() > large_text) refuse_single_label(table, *plan.label, header.names[*plan.label]);
  Dataset data;
  allocate(data.columns, plan.attributes.size(), table.row_count());
  data.labels.resize(table.row_count());
  if (plan.weight) data.weights.resize(table.row_count());

  std::vector<ColumnTask> tasks(header.names.size());
  tasks[*plan.label] = {.role = Role::text, .codes = data.labels.data(), .keeps_missing = true};
  if (plan.weight) tasks[*plan.weight] = {.role = Role::number, .values = data.weights.data()};
  const auto guesses = guess_kinds(table, plan, missing);
  for (std::size_t j = 0; j < plan.attributes.size(); ++j) {
    const bool is_text = guesses[j] == AttributeKind::categorical;
    tasks[plan.attributes[j].column] = {.role = is_text ? Role::text : Role::number, .values = data.columns[j].data()};
  }
  parse_columns(table, tasks, missing);
  data.schema.attributes = infer_attributes(table, header, plan, tasks, data.columns, missing);

  data.schema.label_name = header.names[*plan.label];
  data.schema.class_names = options.classes;
  data.schema.missing_tokens = options.missing;
  if (options.label.empty()) refuse_label_as_name(header, tasks[*plan.label], *plan.label, file);
  label_rows(table, tasks[*plan.label], *plan.label, data.schema.label_name, missing, data.schema.class_names,
             data.labels);
  if (plan.weight) {
    const auto& name = header.names[*plan.weight];
    check_weights(table, *plan.weight, name, missing, data.weights);
    if (std::all_of(data.weights.begin(), data.weights.end(), [](double weight) { return weight == 0; })) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("{}: every weight in column {} is 0; at least one must be more", file, shown(name)));
    }
  }
  if (!options.keep_indicators) {
    std::vector<std::string> apart = options.numeric;
    apart.insert(apart.end(), options.apart.begin(), options.apart.end());
    merge_indicators(data, apart);
  }
  return data;
}

SchemaReader::SchemaReader(const Header& header, const Schema& schema, const CsvReaderOptions& options,
                           const std::string& file)
    : wanted_(schema),
      schema_(source_schema(schema)),
      names_(header.names),
      plan_(plan_by_schema(header, schema_, options, file)),
      missing_(schema.missing_tokens),
      classes_(schema.class_names),
      codes_(schema_.attributes.size()) {
  for (std::size_t j = 0; j < codes_.size(); ++j) {
    const auto& levels = schema_.attributes[j].levels;
    for (std::size_t code = 0; code < levels.size(); ++code) codes_[j].emplace(levels[code], static_cast<double>(code));
  }
}

Dataset SchemaReader::read(const Table& table) const {
  Dataset data;
  data.schema = schema_;
  allocate(data.columns, plan_.attributes.size(), table.row_count());
  std::vector<ColumnTask> tasks(names_.size());
  for (std::size_t j = 0; j < plan_.attributes.size(); ++j) {
    const bool is_text = plan_.attributes[j].kind == AttributeKind::categorical;
    tasks[plan_.attributes[j].column] = {.role = is_text ? Role::text : Role::number, .values = data.columns[j].data()};
  }
  if (plan_.label) {
    data.labels.resize(table.row_count());
    tasks[*plan_.label] = {.role = Role::text, .codes = data.labels.data(), .keeps_missing = true};
  }
  if (plan_.weight) {
    data.weights.resize(table.row_count());
    tasks[*plan_.weight] = {.role = Role::number, .values = data.weights.data()};
  }
  parse_columns(table, tasks, missing_);
  for (std::size_t j = 0; j < plan_.attributes.size(); ++j) {
    finish_attribute(table, tasks[plan_.attributes[j].column], j, data.columns[j]);
  }
  if (plan_.label) {
    label_rows(table, tasks[*plan_.label], *plan_.label, schema_.label_name, missing_, schema_.class_names, classes_,
               data.labels);
  }
  if (plan_.weight) check_weights(table, *plan_.weight, names_[*plan_.weight], missing_, data.weights);
  merge_indicators(data, wanted_);
  return data;
}

void SchemaReader::finish_attribute(const Table& table, const ColumnTask& task, std::size_t attribute,
                                    std::vector<double>& values) const {
  if (task.role == Role::number) {
    refuse_not_numeric(table, plan_.attributes[attribute].column, schema_.attributes[attribute].name, task.tally);
    return;
  }
  std::vector<double> code_of_level;
  for (const auto& level : task.levels) {
    const auto found = codes_[attribute].find(level.text);
    code_of_level.push_back(found == codes_[attribute].end() ? unseen_level : found->second);
  }
  for (double& value : values) {
    if (value >= 0) value = code_of_level[static_cast<std::size_t>(value)];
  }
}

Dataset read_text_by_schema(std::string_view text, const std::string& file, const Schema& schema,
                            const CsvReaderOptions& options, std::size_t block_bytes) {
  const Header header = read_header(text, file, options.separator);
  const SchemaReader reader(header, schema, options, file);
  return reader.read(Table(text.substr(header.size), header, file, 1 + header.line_count, block_bytes));
}

}  // namespace detail

Dataset read_csv(const std::string& path, const CsvOptions& options) {
  const detail::Text text(path);
  return detail::read_training_text(text.view(), detail::input_name(path), options);
}

Dataset read_csv(const std::string& path, const Schema& schema, const CsvReaderOptions& options) {
  const detail::Text text(path);
  return detail::read_text_by_schema(text.view(), detail::input_name(path), schema, options);
}

}  // namespace xofm
