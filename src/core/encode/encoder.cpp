#include "xofm/encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

#include "core/base/freed_memory.hpp"
#include "core/base/parallel.hpp"
#include "core/encode/encode_range.hpp"
#include "core/encode/knots.hpp"
#include "xofm/error.hpp"

namespace xofm {

namespace {

constexpr int max_segment_count = 10'000;
constexpr int max_coordinates = std::numeric_limits<std::uint16_t>::max();

void check_names(const Schema& schema, const EncoderOptions& options) {
  const auto find = [&](const std::string& name, const char* option) -> const Attribute& {
    for (const auto& attribute : schema.attributes) {
      if (attribute.name == name) return attribute;
    }
    throw Error(ErrorCode::invalid_option, fmt::format("{}: there is no attribute '{}'", option, name));
  };
  const auto need_numeric = [&](const std::string& name, const char* option) {
    if (find(name, option).kind != AttributeKind::numeric) {
      throw Error(ErrorCode::invalid_option,
                  fmt::format("{}: attribute '{}' is categorical; its levels have no order", option, name));
    }
  };
  const auto check_count = [](int count) {
    if (!(count >= 1 && count <= max_segment_count)) {
      throw Error(ErrorCode::invalid_option,
                  fmt::format("segment_count is {}; it must be 1 to {}", count, max_segment_count));
    }
  };
  check_count(options.segment_count);
  if (!(options.spike_share >= 0 && options.spike_share <= 1)) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("spike_share is {}; it must be 0 (no spikes) to 1", options.spike_share));
  }
  for (const auto& [name, count] : options.attributes.segment_counts) {
    need_numeric(name, "segment_counts");
    check_count(count);
  }
  for (const auto& [name, knots] : options.attributes.given_knots) {
    need_numeric(name, "given_knots");
    const bool finite = std::all_of(knots.begin(), knots.end(), [](double knot) { return std::isfinite(knot); });
    const bool ascending = std::adjacent_find(knots.begin(), knots.end(), std::greater_equal<>()) == knots.end();
    if (!finite || !ascending || knots.size() < 2 || knots.size() > max_segment_count + 1) {
      throw Error(ErrorCode::invalid_option,
                  fmt::format("given_knots of '{}' must be 2 to {} finite numbers, each greater than the one before",
                              name, max_segment_count + 1));
    }
  }
  for (const auto& [name, direction] : options.attributes.directions) {
    if (direction != Direction::none) need_numeric(name, "directions");
  }
}

template <class Value>
Value value_or(const std::map<std::string, Value>& map, const std::string& key, Value otherwise) {
  const auto found = map.find(key);
  return found == map.end() ? otherwise : found->second;
}

// Of the sorted values; their number if it is none of them.
std::size_t index_of(const std::vector<double>& sorted, double value) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), value);
  return at != sorted.end() && *at == value ? static_cast<std::size_t>(at - sorted.begin()) : sorted.size();
}

AttributeEncoder fit_attribute(const Attribute& attribute, const Column& column, const EncoderOptions& options) {
  AttributeEncoder encoder;
  encoder.kind = attribute.kind;
  encoder.direction = value_or(options.attributes.directions, attribute.name, Direction::none);

  std::vector<double> present;
  present.reserve(column.size());
  std::size_t missing_count = 0;
  std::vector<char> has_special(attribute.special.size());
  for (const double value : column) {
    if (std::isnan(value)) {
      ++missing_count;
    } else if (const std::size_t k = index_of(attribute.special, value); k < has_special.size()) {
      has_special[k] = 1;
    } else {
      present.push_back(value);
    }
  }
  encoder.has_missing = missing_count > 0;
  for (std::size_t k = 0; k < has_special.size(); ++k) {
    (has_special[k] != 0 ? encoder.special : encoder.absent_special).push_back(attribute.special[k]);
  }
  const auto refuse_empty = [&] {
    throw Error(ErrorCode::invalid_data, fmt::format("attribute '{}' has no value in any row{}", attribute.name,
                                                     attribute.special.empty() ? "" : " beside its special ones"));
  };
  if (present.empty()) refuse_empty();

  ValueNote note{};
  if (attribute.kind == AttributeKind::categorical) {
    encoder.level_count = static_cast<int>(attribute.levels.size());
    if (encoder.level_count >= max_coordinates) {
      throw Error(ErrorCode::invalid_data, fmt::format("attribute '{}' has {} levels; at most {} are possible",
                                                       attribute.name, encoder.level_count, max_coordinates - 1));
    }
    std::vector<std::size_t> counts(attribute.levels.size());
    for (const double code : present) {
      if (code >= 0) ++counts[static_cast<std::size_t>(code)];
    }
    const auto most = std::max_element(counts.begin(), counts.end());
    if (most == counts.end() || *most == 0) refuse_empty();  // without a level there is no coordinate to point at
    encoder.typical = encoder.locate(static_cast<double>(most - counts.begin()), note);
    return encoder;
  }

  // Quantiles of every k-th row are as good as those of all: 100,000 values place a knot within 0.2 % of the rows.
  constexpr std::size_t enough = 100'000;
  if (present.size() > 2 * enough) {
    const auto [least, greatest] = std::minmax_element(present.begin(), present.end());
    std::vector<double> sample = {*least, *greatest};
    for (std::size_t i = 0; i < present.size(); i += present.size() / enough) sample.push_back(present[i]);
    present = std::move(sample);
  }
  std::sort(present.begin(), present.end());
  const auto given = options.attributes.given_knots.find(attribute.name);
  const int segment_count = value_or(options.attributes.segment_counts, attribute.name, options.segment_count);
  if (given != options.attributes.given_knots.end()) {
    encoder.knots = given->second;
  } else {
    encoder.knots = options.knots == KnotPlacement::equal_width
                        ? detail::equal_width_knots(present.front(), present.back(), segment_count)
                        : detail::quantile_knots(present, segment_count);
    if (options.spike_share > 0) detail::add_spikes(encoder.knots, present, options.spike_share);
  }
  encoder.typical = encoder.locate_on_curve(present[(present.size() - 1) / 2], note);
  return encoder;
}

