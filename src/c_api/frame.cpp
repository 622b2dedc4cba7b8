#include "c_api/frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "io/csv_number.hpp"
#include "xofm/error.hpp"

namespace xofm::c_api {

namespace {

template <class Value>
Value load(const void* at) {
  Value value;
  std::memcpy(&value, at, sizeof value);  // strides may leave a value where its type may not stand
  return value;
}

const char* place(const Chunk& chunk, std::size_t row) {
  return static_cast<const char*>(chunk.values) + static_cast<std::ptrdiff_t>(chunk.offset + row) * chunk.stride;
}

double half_to_double(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const double mantissa = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31)
    return mantissa == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  return sign * (exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25));
}

template <class Value>
void read_as(const Chunk& chunk, std::size_t from, std::size_t to, double* out) {
  const char* at = place(chunk, from);
  for (std::size_t i = from; i < to; ++i, at += chunk.stride) *out++ = static_cast<double>(load<Value>(at));
}

// As dates in texts are read: the day, and the time as a part of it.
void read_times(const Chunk& chunk, std::int64_t per_second, std::size_t from, std::size_t to, double* out) {
  const std::int64_t per_day = 86400 * per_second;
  for (std::size_t i = from; i < to; ++i) {
    const auto time = load<std::int64_t>(place(chunk, i));
    std::int64_t day = time / per_day;
    std::int64_t rest = time % per_day;
    if (rest < 0) {
      --day;
      rest += per_day;
    }
    const double seconds = static_cast<double>(rest) / static_cast<double>(per_second);
    const bool is_none = time == std::numeric_limits<std::int64_t>::min();
    *out++ = is_none ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(day) + seconds / 86400;
  }
}

void read_values(const Chunk& chunk, std::size_t from, std::size_t to, double* out) {
  switch (chunk.type) {
    case CellType::float64:
      return read_as<double>(chunk, from, to, out);
    case CellType::float32:
      return read_as<float>(chunk, from, to, out);
    case CellType::float16:
      for (std::size_t i = from; i < to; ++i) *out++ = half_to_double(load<std::uint16_t>(place(chunk, i)));
      return;
    case CellType::int8:
      return read_as<std::int8_t>(chunk, from, to, out);
    case CellType::int16:
      return read_as<std::int16_t>(chunk, from, to, out);
    case CellType::int32:
    case CellType::days32:
      return read_as<std::int32_t>(chunk, from, to, out);
    case CellType::int64:
      return read_as<std::int64_t>(chunk, from, to, out);
    case CellType::uint8:
      return read_as<std::uint8_t>(chunk, from, to, out);
    case CellType::uint16:
      return read_as<std::uint16_t>(chunk, from, to, out);
    case CellType::uint32:
      return read_as<std::uint32_t>(chunk, from, to, out);
    case CellType::uint64:
      return read_as<std::uint64_t>(chunk, from, to, out);
    case CellType::byte_boolean:
      for (std::size_t i = from; i < to; ++i) *out++ = load<std::uint8_t>(place(chunk, i)) != 0 ? 1 : 0;
      return;
    case CellType::bit_boolean: {
      const auto* const bits = static_cast<const std::uint8_t*>(chunk.values);
      for (std::size_t i = chunk.offset + from; i < chunk.offset + to; ++i) *out++ = (bits[i / 8] >> (i % 8)) & 1;
      return;
    }
    case CellType::seconds:
      return read_times(chunk, 1, from, to, out);
    case CellType::milliseconds:
      return read_times(chunk, 1'000, from, to, out);
    case CellType::microseconds:
      return read_times(chunk, 1'000'000, from, to, out);
    case CellType::nanoseconds:
      return read_times(chunk, 1'000'000'000, from, to, out);
    case CellType::nothing:
    case CellType::small_text:
    case CellType::large_text:
    case CellType::text_view:
      std::fill(out, out + (to - from), std::numeric_limits<double>::quiet_NaN());
  }
}

[[noreturn]] void refuse_place(std::size_t at) {
  throw Error(
      ErrorCode::invalid_data,
      fmt::format("text {} of an Arrow column (counted from 0) does not lie in its buffer; the stream is damaged", at));
}

void refuse_text(const Column& column, const Chunk& chunk, std::size_t from, std::size_t to, std::size_t start) {
  for (std::size_t i = from; i < to; ++i) {
    if (!chunk.is_present(i)) continue;
    throw Error(ErrorCode::invalid_data,
                fmt::format("attribute \"{}\" is numeric, but row {} (counted from 0) has the text {}; convert the "
                            "column to numbers",
                            column.name, start + i, detail::shown(chunk.text(i))));
  }
}

}  // namespace

std::size_t Chunk::level(std::size_t row) const {
  double code = 0;
  read_values(*this, row, row + 1, &code);
  if (!(code >= 0 && code < static_cast<double>(levels->size()))) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("a dictionary has {} entries, but row {} of its column asks for entry {}", levels->size(),
                            row, code));
  }
  return static_cast<std::size_t>(code);
}

