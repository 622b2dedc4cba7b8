#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "c_api/rows.hpp"
#include "core/base/parallel.hpp"
#include "core/base/random.hpp"
#include "core/data/calendar.hpp"
#include "core/data/indicators.hpp"
#include "io/csv_time.hpp"
#include "xofm/error.hpp"

namespace xofm::c_api {

namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::invalid_data, message); }

// Texts by the order in which they come up.
class Interned {
 public:
  double code(std::string_view text) {
    const auto [found, is_new] = codes_.try_emplace(std::string(text), texts_.size());
    if (is_new) texts_.emplace_back(text);
    return static_cast<double>(found->second);
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string, std::size_t> codes_;
  std::vector<std::string> texts_;
};

std::vector<std::string> read_texts(const Column& column, std::vector<double>& codes) {
  Interned interned;
  if (!column.has_texts()) {
    read_numbers(column, 0, codes.size(), codes.data());
    for (double& value : codes) {
      if (!std::isnan(value)) value = interned.code(level_text(value));
    }
    return interned.texts();
  }
  for_each_cell(column, 0, codes.size(), [&](const Chunk& chunk, std::size_t i, std::size_t row) {
    if (!chunk.is_present(i)) {
      codes[row] = no_value;
      return;
    }
    const std::string_view text = chunk.text(i);
    codes[row] = text.empty() ? no_value : interned.code(text);  // as in a CSV file
  });
  return interned.texts();
}

// Only levels that occur in rows that count, in numeric order if all are numbers, else in byte order.
void sort_levels(const std::vector<std::string>& texts, std::span<const double> weights, bool is_asked_for,
                 Attribute& attribute, std::vector<double>& codes) {
  constexpr std::size_t many_levels = 50;
  std::vector<bool> is_used(texts.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (!weights.empty() && weights[i] == 0) continue;
    ++count;
    if (!std::isnan(codes[i])) is_used[static_cast<std::size_t>(codes[i])] = true;
  }
  std::vector<std::pair<double, std::size_t>> order;
  bool all_numbers = true;
  for (std::size_t c = 0; c < texts.size(); ++c) {
    double value = 0;
    if (!is_used[c]) continue;
    if (!detail::is_utf8(texts[c])) {
      refuse(fmt::format("column {} has the text {}, which is not UTF-8", detail::shown(attribute.name),
                         detail::shown(texts[c])));
    }
    all_numbers = all_numbers && detail::read_number(texts[c], value) == detail::CellKind::number;
    order.emplace_back(value, c);
  }
  if (!is_asked_for && order.size() > many_levels && order.size() > count / 2) {
    const bool is_date = detail::date_clue(texts[order.front().second]) != detail::DateClue::none;
    refuse(
        fmt::format("column {} has {} different texts in {} rows, which looks like {}, or keep it by naming it in "
                    "categorical",
                    detail::shown(attribute.name), order.size(), count,
                    is_date ? "dates; convert it to these" : "an identifier; leave it out"));
  }
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (all_numbers && a.first != b.first) return a.first < b.first;
    return texts[a.second] < texts[b.second];
  });
  std::vector<double> sorted(texts.size(), unseen_level);
  for (const auto& [value, c] : order) {
    sorted[c] = static_cast<double>(attribute.levels.size());
    attribute.levels.push_back(texts[c]);
  }
  for (double& code : codes) {
    if (!std::isnan(code)) code = sorted[static_cast<std::size_t>(code)];
  }
}

std::uint64_t bits_of(double value) {
  if (std::isnan(value)) return 0x7ff8000000000000;
  return std::bit_cast<std::uint64_t>(value + 0.0);  // -0 is 0
}

bool is_before(const Dataset& data, std::span<const double> weights, std::size_t a, std::size_t b) {
  if (data.labels[a] != data.labels[b]) return data.labels[a] < data.labels[b];
  for (const auto& column : data.columns) {
    const std::uint64_t x = bits_of(column[a]);
    const std::uint64_t y = bits_of(column[b]);
    if (x != y) return x < y;
  }
  return !weights.empty() && weights[a] < weights[b];
}

