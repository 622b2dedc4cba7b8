#include "core/base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
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

TEST(Parallel, LoopsInsideLoopsRunEveryBlockOnce) {
  std::vector<std::atomic<int>> runs(40 * 30 * 5);
  parallel_for(40, [&](std::size_t a) {
    parallel_for(30, [&](std::size_t b) { parallel_for(5, [&](std::size_t c) { ++runs[(a * 30 + b) * 5 + c]; }); });
  });
  for (const auto& count : runs) EXPECT_EQ(count, 1);
}

// How many threads were at work at once in the loops, and in the loops inside them, that one thread starts.
int most_at_once(int limit_count) {
  std::atomic<int> working = 0;
  std::atomic<int> most = 0;
  const ThreadLimit limit(limit_count);
  parallel_for(6, [&](std::size_t) {
    parallel_for(4, [&](std::size_t) {
      const int now = ++working;
      for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      --working;
    });
  });
  return most;
}

TEST(Parallel, ALimitOfOneStaysOnTheCallingThread) {
  const ThreadLimit limit(1);
  const auto caller = std::this_thread::get_id();
  parallel_for(50, [&](std::size_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST(Parallel, EachThreadHasItsOwnLimit) {
  int most_of_two = 0;
  std::thread other([&] { most_of_two = most_at_once(2); });
  const int most_of_three = most_at_once(3);
  other.join();
  EXPECT_LE(most_of_two, 2);
  EXPECT_LE(most_of_three, 3);
}

TEST(Parallel, AnInnerLimitEndsWithItsScope) {
  const ThreadLimit outer(1);
  { const ThreadLimit inner(4); }
  const auto caller = std::this_thread::get_id();
  parallel_for(50, [&](std::size_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST(Parallel, ManyShortLoopsOfManyThreads) {
  std::atomic<std::size_t> sum = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) parallel_for(7, [&](std::size_t block) { sum += block; });
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(sum, 4U * 500 * 21);
}

TEST(Parallel, AnErrorBesideALoopDoesNotEndItEarly) {
  std::atomic<int> cut_short = 0;
  for (int round = 0; round < 200; ++round) {
    const auto outer = [&](std::size_t part) {
      if (part % 2 == 1) throw std::runtime_error("one of the parts");
      std::atomic<int> runs = 0;
      parallel_for(500, [&](std::size_t) { ++runs; });
      if (runs != 500) ++cut_short;
    };
    EXPECT_THROW(parallel_for(8, outer), std::runtime_error);
  }
  EXPECT_EQ(cut_short, 0);
}

TEST(Parallel, ANegativeThreadCountIsRefused) { EXPECT_THROW(ThreadLimit(-1), Error); }

}  // namespace
}  // namespace xofm::detail
