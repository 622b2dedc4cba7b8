// Reading whole tables; the doors that take a text instead of a path, for streaming and for tests.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/csv_columns.hpp"
#include "io/csv_labels.hpp"
#include "io/csv_table.hpp"
#include "xofm/csv.hpp"

namespace xofm::detail {

// Labelled rows with their schema inferred; `file` is how messages call the text.
Dataset read_training_text(std::string_view text, const std::string& file, const CsvOptions& options,
                           std::size_t block_bytes = default_block_bytes);

// Lays out tables with one header by a schema; keeps what can be prepared once for many chunks.
class SchemaReader {
 public:
  SchemaReader(const Header& header, const Schema& schema, const CsvReaderOptions& options, const std::string& file);

  // How the file writes its numbers, as the rows below its header tell, or those of training.
  NumberFormat format_of(std::string_view body) const;

  // The rows of `table`, whose columns are those of the header.
  Dataset read(const Table& table, CarriedColumns* carried = nullptr) const;

 private:
  void set_carried(const Table& table, std::vector<ColumnTask>& tasks, CarriedColumns& carried) const;
  void finish_attribute(const Table& table, const ColumnTask& task, std::size_t attribute,
                        std::vector<double>& values) const;

  Schema wanted_;
  Schema schema_;  // of the columns in the file
  Header header_;
  CsvReaderOptions options_;
  std::string file_;
  ColumnPlan plan_;
  std::vector<std::size_t> carried_;  // columns of the file
  MissingTokens missing_;
  ClassIndex classes_;
  std::vector<std::unordered_map<std::string, double>> codes_;  // per attribute, of its levels
};

Dataset read_text_by_schema(std::string_view text, const std::string& file, const Schema& schema,
                            const CsvReaderOptions& options, std::size_t block_bytes = default_block_bytes);

}  // namespace xofm::detail
