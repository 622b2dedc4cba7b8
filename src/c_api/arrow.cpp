#include "c_api/arrow.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "io/csv_number.hpp"
#include "xofm/error.hpp"

namespace xofm::c_api {

namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::invalid_data, message); }

// Released when its last owner is gone.
template <class Arrow>
std::shared_ptr<Arrow> make_owned() {
  return {new Arrow{}, [](Arrow* arrow) {
            if (arrow->release != nullptr) arrow->release(arrow);
            delete arrow;
          }};
}

struct Format {
  CellType type;
  std::ptrdiff_t width;  // bytes of a value; of texts: of an offset or view
};

Format format_of(std::string_view format, const std::string& name) {
  static const std::map<std::string_view, Format> known = {
      {"g", {CellType::float64, 8}},    {"f", {CellType::float32, 4}},        {"e", {CellType::float16, 2}},
      {"c", {CellType::int8, 1}},       {"s", {CellType::int16, 2}},          {"i", {CellType::int32, 4}},
      {"l", {CellType::int64, 8}},      {"C", {CellType::uint8, 1}},          {"S", {CellType::uint16, 2}},
      {"I", {CellType::uint32, 4}},     {"L", {CellType::uint64, 8}},         {"b", {CellType::bit_boolean, 0}},
      {"u", {CellType::small_text, 4}}, {"U", {CellType::large_text, 8}},     {"vu", {CellType::text_view, 16}},
      {"tdD", {CellType::days32, 4}},   {"tdm", {CellType::milliseconds, 8}}, {"n", {CellType::nothing, 0}},
  };
  static const std::map<std::string_view, Format> timestamps = {{"tss:", {CellType::seconds, 8}},
                                                                {"tsm:", {CellType::milliseconds, 8}},
                                                                {"tsu:", {CellType::microseconds, 8}},
                                                                {"tsn:", {CellType::nanoseconds, 8}}};
  // The time zone that follows is for display: all are counted from 1970-01-01 UTC.
  if (const auto time = timestamps.find(format.substr(0, 4)); time != timestamps.end()) return time->second;
  const auto found = known.find(format);
  if (found != known.end()) return found->second;
  const char first = format.empty() ? ' ' : format.front();
  const char* const kind = first == 't'                     ? "times of day, or durations"
                           : first == 'd'                   ? "decimal numbers"
                           : first == '+'                   ? "nested values"
                           : first == 'z' || first == 'Z'   ? "bytes"
                           : format == "vz" || first == 'w' ? "bytes"
                                                            : "values of an unknown type";
  refuse(fmt::format("column {} has {} (Arrow format '{}'); convert it to numbers or texts, or leave it out",
                     detail::shown(name), kind, format));
}

// Sizes of buffers are not told; what is told is not believed.
void check_extent(const ArrowArray& array, const std::string& what) {
  constexpr std::int64_t most = std::int64_t{1} << 56;  // cells: more have no address
  if (array.length < 0 || array.offset < 0 || array.length > most || array.offset > most) {
    refuse(fmt::format("{} has the length {} and the offset {} in Arrow; the stream is damaged", what, array.length,
                       array.offset));
  }
}

Chunk chunk_of(const ArrowSchema& schema, const ArrowArray& array, const std::string& name);

// The entries of a dictionary as texts.
void add_levels(const ArrowSchema& schema, const ArrowArray& array, const std::string& name, Chunk& chunk) {
  const Chunk entries = chunk_of(schema, array, name);
  auto levels = std::make_shared<std::vector<std::string>>();
  auto absent = std::make_shared<std::vector<bool>>();
  bool has_absent = false;
  Column numbers{name, {entries}};
  for (std::size_t i = 0; i < entries.length; ++i) {
    const bool is_absent = !entries.is_present(i);
    absent->push_back(is_absent);
    has_absent = has_absent || is_absent;
    if (is_absent) {
      levels->emplace_back();
    } else if (entries.has_texts()) {
      levels->emplace_back(entries.text(i));
    } else {
      double value = 0;
      read_numbers(numbers, i, i + 1, &value);
      levels->push_back(level_text(value));
    }
  }
  chunk.levels = std::move(levels);
  if (has_absent) chunk.absent_levels = std::move(absent);
}

