#include "core/base/parallel.hpp"

#include "xofm/error.hpp"
#include "xofm/threads.hpp"

#ifdef XOFM_STD_THREADS
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#else
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#endif

#include <fmt/format.h>

namespace xofm {

namespace {
void check_count(int count) {
  if (!(count >= 0)) {
    throw Error(ErrorCode::invalid_option, fmt::format("threads is {}; it must be 0 (one per core) or more", count));
  }
}
}  // namespace

#ifdef XOFM_STD_THREADS

namespace {
std::atomic<int> thread_limit = 0;
}

struct ThreadLimit::State {
  int previous;
};

ThreadLimit::ThreadLimit(int count) {
  check_count(count);
  state_ = std::make_unique<State>(thread_limit.exchange(count));
}

ThreadLimit::~ThreadLimit() { thread_limit = state_->previous; }

void detail::parallel_for(std::size_t block_count, const std::function<void(std::size_t)>& body) {
  const int limit = thread_limit;
  const std::size_t wanted = limit > 0 ? static_cast<std::size_t>(limit) : std::thread::hardware_concurrency();
  const std::size_t thread_count = std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(block_count, 1));
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t block = next++; block < block_count; block = next++) {
      try {
        body(block);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < thread_count; ++i) threads.emplace_back(work);
  work();
  for (auto& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

#else

struct ThreadLimit::State {
  explicit State(std::size_t count) : control(tbb::global_control::max_allowed_parallelism, count) {}
  tbb::global_control control;
};

ThreadLimit::ThreadLimit(int count) {
  check_count(count);
  if (count > 0) state_ = std::make_unique<State>(static_cast<std::size_t>(count));
}

ThreadLimit::~ThreadLimit() = default;

void detail::parallel_for(std::size_t block_count, const std::function<void(std::size_t)>& body) {
  if (block_count <= 1) {
    if (block_count == 1) body(0);
    return;
  }
  tbb::parallel_for(std::size_t{0}, block_count, body);
}

#endif

}  // namespace xofm
