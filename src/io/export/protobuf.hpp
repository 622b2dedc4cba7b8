// As much of the encoding of Protocol Buffers as writing takes.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace xofm::detail {

class Message {
 public:
  Message& number(int field, std::int64_t value) {
    key(field, 0);
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  Message& text(int field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(int field, const Message& value) { return text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  void key(int field, unsigned type) { varint(static_cast<std::uint64_t>(field) << 3U | type); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

// Doubles and whole numbers as eight bytes each, the least first.
template <class Number>
std::string little_endian(const Number* values, std::size_t count) {
  static_assert(sizeof(Number) == 8);
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(values[i]);
    for (unsigned shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(bits >> shift);
  }
  return bytes;
}

}  // namespace xofm::detail
