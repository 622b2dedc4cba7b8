// A pool of std::threads for parallel loops, where oneTBB is not wanted: in the Python package, which brings no library
// of its own for this, and under ThreadSanitizer, which cannot see into oneTBB.
//
// Whoever starts a loop works on it too and waits only for blocks that a helper has begun. So loops may start loops,
// and a pool without free threads only means that nobody helps.
#pragma once

#include <cstddef>
#include <functional>

namespace xofm::detail {

// The threads that work on one call, its inner loops included.
struct Crew {
  std::size_t limit = 1;
  std::size_t busy = 1;  // the caller is the first; guarded by the pool

  // One per core if `count` is 0.
  static Crew of(int count);
};

// That of the calling thread; null: it has none yet.
Crew*& current_crew();

// Calls body(0) .. body(block_count - 1) by the calling thread and as many helpers as the crew has room for.
void run_in_pool(std::size_t block_count, const std::function<void(std::size_t)>& body, Crew& crew);

}  // namespace xofm::detail