constexpr std::size_t tile_rows = 1024;  // of a matrix row by row they stay in the cache while its columns are read

// Calls visit(begin, end) for tiles of rows, on all threads.
template <class Visit>
void for_each_tile(std::size_t count, Visit visit) {
  const std::size_t tile_count = (count + tile_rows - 1) / tile_rows;
  detail::parallel_for(tile_count,
                       [&](std::size_t tile) { visit(tile * tile_rows, std::min((tile + 1) * tile_rows, count)); });
}

// Rows that count, by a hash of what they say: an order without a pattern that any order of the same rows leads to.
std::vector<std::uint32_t> canonical_order(const Dataset& data, std::span<const double> weights) {
  const std::size_t count = data.labels.size();
  std::vector<std::uint64_t> hashes(count);
  for_each_tile(count, [&](std::size_t begin, std::size_t end) {
    std::vector<double> values(end - begin);
    for (std::size_t i = begin; i < end; ++i) hashes[i] = detail::mix(static_cast<std::uint64_t>(data.labels[i]));
    for (const auto& column : data.columns) {
      column.read(begin, end, values.data());
      for (std::size_t i = begin; i < end; ++i) hashes[i] = detail::mix(hashes[i] ^ bits_of(values[i - begin]));
    }
  });
  std::vector<std::uint32_t> order;
  order.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (weights.empty() || weights[i] > 0) order.push_back(static_cast<std::uint32_t>(i));
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return hashes[a] != hashes[b] ? hashes[a] < hashes[b] : is_before(data, weights, a, b);
  });
  return order;
}

// Whether weights are counts that may be written out as rows.
bool are_counts(const std::vector<std::uint32_t>& order, std::span<const double> weights) {
  constexpr double enough = 1'000'000;  // beyond, at most twice the rows: more would cost memory and time for nothing
  double sum = 0;
  for (const std::size_t i : order) {
    if (weights[i] != std::floor(weights[i])) return false;
    sum += weights[i];
  }
  return sum <= std::max(enough, 2 * static_cast<double>(order.size()));
}

void put_in_order(const Labels& labels, TrainingRows& rows) {
  Dataset& data = rows.data;
  std::vector<std::uint32_t> order = canonical_order(data, labels.weights);
  if (!labels.weights.empty()) {
    if (are_counts(order, labels.weights)) {
      std::vector<std::uint32_t> repeated;
      for (const std::uint32_t i : order) {
        repeated.insert(repeated.end(), static_cast<std::size_t>(labels.weights[i]), i);
      }
      order = std::move(repeated);
    } else {
      for (const std::uint32_t i : order) data.weights.push_back(labels.weights[i]);
    }
  }
  rows.origins = std::make_shared<const std::vector<std::uint32_t>>(std::move(order));
  const std::vector<std::uint32_t>& origins = *rows.origins;
  detail::parallel_for(data.columns.size(), [&](std::size_t j) {
    const xofm::Column& given = data.columns[j];
    if (given.is_view()) {
      data.columns[j] = given.view(rows.origins);
      return;
    }
    std::vector<double> ordered(origins.size());
    for (std::size_t i = 0; i < ordered.size(); ++i) ordered[i] = given[origins[i]];
    data.columns[j] = std::move(ordered);
  });
  std::vector<int> ordered_labels;
  ordered_labels.reserve(origins.size());
  for (const std::uint32_t i : origins) ordered_labels.push_back(labels.codes[i]);
  data.labels = std::move(ordered_labels);
}

// Doubles in one piece are read where they lie, and never copied.
bool is_lendable(const Column& column) {
  return column.chunks.size() == 1 && column.chunks.front().type == CellType::float64 &&
         column.chunks.front().validity == nullptr;
}

xofm::Column lend(const Column& column, const xofm::Column::Rows& rows) {
  const Chunk& chunk = column.chunks.front();
  const auto* const first = static_cast<const char*>(chunk.values);
  return xofm::Column::view(first + static_cast<std::ptrdiff_t>(chunk.offset) * chunk.stride, chunk.stride, rows);
}

