// An input as a series of decisions: numbers and choices from its beginning, zeros when it has ended.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

namespace xofm::fuzzing {

class Decisions {
 public:
  Decisions(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

  template <class Value>
  Value value() {
    Value result{};
    const std::size_t size = std::min(sizeof result, left());
    std::memcpy(&result, at_, size);
    at_ += size;
    return result;
  }
  std::size_t below(std::size_t count) { return value<std::uint8_t>() % count; }
  // One decision in sixteen, never by the zeros after the end.
  bool is_rare() { return value<std::uint8_t>() % 16 == 15; }
  // What no length, offset or count can be.
  std::int64_t impossible() {
    constexpr std::int64_t values[] = {-1, std::numeric_limits<std::int64_t>::min(),
                                       std::numeric_limits<std::int64_t>::max(), std::int64_t{1} << 60};
    return values[below(4)];
  }
  std::string text(std::size_t size) {
    size = std::min(size, left());
    const std::string result(reinterpret_cast<const char*>(at_), size);
    at_ += size;
    return result;
  }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

}  // namespace xofm::fuzzing
