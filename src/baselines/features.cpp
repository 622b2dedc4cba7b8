#include "baselines/features.hpp"

#include <algorithm>
#include <cmath>

namespace xofm::baselines {

Features::Features(const Dataset& learning, std::span<const int> directions) {
  for (std::size_t j = 0; j < learning.attribute_count(); ++j) {
    const Attribute& attribute = learning.schema.attributes[j];
    if (attribute.kind == AttributeKind::categorical) {
      for (std::size_t level = 0; level < attribute.levels.size(); ++level) {
        add(learning, {.attribute = j, .kind = Kind::is_level, .level = static_cast<double>(level)});
      }
      continue;
    }
    const xofm::Column& values = learning.columns[j];
    double sum = 0;
    double count = 0;
    for (const double value : values) {
      if (std::isnan(value)) continue;
      sum += value;
      ++count;
    }
    const double mean = sum / std::max(count, 1.0);
    double squares = 0;
    for (const double value : values) {
      if (!std::isnan(value)) squares += (value - mean) * (value - mean);
    }
    const double deviation = std::sqrt(squares / std::max(count, 1.0));
    add(learning, {.attribute = j,
                   .kind = Kind::value,
                   .mean = mean,
                   .scale = deviation > 0 ? deviation : 1,
                   .direction = directions.empty() ? 0 : directions[j]});
    add(learning, {.attribute = j, .kind = Kind::is_missing});
  }
}

void Features::add(const Dataset& learning, Column column) {
  const xofm::Column& values = learning.columns[column.attribute];
  const bool varies = std::any_of(values.begin(), values.end(),
                                  [&](double value) { return cell(column, value) != cell(column, values.front()); });
  if (varies) columns_.push_back(column);
}

double Features::cell(const Column& column, double value) const {
  switch (column.kind) {
    case Kind::value:
      return std::isnan(value) ? 0 : (value - column.mean) / column.scale;
    case Kind::is_missing:
      return std::isnan(value) ? 1 : 0;
    case Kind::is_level:
      return value == column.level ? 1 : 0;
  }
  return 0;
}

Eigen::MatrixXd Features::encode(const Dataset& rows) const {
  Eigen::MatrixXd features(static_cast<Eigen::Index>(rows.row_count()), static_cast<Eigen::Index>(columns_.size()));
  for (Eigen::Index c = 0; c < features.cols(); ++c) {
    const Column& column = columns_[static_cast<std::size_t>(c)];
    const xofm::Column& values = rows.columns[column.attribute];
    for (Eigen::Index i = 0; i < features.rows(); ++i) {
      features(i, c) = cell(column, values[static_cast<std::size_t>(i)]);
    }
  }
  return features;
}

Examples Features::examples(const Dataset& rows) const {
  Examples examples{
      .features = encode(rows), .labels = rows.labels, .class_count = rows.schema.class_count(), .directions = {}};
  for (const Column& column : columns_) examples.directions.push_back(column.direction);
  return examples;
}

}  // namespace xofm::baselines
