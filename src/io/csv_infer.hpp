// What a column of training rows is: numbers or categories.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/csv_columns.hpp"
#include "io/csv_parse.hpp"

namespace xofm::detail {

// The kinds that are certain after the first rows: those that the user gives, and categorical where a text was seen,
// since then the column is categorical or an error. The other columns are taken for numeric.
std::vector<AttributeKind> guess_kinds(const Table& table, const ColumnPlan& plan, const MissingTokens& missing);

// Settles the kinds after parsing; columns whose first text comes late are parsed once more. Throws Error for columns
// that cannot be used.
std::vector<Attribute> infer_attributes(const Table& table, const Header& header, const ColumnPlan& plan,
                                        std::vector<ColumnTask>& tasks, std::vector<std::vector<double>>& columns,
                                        const MissingTokens& missing);

// Throws Error if a numeric column of a known schema holds texts or infinities.
void refuse_not_numeric(const Table& table, std::size_t column, const std::string& name, const Tally& tally);

}  // namespace xofm::detail