// How many inner knots are at or below the value. A binary search without branches: they could not be predicted.
std::uint32_t segment_of(const std::vector<double>& knots, double value) {
  const double* const inner = knots.data() + 1;
  std::uint32_t found = 0;
  for (auto left = static_cast<std::uint32_t>(knots.size() - 2); left > 0;) {
    const std::uint32_t half = (left + 1) / 2;
    found += half & -static_cast<std::uint32_t>(inner[found + half - 1] <= value);  // no branch to guess wrong
    left -= half;
  }
  return found;
}

// (value - low) / (high - low), also where the difference would overflow.
double fraction_between(double low, double high, double value) {
  const double width = high - low;
  if (std::isinf(width)) return (value / 2 - low / 2) / (high / 2 - low / 2);
  return (value - low) / width;
}

}  // namespace

int AttributeEncoder::segment_count() const {
  if (kind == AttributeKind::categorical) return level_count;
  return std::max(static_cast<int>(knots.size()) - 1, 1);
}

Position AttributeEncoder::locate_missing(ValueNote& note) const {
  note = has_missing ? ValueNote::none : ValueNote::unexpected_missing;
  return has_missing ? Position{static_cast<std::uint32_t>(coordinate_count() - 1), 1.0} : typical;
}

Position AttributeEncoder::locate(double value, ValueNote& note) const {
  note = ValueNote::none;
  if (std::isnan(value)) return locate_missing(note);
  if (kind == AttributeKind::categorical) {
    if (value >= 0 && value < level_count) return {static_cast<std::uint32_t>(value), 1.0};
    note = ValueNote::new_level;
    return {0, 0.0};
  }
  const std::size_t k = index_of(special, value);
  if (k < special.size()) return {static_cast<std::uint32_t>(static_cast<std::size_t>(segment_count()) + k), 1.0};
  if (index_of(absent_special, value) < absent_special.size()) return locate_missing(note);
  return locate_on_curve(value, note);
}

Position AttributeEncoder::locate_on_curve(double value, ValueNote& note) const {
  note = ValueNote::none;
  if (value < knots.front()) note = ValueNote::below_range;
  if (value > knots.back()) note = ValueNote::above_range;
  if (knots.size() == 1) return {0, 0.0};

  const double clamped = std::clamp(value, knots.front(), knots.back());
  const std::uint32_t segment = segment_of(knots, clamped);
  const double fraction = fraction_between(knots[segment], knots[segment + 1], clamped);
  if (direction != Direction::decreasing) return {segment, fraction};
  return {static_cast<std::uint32_t>(knots.size()) - 2 - segment, 1.0 - fraction};
}

void number_coordinates(Encoder& encoder) {
  encoder.offsets.assign(1, 0);
  for (const auto& attribute : encoder.attributes) {
    encoder.offsets.push_back(encoder.offsets.back() + static_cast<std::uint32_t>(attribute.coordinate_count()));
  }
}

Encoder fit_encoder(const Dataset& data, const EncoderOptions& options) {
  check_names(data.schema, options);
  Encoder encoder;
  encoder.attributes.resize(data.attribute_count());
  detail::parallel_for(data.attribute_count(), [&](std::size_t j) {
    encoder.attributes[j] = fit_attribute(data.schema.attributes[j], data.columns[j], options);
  });
  number_coordinates(encoder);
  return encoder;
}

