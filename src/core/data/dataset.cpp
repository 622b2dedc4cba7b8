#include "xofm/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/random.hpp"
#include "xofm/error.hpp"

namespace xofm {

namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::invalid_data, message); }

void check_labels(const Dataset& data) {
  const int class_count = data.schema.class_count();
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    const int label = data.labels[i];
    if (label < 0 || label >= class_count) {
      refuse(fmt::format("the label of row {} (counted from 0) is {}; with {} classes it must be in 0..{}", i, label,
                         class_count, class_count - 1));
    }
  }
}

void check_column(const Attribute& attribute, const Column& column) {
  const auto level_count = static_cast<double>(attribute.levels.size());
  for (std::size_t i = 0; i < column.size(); ++i) {
    const double value = column[i];
    if (std::isnan(value)) continue;
    if (std::isinf(value)) {
      refuse(fmt::format("attribute \"{}\" is {} in row {} (counted from 0); values must be finite, or NaN for missing",
                         attribute.name, value, i));
    }
    if (attribute.kind != AttributeKind::categorical || value == unseen_level) continue;
    if (!(value >= 0 && value < level_count && value == std::floor(value))) {
      refuse(
          fmt::format("attribute \"{}\" has level code {} in row {} (counted from 0); with {} levels it must be a "
                      "whole number in 0..{}, {} for an unseen level, or NaN for missing",
                      attribute.name, value, i, attribute.levels.size(), level_count - 1, unseen_level));
    }
  }
}

void check_weights(const std::vector<double>& weights) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= 0 && std::isfinite(weights[i]))) {
      refuse(fmt::format("the weight of row {} (counted from 0) is {}; it must be finite and not negative", i,
                         weights[i]));
    }
  }
}

// Some rows of columns. Views stay views, unless the rows are so few that a copy, which is quicker to read, takes
// little.
class ViewedRows {
 public:
  explicit ViewedRows(std::span<const std::size_t> rows) : rows_(rows) {}

  Column of(const Column& column) {
    constexpr std::size_t few = 8;
    if (column.is_view() && rows_.size() > column.size() / few) return column.view(composed(column.rows()));
    std::vector<double> values;
    if (column.empty()) return values;
    values.reserve(rows_.size());
    for (const std::size_t row : rows_) values.push_back(column[row]);
    return values;
  }

 private:
  // Columns with the same lender's rows share the new ones too.
  const Column::Rows& composed(const Column::Rows& of_column) {
    if (of_column == known_) return made_;
    auto made = std::make_shared<std::vector<std::uint32_t>>();
    made->reserve(rows_.size());
    for (const std::size_t row : rows_) made->push_back((*of_column)[row]);
    known_ = of_column;
    made_ = std::move(made);
    return made_;
  }

  std::span<const std::size_t> rows_;
  Column::Rows known_;
  Column::Rows made_;
};

// How many rows of each class go to the holdout: the proportional share rounded down, and what is left goes one by
// one to the class furthest below its share. A class gives up its last learning row only when nothing else is left.
std::vector<std::size_t> holdout_counts(const std::vector<std::vector<std::size_t>>& members, std::size_t row_count,
                                        std::size_t holdout_count) {
  std::vector<std::size_t> given(members.size());
  std::size_t left = holdout_count;
  for (std::size_t h = 0; h < members.size(); ++h) {
    given[h] = members[h].size() * holdout_count / row_count;
    left -= given[h];
  }
  for (std::size_t kept = 1; left > 0;) {
    std::size_t best = members.size();
    double best_lack = 0;
    for (std::size_t h = 0; h < members.size(); ++h) {
      if (given[h] + kept >= members[h].size()) continue;
      const double share =
          static_cast<double>(members[h].size()) * static_cast<double>(holdout_count) / static_cast<double>(row_count);
      const double lack = share - static_cast<double>(given[h]);
      if (best == members.size() || lack > best_lack) {
        best = h;
        best_lack = lack;
      }
    }
    if (best == members.size()) {
      kept = 0;
      continue;
    }
    ++given[best];
    --left;
  }
  return given;
}

}  // namespace

