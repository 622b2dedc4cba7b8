// Which column of a file is what: by the user's options for training rows, by the schema for new rows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/csv_table.hpp"
#include "xofm/csv.hpp"

namespace xofm::detail {

// More attributes are taken for a file read the wrong way (or a transposed one) than for data.
inline constexpr std::size_t most_attributes = 20000;

// Finds columns by name; an unknown name is an error that lists the columns and suggests the closest.
class ColumnIndex {
 public:
  ColumnIndex(const Header& header, std::string file);

  std::optional<std::size_t> find(std::string_view name) const;
  // `purpose` begins the message: "the label column", "--ignore".
  std::size_t at(std::string_view name, std::string_view purpose) const;

 private:
  const Header& header_;
  std::string file_;
  std::unordered_map<std::string_view, std::size_t> columns_;
};

struct AttributeColumn {
  std::size_t column = 0;
  std::optional<AttributeKind> kind;  // as the user or the schema says; unset: to be inferred
  bool is_asked_for = false;          // the user has named it
};

struct ColumnPlan {
  std::vector<AttributeColumn> attributes;
  std::optional<std::size_t> label;
  std::optional<std::size_t> weight;
  std::optional<std::size_t> id;  // training: the column that names the rows
};

ColumnPlan plan_training(const Header& header, const CsvOptions& options, const std::string& file);
ColumnPlan plan_by_schema(const Header& header, const Schema& schema, const CsvReaderOptions& options,
                          const std::string& file);

// At most `most` of the names, in quotes, for messages.
std::string listed(const std::vector<std::string>& names, std::size_t most);

}  // namespace xofm::detail
