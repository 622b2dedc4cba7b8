// What a column of training rows is: numbers or categories.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/csv_columns.hpp"
#include "io/csv_parse.hpp"

namespace xofm::detail {

// What the first rows say of a column.
struct ColumnGuess {
  AttributeKind kind = AttributeKind::numeric;
  bool is_time = false;  // its cells are dates and times
  DateOrder date_order = DateOrder::day_first;
};

// The kinds that are certain after the first rows: those that the user gives, dates where all cells are dates, and
// categorical where a text was seen, since then the column is categorical or an error. The other columns are taken for
// numeric. Throws Error for dates that leave open whether the day or the month comes first.
std::vector<ColumnGuess> guess_kinds(const Table& table, const Header& header, const ColumnPlan& plan,
                                     const MissingTokens& missing);

struct InferredColumn {
  Attribute attribute;
  std::string useless;  // why nothing can be learned from it, unless somebody has asked for it; ends a sentence
};

// Settles the kinds after parsing; columns whose first text comes late are parsed once more. Rows of weight zero have
// no levels of their own (they are unseen ones there) and no say in what is useless; weights empty: all rows count.
// Throws Error for columns that cannot be read as what they are, in whatever row.
std::vector<InferredColumn> infer_attributes(const Table& table, const Header& header, const ColumnPlan& plan,
                                             std::vector<ColumnTask>& tasks, std::vector<Column>& columns,
                                             const std::vector<double>& weights, const MissingTokens& missing);

// Throws Error if a numeric column of a known schema, or one of dates, holds texts or infinities.
void refuse_not_numeric(const Table& table, std::size_t column, const std::string& name, const ColumnTask& task);

}  // namespace xofm::detail