Chunk chunk_of(const ArrowSchema& schema, const ArrowArray& array, const std::string& name) {
  const auto [type, width] = format_of(schema.format != nullptr ? schema.format : "", name);
  check_extent(array, "column " + detail::shown(name));
  Chunk chunk{.type = type,
              .length = static_cast<std::size_t>(array.length),
              .offset = static_cast<std::size_t>(array.offset),
              .stride = width};
  if (type == CellType::nothing) return chunk;
  const bool is_text = chunk.has_texts();
  const std::int64_t least = is_text && type != CellType::text_view ? 3 : 2;
  if (array.n_buffers < least || array.buffers == nullptr) {
    refuse(
        fmt::format("column {} has {} Arrow buffers; its type needs {}", detail::shown(name), array.n_buffers, least));
  }
  if (array.buffers[1] == nullptr && array.length > 0) {
    refuse(fmt::format("column {} has {} values in Arrow, but no buffer of them", detail::shown(name), array.length));
  }
  if (array.null_count != 0) chunk.validity = static_cast<const std::uint8_t*>(array.buffers[0]);
  chunk.values = array.buffers[1];
  chunk.buffers = array.buffers;
  chunk.buffer_count = array.n_buffers;
  if (least == 3) chunk.bytes = static_cast<const char*>(array.buffers[2]);
  if (schema.dictionary == nullptr) return chunk;
  if (is_text || array.dictionary == nullptr)
    refuse(fmt::format("column {}: a dictionary needs whole-number codes", detail::shown(name)));
  add_levels(*schema.dictionary, *array.dictionary, name, chunk);
  return chunk;
}

[[noreturn]] void refuse_stream(ArrowArrayStream& stream, int code) {
  const char* const reason = stream.get_last_error(&stream);
  refuse(
      fmt::format("the Arrow stream cannot be read: {}", reason != nullptr ? reason : fmt::format("error {}", code)));
}

// Rows of a table are there, even where all of their values are missing.
void check_rows(const ArrowArray& batch) {
  const auto* const bits = batch.n_buffers > 0 && batch.buffers != nullptr && batch.null_count != 0
                               ? static_cast<const std::uint8_t*>(batch.buffers[0])
                               : nullptr;
  for (std::int64_t i = batch.offset; bits != nullptr && i < batch.offset + batch.length; ++i) {
    if (((bits[i / 8] >> (i % 8)) & 1) == 0)
      refuse("an Arrow batch has a row that is missing as a whole; leave it out");
  }
}

void add_batch(const ArrowSchema& schema, const ArrowArray& batch, Frame& frame) {
  if (batch.n_children != schema.n_children || (batch.children == nullptr && batch.n_children > 0)) {
    refuse(fmt::format("an Arrow batch has {} columns; its schema has {}", batch.n_children, schema.n_children));
  }
  check_extent(batch, "a batch");
  for (std::size_t j = 0; j < frame.columns.size(); ++j) {
    if (batch.children[j] == nullptr) refuse(fmt::format("column {} of an Arrow batch is absent", j));
  }
  for (std::size_t j = 0; j < frame.columns.size(); ++j) {
    Column& column = frame.columns[j];
    Chunk chunk = chunk_of(*schema.children[j], *batch.children[j], column.name);
    chunk.offset += static_cast<std::size_t>(batch.offset);
    const auto length = static_cast<std::size_t>(batch.length);
    if (static_cast<std::size_t>(batch.offset) + length > chunk.length) {
      refuse(fmt::format("column {} of an Arrow batch is shorter than the batch", detail::shown(column.name)));
    }
    chunk.length = length;
    column.chunks.push_back(std::move(chunk));
  }
  check_rows(batch);
  frame.row_count += static_cast<std::size_t>(batch.length);
}

}  // namespace

Frame frame_from_arrow(ArrowArrayStream& given) {
  const auto stream = make_owned<ArrowArrayStream>();
  *stream = given;
  given.release = nullptr;
  if (stream->release == nullptr) refuse("the Arrow stream was used before; make a new one");
  const auto schema = make_owned<ArrowSchema>();
  if (const int code = stream->get_schema(stream.get(), schema.get()); code != 0) refuse_stream(*stream, code);
  const std::string_view format = schema->format != nullptr ? schema->format : "";
  if (format != "+s" || schema->n_children < 0) {
    refuse(fmt::format("the Arrow stream has values of format '{}'; it must be record batches (a table)", format));
  }
  Frame frame;
  for (std::int64_t j = 0; j < schema->n_children; ++j) {
    const ArrowSchema* const child = schema->children != nullptr ? schema->children[j] : nullptr;
    if (child == nullptr) refuse(fmt::format("column {} of the Arrow stream has no schema", j));
    frame.columns.push_back({child->name != nullptr ? child->name : "", {}});
  }
  for (;;) {
    auto batch = make_owned<ArrowArray>();
    if (const int code = stream->get_next(stream.get(), batch.get()); code != 0) refuse_stream(*stream, code);
    if (batch->release == nullptr) break;
    add_batch(*schema, *batch, frame);
    frame.owned.push_back(std::move(batch));
  }
  // A stream without batches still has types: an empty chunk keeps them.
  if (frame.row_count == 0) {
    for (std::size_t j = 0; j < frame.columns.size(); ++j) {
      const char* const known = schema->children[j]->format;
      frame.columns[j].chunks = {Chunk{.type = format_of(known != nullptr ? known : "", frame.columns[j].name).type}};
    }
  }
  return frame;
}

}  // namespace xofm::c_api
