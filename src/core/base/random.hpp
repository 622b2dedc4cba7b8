// Random numbers that are the same on every machine: std distributions differ between libraries.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace xofm::detail {

// A good 64-bit mix of one number (the finaliser of SplitMix64, Steele, Lea and Flood 2014).
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// xoshiro256++ (Blackman and Vigna 2021), seeded by SplitMix64. Different streams of a seed are independent.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t x = mix(seed) ^ mix(~stream);
    for (auto& word : state_) word = x = mix(x);
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // In 0 .. count-1; the bias of the multiplication is below 2^-32 for counts below 2^32.
  std::uint64_t below(std::uint64_t count) {
    __extension__ using Wide = unsigned __int128;  // not ISO C++: without the mark -Wpedantic warns
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * count) >> 64);
  }

  // Standard normal by Box and Muller; the second value of the pair is dropped to stay stateless.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  std::uint64_t state_[4] = {};
};

}  // namespace xofm::detail
