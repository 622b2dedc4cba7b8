#include "io/csv_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/parallel.hpp"
#include "core/data/calendar.hpp"
#include "core/data/indicators.hpp"
#include "io/csv_bins.hpp"
#include "io/csv_format.hpp"
#include "io/csv_infer.hpp"
#include "io/csv_text.hpp"
#include "xofm/error.hpp"

namespace xofm {

namespace detail {

namespace {

using Role = ColumnTask::Role;

// From here on it pays to look for two classes before the columns, which may be many times as large, are made.
constexpr std::size_t large_text = std::size_t{16} << 20;

void allocate(std::vector<Column>& columns, std::size_t count, std::size_t row_count) {
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

namespace {

// Columns from which nothing can be learned leave, with a remark each.
void drop_useless(std::vector<InferredColumn>& inferred, Dataset& data) {
  std::vector<Column> columns;
  for (std::size_t j = 0; j < inferred.size(); ++j) {
    auto& [attribute, useless] = inferred[j];
    if (useless.empty()) {
      data.schema.attributes.push_back(std::move(attribute));
      columns.push_back(std::move(data.columns[j]));
    } else {
      data.remarks.push_back(fmt::format("{} is left out: it {}", attribute.name, useless));
    }
  }
  data.columns = std::move(columns);
}

Attribute& find_attribute(Dataset& data, const std::string& file, const std::string& name, const char* option) {
  for (Attribute& attribute : data.schema.attributes) {
    if (attribute.name == name) return attribute;
  }
  throw Error(ErrorCode::invalid_option, fmt::format("{}: {} is no attribute of {}", option, shown(name), file));
}

void set_special(const std::string& file, const CsvOptions& options, Dataset& data) {
  for (const auto& [name, values] : options.special) {
    Attribute& attribute = find_attribute(data, file, name, "--special");
    if (attribute.kind != AttributeKind::numeric) {
      throw Error(
          ErrorCode::invalid_option,
          fmt::format("--special: {} is categorical; each of its levels has its own value already", shown(name)));
    }
    attribute.special = values;
    std::sort(attribute.special.begin(), attribute.special.end());
    attribute.special.erase(std::unique(attribute.special.begin(), attribute.special.end()), attribute.special.end());
    const auto& column = data.columns[static_cast<std::size_t>(&attribute - data.schema.attributes.data())];
    for (const double value : attribute.special) {
      if (std::find(column.begin(), column.end(), value) != column.end()) continue;
      data.remarks.push_back(fmt::format("{} is never {} here; where it is, it counts as missing", name, value));
    }
  }
}

void tell_of_times(const CsvOptions& options, Dataset& data) {
  for (const Attribute& attribute : data.schema.attributes) {
    const bool is_cyclic =
        std::find(options.cyclic.begin(), options.cyclic.end(), attribute.name) != options.cyclic.end();
    if (attribute.time != TimePart::days || is_cyclic) continue;
    const auto& column = data.columns[static_cast<std::size_t>(&attribute - data.schema.attributes.data())];
    const auto value = std::find_if(column.begin(), column.end(), [](double days) { return !std::isnan(days); });
    if (value == column.end()) continue;
    data.remarks.push_back(
        fmt::format("{} holds dates, taken as days since 1970-01-01 ({} is {:.6g}); --cyclic {} takes "
                    "month and weekday instead",
                    attribute.name, date_text(*value), *value, attribute.name));
  }
}

ColumnTask task_of(const ColumnGuess& guess, std::vector<double>& values) {
  return {.role = guess.kind == AttributeKind::categorical ? Role::text : Role::number,
          .values = values.data(),
          .is_time = guess.is_time,
          .date_order = guess.date_order};
}

}  // namespace

Dataset read_training_text(std::string_view text, const std::string& file, const CsvOptions& options,
                           std::size_t block_bytes) {
  Header header = read_header(text, file, options.separator);
  const ColumnPlan plan = plan_training(header, options, file);
  if (!options.classes.empty()) check_classes(options.classes);
  const MissingTokens missing(options.missing);
  const std::string_view body = text.substr(header.size);
  FormatQuestion question{.decimal = options.decimal, .is_training = true};
  for (const auto& attribute : plan.attributes) {
    if (attribute.kind != AttributeKind::categorical) question.columns.push_back(attribute.column);
  }
  header.format = find_format(body, header, file, missing, question);
  const Table table(body, header, file, 1 + header.line_count, block_bytes);
  if (table.row_count() == 0) {
    throw Error(ErrorCode::invalid_data, fmt::format("{}: there are no rows below the header", file));
  }
  if (text.size() > large_text) refuse_single_label(table, *plan.label, header.names[*plan.label]);
  Dataset data;
  allocate(data.columns, plan.attributes.size(), table.row_count());
  data.labels.resize(table.row_count());
  if (plan.weight) data.weights.resize(table.row_count());
  if (plan.id) data.ids.resize(table.row_count());

  std::vector<ColumnTask> tasks(header.names.size());
  tasks[*plan.label] = {.role = Role::text, .codes = data.labels.data(), .keeps_missing = true};
  if (plan.weight) tasks[*plan.weight] = {.role = Role::number, .values = data.weights.data()};
  if (plan.id) tasks[*plan.id].carried = &data.ids;
  const auto guesses = guess_kinds(table, header, plan, missing);
  for (std::size_t j = 0; j < plan.attributes.size(); ++j) {
    tasks[plan.attributes[j].column] = task_of(guesses[j], data.columns[j].values());
  }
  parse_columns(table, tasks, missing);
  if (plan.weight) {
    const auto& name = header.names[*plan.weight];
    check_weights(table, *plan.weight, name, missing, data.weights);
    if (std::all_of(data.weights.begin(), data.weights.end(), [](double weight) { return weight == 0; })) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("{}: every weight in column {} is 0; at least one must be more", file, shown(name)));
    }
  }
  std::vector<InferredColumn> inferred =
      infer_attributes(table, header, plan, tasks, data.columns, data.weights, missing);
  drop_useless(inferred, data);

