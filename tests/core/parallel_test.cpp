#include "core/base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "xofm/error.hpp"
#include "xofm/threads.hpp"

namespace xofm::detail {
namespace {

TEST(Parallel, EveryBlockRunsOnce) {
  std::vector<std::atomic<int>> runs(1000);
  parallel_for(runs.size(), [&](std::size_t block) { ++runs[block]; });
  for (const auto& count : runs) EXPECT_EQ(count, 1);
}

TEST(Parallel, BlocksCoverTheRangeInOrder) {
  for (const std::size_t size : {0, 1, 7, 100, 101}) {
    std::size_t next = 0;
    for (std::size_t block = 0; block < 7; ++block) {
      const Range range = block_range(size, 7, block);
      EXPECT_EQ(range.begin, next);
      next = range.end;
    }
    EXPECT_EQ(next, size);
  }
}

TEST(Parallel, AnExceptionOfABodyReachesTheCaller) {
  EXPECT_THROW(parallel_for(8,
                            [](std::size_t block) {
                              if (block == 3) throw std::runtime_error("three");
                            }),
               std::runtime_error);
}

TEST(Parallel, ANegativeThreadCountIsRefused) { EXPECT_THROW(ThreadLimit(-1), Error); }

}  // namespace
}  // namespace xofm::detail
