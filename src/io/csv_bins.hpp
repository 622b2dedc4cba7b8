// A label that is a measurement, cut into ordered classes.
#pragma once

#include <string>
#include <vector>

#include "io/csv_parse.hpp"
#include "xofm/csv.hpp"

namespace xofm::detail {

// Where all classes but the lowest begin: as the options say, or at quantiles of the labels of rows with a weight;
// labels are level codes. Throws Error{invalid_option} if that makes fewer than two classes, Error{invalid_data} for a
// label that is no number.
std::vector<double> find_bins(const Table& table, const ColumnTask& task, std::size_t column, const std::string& name,
                              const MissingTokens& missing, const CsvOptions& options,
                              const std::vector<double>& weights, const std::vector<int>& codes);

// "below 10", "10 to 20", "20 or more": a class holds its beginning, not its end.
std::vector<std::string> bin_names(const std::vector<double>& starts);

// Replaces the level codes in `labels` by classes.
void bin_labels(const Table& table, const ColumnTask& task, std::size_t column, const std::string& name,
                const MissingTokens& missing, const std::vector<double>& starts, std::vector<int>& labels);

}  // namespace xofm::detail
