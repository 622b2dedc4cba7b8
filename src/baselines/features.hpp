// Rows of a data set as the numbers that the rivals take.
#pragma once

#include <span>

#include "baselines/method.hpp"
#include "xofm/dataset.hpp"

namespace xofm::baselines {

// Learned from the learning part alone. A numeric attribute is one column, shifted and scaled to mean 0 and standard
// deviation 1, missing values at 0; where the learning part has missing values a second column is 1 for them. A
// categorical attribute is one column per level with 0 and 1, an unseen or missing one all 0. Constant columns are left
// out.
class Features {
 public:
  // `directions`: per attribute 1, -1 or 0, or empty.
  explicit Features(const Dataset& learning, std::span<const int> directions = {});

  Eigen::MatrixXd encode(const Dataset& rows) const;
  Examples examples(const Dataset& rows) const;  // rows with labels

  std::size_t column_count() const { return columns_.size(); }

 private:
  enum class Kind { value, is_missing, is_level };
  struct Column {
    std::size_t attribute = 0;
    Kind kind = Kind::value;
    double mean = 0;   // value: of the learning part
    double scale = 1;  // value: its standard deviation
    double level = 0;  // is_level: the code
    int direction = 0;
  };
  double cell(const Column& column, double value) const;
  void add(const Dataset& learning, Column column);

  std::vector<Column> columns_;
};

}  // namespace xofm::baselines