  data.schema.label_name = header.names[*plan.label];
  data.schema.class_names = options.classes;
  data.schema.missing_tokens = options.missing;
  data.schema.id_name = options.id;
  data.schema.decimal_comma = header.format.comma;
  if (header.format.comma && options.decimal == '\0') {
    data.remarks.emplace_back("Numbers have a decimal comma, as 1.234,5 (--decimal . would take them otherwise)");
  }
  if (options.label.empty()) refuse_label_as_name(header, tasks[*plan.label], *plan.label, file);
  const ColumnTask& label_task = tasks[*plan.label];
  const std::string& label_name = data.schema.label_name;
  if (options.bins != 0 || !options.bins_at.empty()) {
    data.schema.label_bins =
        find_bins(table, label_task, *plan.label, label_name, missing, options, data.weights, data.labels);
    data.schema.class_names = bin_names(data.schema.label_bins);
    bin_labels(table, label_task, *plan.label, label_name, missing, data.schema.label_bins, data.labels);
    refuse_one_class(table, label_name, data.schema.class_names, data.weights, data.labels);
  } else {
    label_rows(table, label_task, *plan.label, label_name, missing, data.schema.class_names, data.weights, data.labels);
    if (options.classes.empty() && data.schema.class_names.size() > many_numeric_classes) {
      data.remarks.push_back(
          fmt::format("{} has {} different numbers, each a class of its own; is this a measurement? --bins 5 makes 5 "
                      "ordered classes "
                      "at its quantiles, --bins-at 10,20 three that begin where you say",
                      label_name, data.schema.class_names.size()));
    }
  }
  if (data.columns.empty()) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("{}: no attribute is left: {}", file, fmt::join(data.remarks, "; ")));
  }
  set_special(file, options, data);
  tell_of_times(options, data);
  for (const std::string& name : options.cyclic) {
    if (find_attribute(data, file, name, "--cyclic").time == TimePart::days) continue;
    throw Error(ErrorCode::invalid_option, fmt::format("--cyclic: {} does not hold dates", shown(name)));
  }
  if (!options.keep_indicators) {
    std::vector<std::string> apart = options.numeric;
    apart.insert(apart.end(), options.apart.begin(), options.apart.end());
    merge_indicators(data, apart);
  }
  if (!options.cyclic.empty()) take_cyclic_parts(data, options.cyclic);
  return data;
}

SchemaReader::SchemaReader(const Header& header, const Schema& schema, const CsvReaderOptions& options,
                           const std::string& file)
    : wanted_(schema),
      schema_(source_schema(schema)),
      header_(header),
      options_(options),
      file_(file),
      plan_(plan_by_schema(header, schema_, options, file)),
      missing_(schema.missing_tokens),
      classes_(schema.class_names),
      codes_(schema_.attributes.size()) {
  for (std::size_t j = 0; j < codes_.size(); ++j) {
    const auto& levels = schema_.attributes[j].levels;
    for (std::size_t code = 0; code < levels.size(); ++code) codes_[j].emplace(levels[code], static_cast<double>(code));
  }
  const ColumnIndex index(header_, file_);
  for (const std::string& name : options.carry) carried_.push_back(index.at(name, "the column to keep"));
  for (std::size_t column = 0; column < header.names.size() && options.carry_all; ++column) {
    if (std::find(carried_.begin(), carried_.end(), column) == carried_.end()) carried_.push_back(column);
  }
}

