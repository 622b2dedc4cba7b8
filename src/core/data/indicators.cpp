#include "core/data/indicators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/data/calendar.hpp"

namespace xofm::detail {

namespace {

constexpr std::string_view separators = "_.:=-/ ";

// Rows of weight zero have no say in what a column is.
bool counts(const Dataset& data, std::size_t i) { return data.weights.empty() || data.weights[i] > 0; }

bool is_indicator(const Dataset& data, std::size_t j, std::span<const std::string> apart) {
  const Attribute& attribute = data.schema.attributes[j];
  if (attribute.kind != AttributeKind::numeric) return false;
  if (std::find(apart.begin(), apart.end(), attribute.name) != apart.end()) return false;
  const auto& column = data.columns[j];
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (column[i] != 0 && column[i] != 1 && counts(data, i)) return false;
  }
  return true;
}

// How many columns from `begin` on have exactly one 1 in every row; 0: none do.
std::size_t run_length(const Dataset& data, std::size_t begin, std::span<const std::string> apart) {
  std::vector<char> has_one(data.row_count());
  std::size_t covered = 0;
  for (std::size_t i = 0; i < has_one.size(); ++i) {
    if (counts(data, i)) continue;
    has_one[i] = 1;
    ++covered;
  }
  for (std::size_t j = begin; j < data.attribute_count() && is_indicator(data, j, apart); ++j) {
    for (std::size_t i = 0; i < has_one.size(); ++i) {
      if (data.columns[j][i] == 0 || !counts(data, i)) continue;
      if (has_one[i] != 0) return 0;
      has_one[i] = 1;
      ++covered;
    }
    if (covered == has_one.size()) return j > begin ? j + 1 - begin : 0;
  }
  return 0;
}

std::string name_of_run(const std::vector<std::string>& names, std::size_t& prefix) {
  std::string_view common = names.front();
  for (const std::string& name : names) {
    const auto [end, other] = std::mismatch(common.begin(), common.end(), name.begin(), name.end());
    common = common.substr(0, static_cast<std::size_t>(end - common.begin()));
  }
  const std::size_t last = common.find_last_of(separators);
  const std::size_t first = last == std::string_view::npos ? last : common.find_last_not_of(separators, last);
  const bool has_rest =
      std::none_of(names.begin(), names.end(), [&](const auto& name) { return name.size() == last + 1; });
  prefix = first == std::string_view::npos || !has_rest ? 0 : last + 1;
  return prefix > 0 ? std::string(common.substr(0, first + 1)) : names.front() + " .. " + names.back();
}

Attribute merged_attribute(const Dataset& data, std::size_t begin, std::size_t count) {
  Attribute merged;
  merged.kind = AttributeKind::categorical;
  for (std::size_t j = begin; j < begin + count; ++j) merged.indicators.push_back(data.schema.attributes[j].name);
  std::size_t prefix = 0;
  merged.name = name_of_run(merged.indicators, prefix);
  for (const std::string& name : merged.indicators) merged.levels.push_back(name.substr(prefix));
  return merged;
}

bool is_taken(const Schema& schema, const std::string& name) {
  const auto has_name = [&](const Attribute& attribute) { return attribute.name == name; };
  return schema.label_name == name || std::any_of(schema.attributes.begin(), schema.attributes.end(), has_name);
}

std::vector<double> codes_of(const Dataset& data, std::size_t begin, std::size_t count) {
  std::vector<double> codes(data.columns[begin].size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    double code = unseen_level;
    std::size_t missing = 0;
    bool is_clear = true;
    for (std::size_t k = 0; k < count; ++k) {
      const double value = data.columns[begin + k][i];
      missing += std::isnan(value) ? 1 : 0;
      is_clear = is_clear && (value == 0 || (value == 1 && code == unseen_level));
      if (value == 1) code = static_cast<double>(k);
    }
    codes[i] = missing == count ? std::numeric_limits<double>::quiet_NaN() : is_clear ? code : unseen_level;
  }
  return codes;
}

}  // namespace

void merge_indicators(Dataset& data, std::span<const std::string> apart) {
  Schema merged = data.schema;
  merged.attributes.clear();
  for (std::size_t j = 0; j < data.attribute_count();) {
    const std::size_t count = run_length(data, j, apart);
    const Attribute together = count > 0 ? merged_attribute(data, j, count) : data.schema.attributes[j];
    const bool is_merged = count > 0 && !is_taken(data.schema, together.name);
    merged.attributes.push_back(is_merged ? together : data.schema.attributes[j]);
    j += is_merged ? count : 1;
  }
  if (merged.attributes.size() < data.attribute_count()) merge_indicators(data, merged);
}

Schema source_schema(const Schema& schema) {
  Schema source = schema;
  source.attributes.clear();
  for (const Attribute& attribute : schema.attributes) {
    if (!attribute.column.empty()) {
      const bool is_known = !source.attributes.empty() && source.attributes.back().name == attribute.column;
      if (is_known) continue;
      source.attributes.push_back(
          {.name = attribute.column, .time = TimePart::days, .month_first = attribute.month_first});
      continue;
    }
    if (attribute.indicators.empty()) source.attributes.push_back(attribute);
    for (const std::string& name : attribute.indicators) source.attributes.push_back({.name = name});
  }
  return source;
}

void merge_indicators(Dataset& data, const Schema& schema) {
  std::vector<Column> columns;
  std::size_t from = 0;
  for (std::size_t j = 0; j < schema.attributes.size(); ++j) {
    const Attribute& attribute = schema.attributes[j];
    if (!attribute.column.empty()) {
      columns.emplace_back(part_codes(data.columns[from], attribute));
      // Parts of one column stand beside each other.
      const bool is_last = j + 1 == schema.attributes.size() || schema.attributes[j + 1].column != attribute.column;
      from += is_last ? 1 : 0;
      continue;
    }
    const std::size_t count = attribute.indicators.size();
    columns.push_back(count > 0 ? Column(codes_of(data, from, count)) : std::move(data.columns[from]));
    from += std::max<std::size_t>(count, 1);
  }
  data.columns = std::move(columns);
  data.schema = schema;
}

}  // namespace xofm::detail
