// From frames to rows: training rows with a schema of their own, and new rows by the schema of a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "c_api/frame.hpp"
#include "io/csv_number.hpp"
#include "xofm/dataset.hpp"

namespace xofm::c_api {

struct Labels {
  std::span<const std::int32_t> codes = {};
  std::vector<std::string> class_names = {};
  std::string label_name = {};
  std::span<const double> weights = {};  // empty: all are 1
};

// What columns are, beyond what their types say: by name.
struct ColumnRequest {
  std::vector<std::string> categorical = {};
  std::vector<std::string> cyclic = {};
  std::string id = {};  // names the rows; empty: none does
  bool keep_indicators = false;
  std::vector<std::string> apart = {};  // columns of 0 and 1 that stay as they are
};

struct TrainingRows {
  Dataset data;
  xofm::Column::Rows origins;  // data row i is row (*origins)[i] of the frame
};

// Throws Error for names, labels, weights or wishes that do not go with the frame.
void check_given(const Frame& frame, const Labels& labels, const ColumnRequest& request);

// Columns of numbers are numeric attributes, those of texts and those named in `categorical` have levels. Rows of
// weight 0 are left out; a row whose weight is a whole number stands there so many times, unless that makes too many;
// and the rows are put into an order that depends on what they say alone. So a weight is the same as repetition, and
// the order of the rows is none.
// Dates are numbers, or month, weekday and hour if the column is named in `cyclic`. Columns of 0 and 1 that say one
// thing become one attribute, unless they are named in `apart`. Columns of doubles in one piece are views of the
// frame's, which must stay; others are copied.
TrainingRows training_rows(const Frame& frame, const Labels& labels, const ColumnRequest& request);

// New rows, laid out by a schema. Keeps pointers to both.
class RowReader {
 public:
  RowReader(const Frame& frame, const Schema& schema);

  // Rows begin .. end of the frame, on this thread; columns without their schema.
  Dataset read(std::size_t begin, std::size_t end) const;
  Dataset read_all() const;

 private:
  struct Source {
    const Column* column = nullptr;
    std::map<std::string, double, std::less<>> codes = {};  // of the levels
    std::vector<std::vector<double>> chunk_codes = {};      // [chunk][entry of its dictionary]
  };
  double code_of(const Source& source, std::string_view text) const;
  void merge(Dataset& rows) const;  // columns of 0 and 1 and of dates become attributes
  void read_levels(const Source& source, std::size_t begin, std::size_t end, double* out) const;
  void read_times(std::size_t attribute, std::size_t begin, std::size_t end, double* out) const;
  void read_values(std::size_t attribute, std::size_t begin, std::size_t end, double* out) const;

  const Frame* frame_;
  const Schema* wanted_;
  Schema schema_;  // of the columns in the frame
  detail::MissingTokens missing_;
  bool has_missing_numbers_ = false;  // among the tokens
  std::vector<Source> sources_;       // by attribute
};

}  // namespace xofm::c_api
