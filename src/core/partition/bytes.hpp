// Numbers to bytes and back. A reader believes nothing: it throws where bytes are missing or left over.
#pragma once

#include <cstring>
#include <string>
#include <type_traits>

#include "core/base/random.hpp"
#include "xofm/error.hpp"
#include "xofm/partition.hpp"

namespace xofm::detail {

inline std::uint64_t checksum(ByteView bytes) {
  std::uint64_t hash = mix(bytes.size());
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    hash = std::rotl((hash ^ word) * 0x9e3779b97f4a7c15U, 29);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, bytes.data() + at, bytes.size() - at);
  return mix(hash ^ rest);
}

class ByteWriter {
 public:
  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&value, sizeof value);
  }
  template <class T>
  void put_all(const std::vector<T>& values) {
    put<std::uint64_t>(values.size());
    append(values.data(), values.size() * sizeof(T));
  }
  Bytes take() { return std::move(bytes_); }

 private:
  void append(const void* from, std::size_t size) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + size);
    if (size > 0) std::memcpy(bytes_.data() + at, from, size);
  }
  Bytes bytes_;
};

class ByteReader {
 public:
  ByteReader(ByteView bytes, const char* what) : rest_(bytes), what_(what) {}

  template <class T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  template <class T>
  std::vector<T> get_all() {
    const auto count = get<std::uint64_t>();
    need(count <= rest_.size() / sizeof(T), "it is cut off");
    std::vector<T> values(static_cast<std::size_t>(count));
    const ByteView from = take(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), from.data(), from.size());
    return values;
  }
  void end() const { need(rest_.empty(), "it is longer than it should be"); }
  void need(bool condition, const char* problem) const {
    if (condition) return;
    throw Error(ErrorCode::invalid_data,
                std::string("a ") + what_ + " is damaged: " + problem + "; make it again with this version of xofm");
  }

 private:
  ByteView take(std::size_t size) {
    need(size <= rest_.size(), "it is cut off");
    const ByteView taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  ByteView rest_;
  const char* what_;
};

}  // namespace xofm::detail
