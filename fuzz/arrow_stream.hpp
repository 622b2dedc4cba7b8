// An Arrow stream made by decisions. What the interface lets a reader check may be wrong: lengths, offsets and counts
// that cannot be, pointers that are missing, texts outside of their buffers, codes without an entry. What it cannot
// check holds: behind every pointer there is as much as the lengths promise.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "c_api/arrow.hpp"
#include "decisions.hpp"

namespace xofm::fuzzing {

constexpr std::size_t most_rows = 24;
constexpr std::size_t most_offset = 8;

struct ArrowColumn {
  std::string name;
  std::string format;
  bool has_dictionary = false;
  std::string entry_format;
};

// One array and all that it points at.
struct ArrowCells {
  ArrowArray array{};
  std::vector<const void*> pointers;
  std::vector<std::vector<char>> memory;
  std::unique_ptr<ArrowCells> dictionary;

  ArrowCells(Decisions& decide, std::string_view format, std::int64_t length);
  void spoil(Decisions& decide);

 private:
  void fill(Decisions& decide, std::size_t bytes);
  template <class Offset>
  void fill_offsets(Decisions& decide, std::size_t count);
};

inline void ArrowCells::fill(Decisions& decide, std::size_t bytes) {
  const std::string given = decide.text(bytes);
  memory.emplace_back(bytes);
  std::copy(given.begin(), given.end(), memory.back().begin());
  pointers.push_back(memory.back().data());
}

// Ascending, descending or negative, but never behind the 32 bytes of text.
template <class Offset>
void ArrowCells::fill_offsets(Decisions& decide, std::size_t count) {
  memory.emplace_back((count + 1) * sizeof(Offset));
  auto* const offsets = reinterpret_cast<Offset*>(memory.back().data());
  for (std::size_t i = 0; i <= count; ++i) {
    const bool is_wrong = decide.is_rare();
    const auto step = static_cast<Offset>(decide.below(4));
    offsets[i] = is_wrong ? static_cast<Offset>(decide.value<std::int8_t>() % 32)
                          : std::min<Offset>((i > 0 ? offsets[i - 1] : 0) + step, 32);
  }
  pointers.push_back(memory.back().data());
  fill(decide, 32);
}

inline void ArrowCells::spoil(Decisions& decide) {
  switch (decide.below(6)) {
    case 0:
      array.length = decide.impossible();
      break;
    case 1:
      array.offset = decide.impossible();
      break;
    case 2:
      array.n_buffers = static_cast<std::int64_t>(decide.below(pointers.size() + 1)) - 1;
      break;
    case 3:
      array.buffers = nullptr;
      break;
    case 4:
      pointers[decide.below(pointers.size())] = nullptr;
      break;
    default:
      array.dictionary = nullptr;
  }
}

inline ArrowCells::ArrowCells(Decisions& decide, std::string_view format, std::int64_t length) {
  array.length = length;
  array.offset = static_cast<std::int64_t>(decide.below(most_offset + 1));
  array.null_count = static_cast<std::int64_t>(decide.below(3)) - 1;
  const std::size_t count = most_rows + 2 * most_offset + 2;  // the batch may have an offset too
  memory.reserve(8);
  fill(decide, decide.below(2) == 0 ? 0 : count / 8 + 1);  // the bitmap
  if (memory.back().empty()) pointers.back() = nullptr;
  if (format == "u") {
    fill_offsets<std::int32_t>(decide, count);
  } else if (format == "U") {
    fill_offsets<std::int64_t>(decide, count);
  } else if (format == "vu") {
    fill(decide, 16 * count);
    fill(decide, 40);
    fill(decide, sizeof(std::int64_t));
    const std::int64_t size = 40;
    std::memcpy(memory.back().data(), &size, sizeof size);
  } else {
    fill(decide, 8 * count);
  }
  array.n_buffers = static_cast<std::int64_t>(pointers.size());
  array.buffers = pointers.data();
}

class ArrowStream {
 public:
  explicit ArrowStream(Decisions& decide);
  ArrowArrayStream stream{};

 private:
  static ArrowStream& of(ArrowArrayStream* stream) { return *static_cast<ArrowStream*>(stream->private_data); }
  int give_schema(ArrowSchema* out);
  int give_batch(ArrowArray* out);