// One attribute, its levels by their order.
xofm::Column read_column(const Column& column, const Labels& labels, bool is_named, const xofm::Column::Rows& as_given,
                         Attribute& attribute) {
  attribute.name = column.name;
  if (!is_named && is_lendable(column)) return lend(column, as_given);
  std::vector<double> values(as_given->size());
  if (!is_named && !column.has_texts()) {
    read_numbers(column, 0, values.size(), values.data());
    if (column.has_times()) attribute.time = TimePart::days;
  } else {
    attribute.kind = AttributeKind::categorical;
    sort_levels(read_texts(column, values), labels.weights, is_named, attribute, values);
  }
  return values;
}

// As read_numbers does for those that are copied.
void refuse_infinite(const std::vector<const Column*>& columns, const Dataset& data) {
  for_each_tile(data.labels.size(), [&](std::size_t begin, std::size_t end) {
    double values[tile_rows];
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (data.columns[j].is_view()) read_numbers(*columns[j], begin, end, values);
    }
  });
}

xofm::Column::Rows every_row(std::size_t count) {
  auto rows = std::make_shared<std::vector<std::uint32_t>>(count);
  std::iota(rows->begin(), rows->end(), std::uint32_t{0});
  return rows;
}

// What names the rows, as texts.
std::vector<std::string> read_ids(const Column& column, std::size_t row_count) {
  std::vector<std::string> ids(row_count);
  if (column.has_texts()) {
    for_each_cell(column, 0, row_count, [&](const Chunk& chunk, std::size_t i, std::size_t row) {
      if (chunk.is_present(i)) ids[row] = chunk.text(i);
    });
    return ids;
  }
  std::vector<double> values(row_count);
  read_numbers(column, 0, row_count, values.data());
  for (std::size_t i = 0; i < row_count; ++i) {
    if (!std::isnan(values[i])) ids[i] = column.has_times() ? detail::date_text(values[i]) : level_text(values[i]);
  }
  return ids;
}

}  // namespace

TrainingRows training_rows(const Frame& frame, const Labels& labels, const ColumnRequest& request) {
  check_given(frame, labels, request);
  TrainingRows rows;
  Dataset& data = rows.data;
  data.schema.label_name = labels.label_name;
  data.schema.class_names = labels.class_names;
  data.schema.id_name = request.id;
  const Column* id = nullptr;
  std::vector<const Column*> columns;
  for (const Column& column : frame.columns) {
    const bool is_id = !request.id.empty() && column.name == request.id;
    is_id ? void(id = &column) : columns.push_back(&column);
  }
  data.schema.attributes.resize(columns.size());
  data.columns.resize(columns.size());
  data.labels.assign(labels.codes.begin(), labels.codes.end());
  const xofm::Column::Rows as_given = every_row(frame.row_count);
  detail::parallel_for(columns.size(), [&](std::size_t j) {
    const bool is_named = std::find(request.categorical.begin(), request.categorical.end(), columns[j]->name) !=
                          request.categorical.end();
    data.columns[j] = read_column(*columns[j], labels, is_named, as_given, data.schema.attributes[j]);
  });
  refuse_infinite(columns, data);
  // What is a level here is none of the words for a missing value.
  for (const Attribute& attribute : data.schema.attributes) {
    for (const auto& level : attribute.levels) std::erase(data.schema.missing_tokens, level);
  }

  put_in_order(labels, rows);
  if (id != nullptr) {
    const std::vector<std::string> ids = read_ids(*id, frame.row_count);
    for (const std::uint32_t i : *rows.origins) data.ids.push_back(ids[i]);
  }
  if (!request.keep_indicators) detail::merge_indicators(data, request.apart);  // by the rows that count
  detail::take_cyclic_parts(data, request.cyclic);
  if (data.columns.empty())
    refuse("no attribute is left: month, weekday and hour of the dates are the same in all rows");
  return rows;
}

}  // namespace xofm::c_api
