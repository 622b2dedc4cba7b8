#include "core/base/thread_pool.hpp"

#ifdef XOFM_STD_THREADS

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace xofm::detail {

namespace {

constexpr std::size_t most_threads = 512;
constexpr int spins = 200;  // looks at what it waits for before a thread goes to sleep: some microseconds

struct Loop {
  const std::function<void(std::size_t)>* body;
  std::size_t block_count;
  Crew* crew;
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> helper_count = 0;  // changed under the pool's mutex
  std::mutex failure_mutex = {};
  std::exception_ptr failure = {};

  bool is_open() const { return next.load(std::memory_order_relaxed) < block_count; }

  void work() {
    for (std::size_t block = next++; block < block_count; block = next++) {
      try {
        (*body)(block);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
      }
    }
  }
};

class Pool {
 public:
  void run(Loop& loop) {
    const std::size_t wanted = open(loop);
    loop.work();
    if (wanted > 0) close(loop);
    if (loop.failure) std::rethrow_exception(loop.failure);
  }

 private:
  // Offers the loop to helpers; how many are wanted.
  std::size_t open(Loop& loop) {
    const std::lock_guard lock(mutex_);
    const Crew& crew = *loop.crew;
    const std::size_t room = crew.limit > crew.busy ? crew.limit - crew.busy : 0;
    const std::size_t wanted = std::min(room, loop.block_count - 1);
    if (wanted == 0) return 0;
    loops_.push_back(&loop);
    opened_.fetch_add(1, std::memory_order_release);
    try {
      while (idle_count_ + started_count_ < wanted && thread_count_ < most_threads) {
        std::thread([this] { help(); }).detach();
        ++started_count_;
        ++thread_count_;
      }
    } catch (const std::system_error&) {  // no thread is to be had: the caller does the work
    }
    if (wanted == 1) {
      wake_.notify_one();
    } else {
      wake_.notify_all();
    }
    return wanted;
  }

  // No helper begins any more; waits for those that have.
  void close(Loop& loop) {
    std::unique_lock lock(mutex_);
    loops_.erase(std::find(loops_.begin(), loops_.end(), &loop));
    lock.unlock();
    for (int i = 0; i < spins && loop.helper_count.load(std::memory_order_acquire) > 0; ++i) std::this_thread::yield();
    lock.lock();
    left_.wait(lock, [&] { return loop.helper_count == 0; });
  }

  Loop* next_loop() {
    for (auto loop = loops_.rbegin(); loop != loops_.rend(); ++loop) {  // inner loops first: somebody waits for them
      if ((*loop)->is_open() && (*loop)->crew->busy < (*loop)->crew->limit) return *loop;
    }
    return nullptr;
  }

  [[noreturn]] void help() {
    std::unique_lock lock(mutex_);
    --started_count_;
    for (;;) {
      Loop* const loop = next_loop();
      if (loop == nullptr) {
        rest(lock);
        continue;
      }
      ++loop->helper_count;
      ++loop->crew->busy;
      lock.unlock();
      current_crew() = loop->crew;
      loop->work();
      current_crew() = nullptr;
      lock.lock();
      --loop->crew->busy;
      if (--loop->helper_count == 0) left_.notify_all();
    }
  }

  void rest(std::unique_lock<std::mutex>& lock) {
    const std::size_t seen = opened_.load(std::memory_order_acquire);
    ++idle_count_;
    lock.unlock();
    for (int i = 0; i < spins && opened_.load(std::memory_order_acquire) == seen; ++i) std::this_thread::yield();
    lock.lock();
    wake_.wait(lock, [&] { return opened_ != seen; });
    --idle_count_;
  }

  std::mutex mutex_;
  std::condition_variable wake_;  // a loop was opened
  std::condition_variable left_;  // the last helper of a loop has left it
  std::vector<Loop*> loops_;
  std::atomic<std::size_t> opened_ = 0;
  std::size_t idle_count_ = 0;
  std::size_t started_count_ = 0;  // threads that have not yet looked for work
  std::size_t thread_count_ = 0;
};

std::atomic<Pool*> the_pool = nullptr;

// Never destroyed: its threads wait in it until the process ends. A forked process has none of them and starts anew.
Pool& pool() {
  static const int is_ready = [] {
    the_pool = new Pool;
    return pthread_atfork(nullptr, nullptr, [] { the_pool = new Pool; });
  }();
  static_cast<void>(is_ready);
  return *the_pool;
}

}  // namespace

Crew Crew::of(int count) {
  return {.limit = count > 0 ? static_cast<std::size_t>(count) : std::max(std::thread::hardware_concurrency(), 1U)};
}

Crew*& current_crew() {
  thread_local Crew* crew = nullptr;
  return crew;
}

void run_in_pool(std::size_t block_count, const std::function<void(std::size_t)>& body, Crew& crew) {
  Loop loop{.body = &body, .block_count = block_count, .crew = &crew};
  pool().run(loop);
}

}  // namespace xofm::detail

#endif
