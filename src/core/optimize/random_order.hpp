// A random order of 0 .. count-1 that is computed, not stored: O(1) memory for billions of pairs.
#pragma once

#include <bit>
#include <cstdint>

#include "core/base/random.hpp"

namespace xofm::detail {

// A balanced Feistel network over the next even number of bits, walked until it falls below count: a bijection
// whatever the round function is. The domain is less than four times the count, so a walk takes four steps at most
// on average.
class RandomOrder {
 public:
  RandomOrder(std::uint64_t count, std::uint64_t seed) : count_(count) {
    const int bits = count > 1 ? static_cast<int>(std::bit_width(count - 1)) : 1;
    half_bits_ = (bits + 1) / 2;
    half_mask_ = (std::uint64_t{1} << half_bits_) - 1;
    for (int round = 0; round < round_count; ++round) keys_[round] = mix(seed + static_cast<std::uint64_t>(round) * 7);
  }

  std::uint64_t operator[](std::uint64_t index) const {
    do {
      std::uint64_t left = index >> half_bits_;
      std::uint64_t right = index & half_mask_;
      for (const std::uint64_t key : keys_) {
        const std::uint64_t next = left ^ (mix(right ^ key) & half_mask_);
        left = right;
        right = next;
      }
      index = (left << half_bits_) | right;
    } while (index >= count_);
    return index;
  }

 private:
  static constexpr int round_count = 4;
  std::uint64_t count_;
  int half_bits_;
  std::uint64_t half_mask_;
  std::uint64_t keys_[round_count] = {};
};

}  // namespace xofm::detail