namespace {

// One attribute of some rows: what locate() does, with all that is the same for every row outside the loop.
// Coordinates and fractions lie `stride` apart.
template <class Fraction>
void encode_column(const AttributeEncoder& attribute, std::span<const double> values, std::size_t stride,
                   std::uint16_t* coordinates, Fraction* fractions,
                   const std::function<void(std::size_t, ValueNote)>& say) {
  const std::vector<double>& knots = attribute.knots;
  // Where some numbers are special, all take the long way.
  const bool has_special = !attribute.special.empty() || !attribute.absent_special.empty();
  const bool has_segments = attribute.kind == AttributeKind::numeric && knots.size() > 1 && !has_special;
  const double least = has_segments ? knots.front() : 0;
  const double most = has_segments ? knots.back() : -1;
  const bool rises = attribute.direction != Direction::decreasing;
  const auto last = static_cast<std::uint32_t>(has_segments ? knots.size() - 2 : 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    Position position;
    if (value >= least && value <= most) {
      const std::uint32_t segment = segment_of(knots, value);
      const double fraction = fraction_between(knots[segment], knots[segment + 1], value);
      position = rises ? Position{segment, fraction} : Position{last - segment, 1.0 - fraction};
    } else {
      ValueNote note{};
      position = attribute.locate(value, note);
      if (note != ValueNote::none && say) say(i, note);
    }
    coordinates[i * stride] = static_cast<std::uint16_t>(position.coordinate);
    fractions[i * stride] = static_cast<Fraction>(position.fraction);
  }
}

}  // namespace

void detail::encode_range(const Encoder& encoder, const Dataset& data, Range range, EncodedRows& rows, std::size_t at,
                          std::vector<RowNote>* notes) {
  const std::size_t m = encoder.attributes.size();
  std::vector<double> values(range.end - range.begin);
  for (std::size_t j = 0; j < m; ++j) {
    std::function<void(std::size_t, ValueNote)> say;
    if (notes != nullptr) say = [&](std::size_t i, ValueNote note) { notes->push_back({range.begin + i, j, note}); };
    data.columns[j].read(range.begin, range.end, values.data());
    const std::size_t cell = at * m + j;
    rows.fractions.visit([&](auto* fractions) {
      encode_column(encoder.attributes[j], values, m, rows.coordinates.data() + cell, fractions + cell, say);
    });
  }
  if (notes == nullptr) return;
  std::stable_sort(notes->begin(), notes->end(), [](const RowNote& a, const RowNote& b) { return a.row < b.row; });
}

void detail::check_layout(const Encoder& encoder, const Dataset& data) {
  if (data.attribute_count() == encoder.attributes.size()) return;
  throw Error(ErrorCode::invalid_data, fmt::format("the rows have {} attributes; the model has {}",
                                                   data.attribute_count(), encoder.attributes.size()));
}

EncodedRows detail::make_rows(const Encoder& encoder, std::size_t row_count, bool is_narrow) {
  const std::size_t cells = row_count * encoder.attributes.size();
  return {row_count, encoder.attributes.size(), std::vector<std::uint16_t>(cells), Fractions(cells, is_narrow)};
}

EncodedRows detail::encode_rows(const Encoder& encoder, const Dataset& data, Range range) {
  EncodedRows rows = make_rows(encoder, range.end - range.begin);
  const std::size_t block_count = encoding_blocks(rows.row_count);
  parallel_for(block_count, [&](std::size_t block) {
    const Range own = block_range(rows.row_count, block_count, block);
    encode_range(encoder, data, {range.begin + own.begin, range.begin + own.end}, rows, own.begin, nullptr);
  });
  return rows;
}

EncodedRows encode(const Encoder& encoder, const Dataset& data, std::vector<RowNote>* notes) {
  detail::check_layout(encoder, data);
  const bool is_narrow = data.row_count() * encoder.attributes.size() > detail::many_cells;
  if (is_narrow) detail::return_freed_memory();
  EncodedRows rows = detail::make_rows(encoder, data.row_count(), is_narrow);
  const std::size_t block_count = detail::encoding_blocks(rows.row_count);
  std::vector<std::vector<RowNote>> block_notes(notes != nullptr ? block_count : 0);
  detail::parallel_for(block_count, [&](std::size_t block) {
    const detail::Range range = detail::block_range(rows.row_count, block_count, block);
    detail::encode_range(encoder, data, range, rows, range.begin, notes != nullptr ? &block_notes[block] : nullptr);
  });
  for (const auto& part : block_notes) notes->insert(notes->end(), part.begin(), part.end());
  return rows;
}

}  // namespace xofm
