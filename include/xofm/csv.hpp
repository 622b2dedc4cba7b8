// Stage 1, data: from a CSV file (RFC 4180, with a header; `.gz` and `.zst` are decompressed) to rows.
//
// `read_csv(path, options)` learns the schema from labelled training rows. `read_csv(path, schema)` and `CsvReader` lay
// out new rows by a schema that exists already: all at once, or chunk by chunk in bounded memory.
// Every error names the file, the line (the header is line 1), the column and the cell, and what to do about it.
//
// Text is UTF-8, with or without a byte order mark; UTF-16 is known by its mark, Latin-1 and Windows-1252 must be
// named. Numbers may have a decimal comma and thousands separators where the file leaves no doubt (1.234,5), or says so
// by `decimal`. A column of dates (2024-05-31, 31.05.2024, 05/31/2024; a time may follow) becomes a number of days.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "xofm/dataset.hpp"

namespace xofm {

enum class Encoding { automatic, utf8, utf16, latin1, cp1252 };

struct CsvOptions {
  std::string label = {};   // label column; empty: the last column that is neither ignored nor the weight column
  std::string weight = {};  // column with sample weights, finite and not negative; empty: every row weighs 1
  std::vector<std::string> use = {};      // attributes to use; empty: all columns but label, weight and ignored ones
  std::vector<std::string> ignore = {};   // columns to leave out
  std::vector<std::string> numeric = {};  // attributes that must be numbers: a text among them is an error
  std::vector<std::string> categorical = {};  // attributes that are categorical even if they look like numbers
  // Cells that mean "no value", as exact text. A token that is a number stands for every spelling of that number.
  std::vector<std::string> missing = Schema{}.missing_tokens;
  std::vector<std::string> classes = {};  // order of the classes, lowest first; empty: numeric labels in numeric order
  char separator = '\0';                  // ',', ';' or '\t'; '\0': whichever is most frequent in the header
  // Whether neighbouring columns of 0 and 1 of which every row has exactly one 1 stay as they are. Otherwise they
  // become one attribute with a level for each, unless they are named in `numeric`.
  bool keep_indicators = false;
  std::vector<std::string> apart = {};  // such columns that stay by themselves
  std::string id = {};                  // column that names the rows; it takes no part in training
  // Values of single attributes that stand for something else, as -1 for "never asked"; see Attribute::special.
  std::map<std::string, std::vector<double>> special = {};
  int bins = 0;  // the label is a measurement: so many ordered classes at its quantiles; 0: it is not
  std::vector<double> bins_at = {};      // likewise, with classes that begin at these values
  std::vector<std::string> cyclic = {};  // columns of dates: month, weekday and, of times, hour instead of days
  // Constant and empty columns and identifiers are left out with a remark, unless `use`, `numeric` or `categorical`
  // name them.
  bool keep_useless = false;
  Encoding encoding = Encoding::automatic;
  char decimal = '\0';  // '.' or ','; '\0': a comma where the file leaves no doubt, else a point
};

// Labelled training rows. Types are inferred: numeric if every cell that is not missing is a number, else categorical;
// a few texts among mostly numbers are an error, as is a text column whose values hardly ever repeat.
// Levels are in numeric order if all are numbers, else in byte order. A plain file is memory-mapped, any other input
// (compressed, a pipe, "-" for standard input) is held in memory while it is parsed.
Dataset read_csv(const std::string& path, const CsvOptions& options = {});

// Sets description and unit of attributes from a CSV file with the columns attribute, description and, if wanted, unit.
// Attributes that it does not name stay as they are; a name that is no attribute of the schema is an error.
void read_descriptions(const std::string& path, Schema& schema);

// Columns as texts, beside the rows that they came with.
struct CarriedColumns {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> cells;  // [column][row]
};

struct CsvReaderOptions {
  bool read_labels = false;  // whether the label column must be there and is read; else it is skipped if it is there
  bool labels_optional = false;  // with read_labels: a file without the label column is read without labels
  std::string weight = {};       // column with sample weights; empty: none
  char separator = '\0';         // as in CsvOptions
  std::size_t chunk_bytes = std::size_t{8} << 20;  // CsvReader: text per chunk; a longer record makes a longer chunk
  std::vector<std::string> carry = {};             // CsvReader: columns to hand on as texts
  bool carry_all = false;                          // all of them
  Encoding encoding = Encoding::automatic;
  char decimal = '\0';  // as in CsvOptions; where the file leaves it open, as in the training rows
};

// All rows, laid out by `schema`: columns are matched by name in any order, other columns are skipped, a level that the
// schema does not know becomes `unseen_level`. A header without rows gives a data set without rows.
Dataset read_csv(const std::string& path, const Schema& schema, const CsvReaderOptions& options = {});

// The same rows, a chunk at a time.
class CsvReader {
 public:
  // Opens the file ("-" is standard input) and checks its header.
  CsvReader(const std::string& path, const Schema& schema, const CsvReaderOptions& options = {});
  ~CsvReader();
  CsvReader(CsvReader&&) noexcept;
  CsvReader& operator=(CsvReader&&) noexcept;

  // Replaces `chunk` by the next rows, at least one; false at the end of the file, and then `chunk` has no rows.
  bool next(Dataset& chunk);
  // The same with the columns that were to be carried.
  bool next(Dataset& chunk, CarriedColumns& carried);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace xofm
