// Parallel loops over fixed blocks. The blocks depend on the size of the work alone, never on the number of threads;
// whoever adds up per-block results in block order gets the same bits on any machine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

namespace xofm::detail {

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
};

// Block `block` of `block_count` nearly equal parts of 0 .. size.
inline Range block_range(std::size_t size, std::size_t block_count, std::size_t block) {
  const std::size_t quotient = size / block_count;
  const std::size_t remainder = size % block_count;
  const std::size_t begin = block * quotient + std::min(block, remainder);
  return {begin, begin + quotient + (block < remainder ? 1 : 0)};
}

// Number of blocks for `size` items: at least `least` items a block, at most `most` blocks, never zero.
inline std::size_t block_count_for(std::size_t size, std::size_t least, std::size_t most) {
  return std::clamp<std::size_t>(size / std::max<std::size_t>(least, 1), 1, most);
}

// Calls body(0) .. body(block_count - 1), each once, in any order, possibly at the same time.
// An exception of a body is rethrown here after the others have ended.
void parallel_for(std::size_t block_count, const std::function<void(std::size_t)>& body);

}  // namespace xofm::detail