NumberFormat SchemaReader::format_of(std::string_view body) const {
  FormatQuestion question{.decimal = options_.decimal, .was_comma = wanted_.decimal_comma};
  for (const auto& attribute : plan_.attributes) {
    if (attribute.kind == AttributeKind::numeric) question.columns.push_back(attribute.column);
  }
  return find_format(body, header_, file_, missing_, question);
}

void SchemaReader::set_carried(const Table& table, std::vector<ColumnTask>& tasks, CarriedColumns& carried) const {
  carried.names.clear();
  carried.cells.resize(carried_.size());
  for (std::size_t k = 0; k < carried_.size(); ++k) {
    carried.names.push_back(header_.names[carried_[k]]);
    carried.cells[k].resize(table.row_count());
    tasks[carried_[k]].carried = &carried.cells[k];
  }
}

Dataset SchemaReader::read(const Table& table, CarriedColumns* carried) const {
  Dataset data;
  data.schema = schema_;
  allocate(data.columns, plan_.attributes.size(), table.row_count());
  std::vector<ColumnTask> tasks(header_.names.size());
  for (std::size_t j = 0; j < plan_.attributes.size(); ++j) {
    const Attribute& attribute = schema_.attributes[j];
    tasks[plan_.attributes[j].column] = {
        .role = attribute.kind == AttributeKind::categorical ? Role::text : Role::number,
        .values = data.columns[j].data(),
        .is_time = attribute.time != TimePart::none,
        .date_order = attribute.month_first ? DateOrder::month_first : DateOrder::day_first};
  }
  if (plan_.label) {
    data.labels.resize(table.row_count());
    tasks[*plan_.label] = {.role = Role::text, .codes = data.labels.data(), .keeps_missing = true};
  }
  if (plan_.weight) {
    data.weights.resize(table.row_count());
    tasks[*plan_.weight] = {.role = Role::number, .values = data.weights.data()};
  }
  if (carried != nullptr) set_carried(table, tasks, *carried);
  parse_columns(table, tasks, missing_);
  for (std::size_t j = 0; j < plan_.attributes.size(); ++j) {
    finish_attribute(table, tasks[plan_.attributes[j].column], j, data.columns[j].values());
  }
  if (plan_.label) {
    if (schema_.label_bins.empty()) {
      label_rows(table, tasks[*plan_.label], *plan_.label, schema_.label_name, missing_, schema_.class_names, classes_,
                 data.labels);
    } else {
      bin_labels(table, tasks[*plan_.label], *plan_.label, schema_.label_name, missing_, schema_.label_bins,
                 data.labels);
    }
  }
  if (plan_.weight) check_weights(table, *plan_.weight, header_.names[*plan_.weight], missing_, data.weights);
  merge_indicators(data, wanted_);
  return data;
}

void SchemaReader::finish_attribute(const Table& table, const ColumnTask& task, std::size_t attribute,
                                    std::vector<double>& values) const {
  const std::size_t column = plan_.attributes[attribute].column;
  if (task.role == Role::number) {
    refuse_not_numeric(table, column, schema_.attributes[attribute].name, task);
    return;
  }
  std::vector<double> code_of_level;
  for (std::size_t i = 0; i < task.levels.size(); ++i) {
    const std::string& text = task.levels[i].text;
    const auto found = codes_[attribute].find(text);
    code_of_level.push_back(found == codes_[attribute].end() ? unseen_level : found->second);
    if (found != codes_[attribute].end() || is_utf8(text)) continue;
    const auto row = std::find(values.begin(), values.end(), static_cast<double>(i)) - values.begin();
    const Place place = table.place(static_cast<std::size_t>(row), column);
    table.refuse_cell(place.line, schema_.attributes[attribute].name,
                      fmt::format("{} is not valid UTF-8; {}", shown(place.cell), encoding_hint));
  }
  for (double& value : values) {
    if (value >= 0) value = code_of_level[static_cast<std::size_t>(value)];
  }
}

Dataset read_text_by_schema(std::string_view text, const std::string& file, const Schema& schema,
                            const CsvReaderOptions& options, std::size_t block_bytes) {
  Header header = read_header(text, file, options.separator);
  const SchemaReader reader(header, schema, options, file);
  const std::string_view body = text.substr(header.size);
  header.format = reader.format_of(body);
  return reader.read(Table(body, header, file, 1 + header.line_count, block_bytes));
}

}  // namespace detail

Dataset read_csv(const std::string& path, const CsvOptions& options) {
  const detail::Text text(path, options.encoding);
  return detail::read_training_text(text.view(), detail::input_name(path), options);
}

Dataset read_csv(const std::string& path, const Schema& schema, const CsvReaderOptions& options) {
  const detail::Text text(path, options.encoding);
  return detail::read_text_by_schema(text.view(), detail::input_name(path), schema, options);
}

}  // namespace xofm
