#include "c_api/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/parallel.hpp"
#include "core/data/indicators.hpp"
#include "io/closest_name.hpp"
#include "io/csv_time.hpp"
#include "xofm/error.hpp"

namespace xofm::c_api {

namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

// "'income' is missing; did you mean 'Income'?"
std::string missing_text(const std::string& name, const std::vector<std::string>& names) {
  std::string text = detail::shown(name);
  const std::string* const closest = detail::closest_name(name, names);
  return closest == nullptr ? text : fmt::format("{} (is it {}?)", text, detail::shown(*closest));
}

const Column* find_column(const Frame& frame, const std::string& name) {
  const Column* found = nullptr;
  for (const Column& column : frame.columns) {
    if (column.name != name) continue;
    if (found != nullptr) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("two columns are named {}; give each column its own name", detail::shown(name)));
    }
    found = &column;
  }
  return found;
}

}  // namespace

RowReader::RowReader(const Frame& frame, const Schema& schema)
    : frame_(&frame), wanted_(&schema), schema_(detail::source_schema(schema)), missing_(schema.missing_tokens) {
  for (const auto& token : schema.missing_tokens) {
    double value = 0;
    has_missing_numbers_ = has_missing_numbers_ || detail::read_number(token, value) == detail::CellKind::number;
  }
  std::string lacking;
  for (const Attribute& attribute : schema_.attributes) {
    Source source{.column = find_column(frame, attribute.name)};
    if (source.column == nullptr) {
      lacking += (lacking.empty() ? "" : ", ") + missing_text(attribute.name, frame.names());
      continue;
    }
    if (source.column->has_times() && attribute.time == TimePart::none) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("column {} has dates or times, but in training it had {}; convert it to these",
                              detail::shown(attribute.name),
                              attribute.kind == AttributeKind::numeric ? "numbers" : "categories"));
    }
    if (attribute.kind == AttributeKind::categorical) {
      for (std::size_t c = 0; c < attribute.levels.size(); ++c) {
        source.codes.emplace(attribute.levels[c], static_cast<double>(c));
      }
      for (const Chunk& chunk : source.column->chunks) {
        auto& codes = source.chunk_codes.emplace_back();
        if (!chunk.levels) continue;
        for (std::size_t e = 0; e < chunk.levels->size(); ++e) {
          const bool is_absent = chunk.absent_levels && (*chunk.absent_levels)[e];
          codes.push_back(is_absent ? no_value : code_of(source, (*chunk.levels)[e]));
        }
      }
    }
    sources_.push_back(std::move(source));
  }
  if (lacking.empty()) return;
  throw Error(ErrorCode::invalid_data, fmt::format("the model needs columns that the rows lack: {}", lacking));
}

double RowReader::code_of(const Source& source, std::string_view text) const {
  const auto found = source.codes.find(text);
  if (found != source.codes.end()) return found->second;
  return missing_.contains(text) ? no_value : unseen_level;
}

void RowReader::read_levels(const Source& source, std::size_t begin, std::size_t end, double* out) const {
  const Chunk* const first = source.column->chunks.data();
  for_each_cell(*source.column, begin, end, [&](const Chunk& chunk, std::size_t i, std::size_t row) {
    double& code = out[row - begin];
    if (!chunk.is_present(i)) {
      code = no_value;
    } else if (chunk.levels) {
      code = source.chunk_codes[static_cast<std::size_t>(&chunk - first)][chunk.level(i)];
    } else {
      code = code_of(source, chunk.text(i));
    }
  });
}

void RowReader::read_times(std::size_t attribute, std::size_t begin, std::size_t end, double* out) const {
  const Attribute& wanted = schema_.attributes[attribute];
  const auto order = wanted.month_first ? detail::DateOrder::month_first : detail::DateOrder::day_first;
  for_each_cell(*sources_[attribute].column, begin, end, [&](const Chunk& chunk, std::size_t i, std::size_t row) {
    double& value = out[row - begin];
    value = no_value;
    if (!chunk.is_present(i) || missing_.contains(chunk.text(i))) return;
    if (detail::read_time(chunk.text(i), order, value)) return;
    throw Error(ErrorCode::invalid_data, fmt::format("attribute {} is {} in row {} (counted from 0), which is no date",
                                                     detail::shown(wanted.name), detail::shown(chunk.text(i)), row));
  });
}

void RowReader::read_values(std::size_t attribute, std::size_t begin, std::size_t end, double* out) const {
  const Source& source = sources_[attribute];
  if (schema_.attributes[attribute].kind == AttributeKind::categorical) {
    if (source.column->has_texts()) return read_levels(source, begin, end, out);
    read_numbers(*source.column, begin, end, out);
    for (double* value = out; value < out + (end - begin); ++value) {
      if (!std::isnan(*value)) *value = code_of(source, level_text(*value));
    }
    return;
  }
  if (schema_.attributes[attribute].time != TimePart::none && source.column->has_texts()) {
    return read_times(attribute, begin, end, out);
  }
  read_numbers(*source.column, begin, end, out);
  if (!has_missing_numbers_) return;
  std::replace_if(
      out, out + (end - begin), [&](double value) { return missing_.contains(value); }, no_value);
}

Dataset RowReader::read(std::size_t begin, std::size_t end) const {
  Dataset rows;
  rows.columns.assign(sources_.size(), xofm::Column(end - begin));
  for (std::size_t j = 0; j < sources_.size(); ++j) read_values(j, begin, end, rows.columns[j].data());
  merge(rows);
  return rows;
}

Dataset RowReader::read_all() const {
  Dataset rows;
  rows.columns.assign(sources_.size(), xofm::Column(frame_->row_count));
  // Rows of a matrix lie one after the other: a block of them stays in the cache while its columns are read.
  const std::size_t block_count = detail::block_count_for(frame_->row_count, 1024, 256);
  detail::parallel_for(block_count, [&](std::size_t block) {
    const auto [begin, end] = detail::block_range(frame_->row_count, block_count, block);
    for (std::size_t j = 0; j < sources_.size(); ++j) read_values(j, begin, end, rows.columns[j].data() + begin);
  });
  merge(rows);
  rows.schema = *wanted_;
  return rows;
}

void RowReader::merge(Dataset& rows) const {
  const auto is_made = [](const Attribute& attribute) {
    return !attribute.indicators.empty() || !attribute.column.empty();
  };
  if (std::any_of(wanted_->attributes.begin(), wanted_->attributes.end(), is_made)) {
    detail::merge_indicators(rows, *wanted_);
  }
}

}  // namespace xofm::c_api
