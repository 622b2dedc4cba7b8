// How many threads the parallel loops may use. Results are the same bits for any number.
#pragma once

#include <memory>

namespace xofm {

// While it lives, at most `count` threads work on what the thread that made it asks of xofm; 0 means one per core. Work
// that other threads ask for has limits of its own. Make and destroy it on the same thread; limits nest.
class ThreadLimit {
 public:
  explicit ThreadLimit(int count);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace xofm