bool Chunk::is_level_present(std::size_t row) const {
  if (has_negative_codes) {
    double code = 0;
    read_values(*this, row, row + 1, &code);
    if (code < 0) return false;
  }
  return !absent_levels || !(*absent_levels)[level(row)];
}

std::string_view Chunk::view(std::size_t at) const {
  const char* const view = static_cast<const char*>(values) + 16 * at;
  const auto size = load<std::int32_t>(view);
  if (size >= 0 && size <= 12) return {view + 4, static_cast<std::size_t>(size)};
  const std::int64_t buffer = load<std::int32_t>(view + 8);
  const std::int64_t begin = load<std::int32_t>(view + 12);
  const std::int64_t text_count = buffer_count - 3;
  if (size < 0 || begin < 0 || buffer < 0 || buffer >= text_count) refuse_place(at);
  const void* const text = buffers[2 + buffer];
  const void* const sizes = buffers[buffer_count - 1];
  if (text == nullptr || sizes == nullptr || begin + size > static_cast<const std::int64_t*>(sizes)[buffer]) {
    refuse_place(at);
  }
  return {static_cast<const char*>(text) + begin, static_cast<std::size_t>(size)};
}

std::string_view Chunk::text(std::size_t row) const {
  if (levels) return (*levels)[level(row)];
  const std::size_t at = offset + row;
  if (type == CellType::text_view) return view(at);
  const auto between = [&](const auto* offsets) {
    const auto begin = offsets[at];
    const auto end = offsets[at + 1];
    if (begin < 0 || end < begin || (bytes == nullptr && end > 0)) refuse_place(at);
    return std::string_view(bytes + begin, static_cast<std::size_t>(end - begin));
  };
  if (type == CellType::large_text) return between(static_cast<const std::int64_t*>(values));
  return between(static_cast<const std::int32_t*>(values));
}

bool Column::has_texts() const {
  return std::any_of(chunks.begin(), chunks.end(), [](const Chunk& chunk) { return chunk.has_texts(); });
}

bool Column::has_times() const {
  return std::any_of(chunks.begin(), chunks.end(), [](const Chunk& chunk) { return chunk.has_times(); });
}

std::vector<std::string> Frame::names() const {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

void read_numbers(const Column& column, std::size_t begin, std::size_t end, double* out) {
  std::size_t start = 0;
  for (const Chunk& chunk : column.chunks) {
    const std::size_t from = std::min(begin > start ? begin - start : 0, chunk.length);
    const std::size_t to = std::min(end > start ? end - start : 0, chunk.length);
    if (from < to) {
      if (chunk.has_texts()) refuse_text(column, chunk, from, to, start);
      double* const target = out + (start + from - begin);
      if (chunk.levels) {
        std::fill(target, target + (to - from), std::numeric_limits<double>::quiet_NaN());
      } else {
        read_values(chunk, from, to, target);
      }
      // Mostly all is there and finite: seen in one go.
      const auto is_infinite = [](double value) { return std::abs(value) > std::numeric_limits<double>::max(); };
      std::size_t infinite_count = 0;
      for (std::size_t i = 0; i < to - from; ++i) infinite_count += is_infinite(target[i]) ? 1 : 0;
      const bool is_plain = infinite_count == 0 && chunk.validity == nullptr;
      for (std::size_t i = is_plain ? to : from; i < to; ++i) {
        double& value = target[i - from];
        if (!chunk.is_present(i)) value = std::numeric_limits<double>::quiet_NaN();
        if (!std::isinf(value)) continue;
        throw Error(ErrorCode::invalid_data,
                    fmt::format("attribute \"{}\" is {} in row {} (counted from 0); infinity is not a number to learn "
                                "from: give a finite value, or NaN for missing",
                                column.name, value, start + i));
      }
    }
    start += chunk.length;
  }
}

std::string level_text(double value) {
  constexpr double most_exact = 9007199254740992.0;  // 2^53
  if (value == std::floor(value) && std::abs(value) <= most_exact) return fmt::format("{:.0f}", value + 0.0);
  return fmt::format("{}", value);
}

}  // namespace xofm::c_api