Dataset subset(const Dataset& data, std::span<const std::size_t> rows) {
  const std::size_t row_count = data.row_count();
  for (const std::size_t row : rows) {
    if (row >= row_count) refuse(fmt::format("row {} does not exist; the data have {} rows", row, row_count));
  }
  const auto pick = [&](const auto& from) {
    auto to = std::decay_t<decltype(from)>();
    if (from.empty()) return to;
    to.reserve(rows.size());
    for (const std::size_t row : rows) to.push_back(from[row]);
    return to;
  };
  Dataset part;
  part.schema = data.schema;
  part.columns.reserve(data.columns.size());
  ViewedRows viewed(rows);
  for (const auto& column : data.columns) part.columns.push_back(viewed.of(column));
  part.labels = pick(data.labels);
  part.weights = pick(data.weights);
  part.ids = pick(data.ids);
  part.remarks = data.remarks;
  return part;
}

Split split_rows(const Dataset& data, const SplitOptions& options) {
  if (!(options.test_share > 0 && options.test_share < 1)) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("test_share is {}; it must be above 0 and below 1", options.test_share));
  }
  const std::size_t row_count = data.row_count();
  if (!data.labels.empty() && data.labels.size() != row_count) {
    refuse(fmt::format("{} labels for {} rows", data.labels.size(), row_count));
  }
  check_labels(data);
  Split parts;
  if (row_count < 2) {  // two non-empty parts are impossible: learning keeps what there is
    for (std::size_t i = 0; i < row_count; ++i) parts.learning.push_back(i);
    return parts;
  }
  std::vector<std::vector<std::size_t>> members(data.labels.empty() ? 1 : data.schema.class_names.size());
  for (std::size_t i = 0; i < row_count; ++i) {
    members[data.labels.empty() ? 0 : static_cast<std::size_t>(data.labels[i])].push_back(i);
  }
  const double wanted = std::round(options.test_share * static_cast<double>(row_count));
  const auto holdout_count = std::clamp<std::size_t>(static_cast<std::size_t>(wanted), 1, row_count - 1);
  const auto given = holdout_counts(members, row_count, holdout_count);
  for (std::size_t h = 0; h < members.size(); ++h) {
    detail::Random random(options.seed, h);
    random.shuffle(members[h]);
    const auto middle = members[h].begin() + static_cast<std::ptrdiff_t>(given[h]);
    parts.holdout.insert(parts.holdout.end(), members[h].begin(), middle);
    parts.learning.insert(parts.learning.end(), middle, members[h].end());
  }
  std::sort(parts.learning.begin(), parts.learning.end());
  std::sort(parts.holdout.begin(), parts.holdout.end());
  return parts;
}

std::pair<Dataset, Dataset> split(const Dataset& data, const SplitOptions& options) {
  const Split parts = split_rows(data, options);
  return {subset(data, parts.learning), subset(data, parts.holdout)};
}

void check(const Dataset& data) {
  const auto& attributes = data.schema.attributes;
  if (data.columns.size() != attributes.size()) {
    refuse(fmt::format("{} columns for the {} attributes of the schema", data.columns.size(), attributes.size()));
  }
  const std::size_t row_count = data.row_count();
  for (std::size_t j = 0; j < attributes.size(); ++j) {
    if (data.columns[j].size() != row_count) {
      refuse(fmt::format(R"(attribute "{}" has {} rows, but "{}" has {})", attributes[j].name, data.columns[j].size(),
                         attributes.front().name, row_count));
    }
  }
  if (!data.labels.empty() && data.labels.size() != row_count) {
    refuse(fmt::format("{} labels for {} rows", data.labels.size(), row_count));
  }
  if (!data.weights.empty() && data.weights.size() != row_count) {
    refuse(fmt::format("{} weights for {} rows", data.weights.size(), row_count));
  }
  if (!data.ids.empty() && data.ids.size() != row_count) {
    refuse(fmt::format("{} ids for {} rows", data.ids.size(), row_count));
  }
  check_labels(data);
  check_weights(data.weights);
  for (std::size_t j = 0; j < attributes.size(); ++j) check_column(attributes[j], data.columns[j]);
}

}  // namespace xofm
