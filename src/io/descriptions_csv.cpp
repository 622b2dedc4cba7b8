#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/closest_name.hpp"
#include "io/csv_columns.hpp"
#include "io/csv_number.hpp"
#include "io/csv_parse.hpp"
#include "io/csv_text.hpp"
#include "xofm/csv.hpp"
#include "xofm/error.hpp"

namespace xofm {

namespace {

// Cells of one column as they stand; a missing one is empty.
struct Texts {
  std::vector<int> codes;
  std::vector<detail::Level> levels;

  std::string at(std::size_t row) const {
    return codes.empty() || codes[row] < 0 ? std::string() : levels[static_cast<std::size_t>(codes[row])].text;
  }
};

// None: a column of 0 and 1 that has become a level of another attribute.
Attribute* find_attribute(Schema& schema, const std::string& name, const detail::Table& table, std::size_t line) {
  std::vector<std::string> names;
  for (Attribute& attribute : schema.attributes) {
    const auto& columns = attribute.indicators;
    if (attribute.name == name) return &attribute;
    if (std::find(columns.begin(), columns.end(), name) != columns.end()) return nullptr;
    names.push_back(attribute.name);
  }
  const std::string* const closest = detail::closest_name(name, names);
  table.refuse_cell(
      line, "attribute",
      fmt::format("{} is no attribute of the data{}; the attributes are {}", detail::shown(name),
                  closest == nullptr ? "" : fmt::format(" (did you mean '{}'?)", *closest), detail::listed(names, 10)));
}

}  // namespace

void read_descriptions(const std::string& path, Schema& schema) {
  const detail::Text input(path);
  const std::string_view text = input.view();
  const std::string file = detail::input_name(path);
  const detail::Header header = detail::read_header(text, file, '\0');
  const detail::ColumnIndex index(header, file);
  const detail::Table table(text.substr(header.size), header, file, 1 + header.line_count, detail::default_block_bytes);
  const std::size_t name_column = index.at("attribute", "the descriptions");
  const std::size_t description_column = index.at("description", "the descriptions");
  const std::optional<std::size_t> unit_column = index.find("unit");

  Texts names;
  Texts descriptions;
  Texts units;
  std::vector<detail::ColumnTask> tasks(header.names.size());
  const auto read_column = [&](std::size_t column, Texts& texts) {
    texts.codes.resize(table.row_count());
    tasks[column] = {.role = detail::ColumnTask::Role::text, .codes = texts.codes.data()};
  };
  read_column(name_column, names);
  read_column(description_column, descriptions);
  if (unit_column) read_column(*unit_column, units);
  detail::parse_columns(table, tasks, detail::MissingTokens({""}));
  names.levels = std::move(tasks[name_column].levels);
  descriptions.levels = std::move(tasks[description_column].levels);
  if (unit_column) units.levels = std::move(tasks[*unit_column].levels);

  std::set<std::string> described;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const std::string name = names.at(row);
    const std::size_t line = table.place(row, name_column).line;
    Attribute* const attribute = find_attribute(schema, name, table, line);
    if (!described.insert(name).second) {
      table.refuse_cell(line, "attribute", fmt::format("{} is described twice; keep one line", detail::shown(name)));
    }
    if (attribute == nullptr) continue;
    attribute->description = descriptions.at(row);
    attribute->unit = units.at(row);
  }
}

}  // namespace xofm