  Decisions& decide_;
  std::vector<ArrowColumn> columns_;
  std::vector<ArrowSchema> schemas_;
  std::vector<ArrowSchema> entry_schemas_;
  std::vector<ArrowSchema*> schema_pointers_;
  std::vector<std::unique_ptr<ArrowCells>> cells_;  // of all batches: a frame reads them later
  std::vector<std::vector<ArrowArray*>> children_;
  std::deque<const void*> batch_bitmaps_;
  const std::vector<char> bits_ = std::vector<char>(8);
  std::size_t batches_left_ = 0;
};

inline ArrowStream::ArrowStream(Decisions& decide) : decide_(decide), batches_left_(1 + decide.below(3)) {
  constexpr const char* names[] = {"size", "make", "colour", "is_new", "other", ""};
  constexpr const char* formats[] = {"g", "u", "vu", "U", "b",   "c",   "f",       "e",   "s",  "i",     "l", "C",
                                     "S", "I", "L",  "n", "tdD", "tdm", "tsn:UTC", "tts", "+s", "d:4,2", "z", "?"};
  const std::size_t count = 4 + decide.below(3);
  for (std::size_t j = 0; j < count; ++j) {
    ArrowColumn column;
    column.name = names[(j + decide.below(std::size(names))) % std::size(names)];
    column.format = formats[decide.is_rare() ? decide.below(std::size(formats)) : decide.below(19)];
    column.has_dictionary = decide.below(4) == 3;
    column.entry_format = formats[decide.below(5)];
    columns_.push_back(column);
  }
  stream = {[](ArrowArrayStream* s, ArrowSchema* out) { return of(s).give_schema(out); },
            [](ArrowArrayStream* s, ArrowArray* out) { return of(s).give_batch(out); },
            [](ArrowArrayStream*) -> const char* { return nullptr; }, [](ArrowArrayStream* s) { s->release = nullptr; },
            this};
}

inline int ArrowStream::give_schema(ArrowSchema* out) {
  if (decide_.is_rare()) return 22;
  const auto leaf = [&](const std::string& format, const std::string& name) {
    ArrowSchema schema{};
    schema.format = decide_.is_rare() ? nullptr : format.c_str();
    schema.name = decide_.is_rare() ? nullptr : name.c_str();
    return schema;
  };
  entry_schemas_.reserve(columns_.size());
  for (const ArrowColumn& column : columns_) {
    schemas_.push_back(leaf(column.format, column.name));
    if (!column.has_dictionary) continue;
    entry_schemas_.push_back(leaf(column.entry_format, ""));
    schemas_.back().dictionary = &entry_schemas_.back();
  }
  for (ArrowSchema& schema : schemas_) schema_pointers_.push_back(decide_.is_rare() ? nullptr : &schema);
  *out = {};
  out->format = decide_.is_rare() ? "+l" : "+s";
  out->n_children = decide_.is_rare() ? -1 : static_cast<std::int64_t>(schemas_.size());
  out->children = decide_.is_rare() ? nullptr : schema_pointers_.data();
  out->release = [](ArrowSchema* schema) { schema->release = nullptr; };
  return 0;
}

inline int ArrowStream::give_batch(ArrowArray* out) {
  *out = {};
  if (batches_left_-- == 0) return 0;
  if (decide_.is_rare()) return 5;
  const auto length = static_cast<std::int64_t>(decide_.below(most_rows + 1));
  const auto offset = static_cast<std::int64_t>(decide_.is_rare() ? decide_.below(most_offset + 1) : 0);
  children_.emplace_back();
  for (const ArrowColumn& column : columns_) {
    cells_.push_back(std::make_unique<ArrowCells>(decide_, column.format, length + offset));
    ArrowCells& cells = *cells_.back();
    if (column.has_dictionary) {
      const auto entry_count = static_cast<std::int64_t>(decide_.below(most_rows));
      cells.dictionary = std::make_unique<ArrowCells>(decide_, column.entry_format, entry_count);
      cells.array.dictionary = &cells.dictionary->array;
      if (decide_.is_rare()) cells.dictionary->spoil(decide_);
    }
    if (decide_.is_rare()) cells.spoil(decide_);
    children_.back().push_back(decide_.is_rare() ? nullptr : &cells.array);
  }
  batch_bitmaps_.push_back(decide_.is_rare() ? bits_.data() : nullptr);
  out->length = decide_.is_rare() ? decide_.impossible() : length;
  out->offset = decide_.is_rare() ? decide_.impossible() : offset;
  out->null_count = static_cast<std::int64_t>(decide_.below(2)) - 1;
  out->n_buffers = 1;
  out->buffers = &batch_bitmaps_.back();
  out->n_children = static_cast<std::int64_t>(children_.back().size()) - (decide_.is_rare() ? 1 : 0);
  out->children = decide_.is_rare() ? nullptr : children_.back().data();
  out->release = [](ArrowArray* array) { array->release = nullptr; };
  return 0;
}

}  // namespace xofm::fuzzing
