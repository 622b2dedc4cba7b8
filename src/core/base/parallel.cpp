#include "core/base/parallel.hpp"

#include "xofm/error.hpp"
#include "xofm/threads.hpp"

#ifdef XOFM_STD_THREADS
#include "core/base/thread_pool.hpp"
#else
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

#include <fmt/format.h>

#include <optional>

namespace xofm {

namespace {

void check_count(int count) {
  if (!(count >= 0)) {
    throw Error(ErrorCode::invalid_option, fmt::format("threads is {}; it must be 0 (one per core) or more", count));
  }
}

void run_alone(std::size_t block_count, const std::function<void(std::size_t)>& body) {
  for (std::size_t block = 0; block < block_count; ++block) body(block);
}

}  // namespace

#ifdef XOFM_STD_THREADS

struct ThreadLimit::State {
  detail::Crew crew;
  detail::Crew* previous;
};

ThreadLimit::ThreadLimit(int count) {
  check_count(count);
  state_ = std::make_unique<State>(State{detail::Crew::of(count), detail::current_crew()});
  detail::current_crew() = &state_->crew;
}

ThreadLimit::~ThreadLimit() { detail::current_crew() = state_->previous; }

void detail::parallel_for(std::size_t block_count, const std::function<void(std::size_t)>& body) {
  Crew* const crew = current_crew();
  if (block_count <= 1 || (crew != nullptr && crew->limit == 1)) {
    run_alone(block_count, body);
  } else if (crew != nullptr) {
    run_in_pool(block_count, body, *crew);
  } else {
    const ThreadLimit one_per_core(0);
    run_in_pool(block_count, body, *current_crew());
  }
}

#else

namespace {

// An arena has its own number of threads, and loops that its threads start stay in it.
struct Limit {
  tbb::task_arena arena;
  int thread_count;
  Limit* previous;
};

Limit*& current_limit() {
  thread_local Limit* limit = nullptr;
  return limit;
}

}  // namespace

// oneTBB makes no more threads than there are cores, and says so on standard error, unless it is allowed more.
struct ThreadLimit::State : Limit {
  std::optional<tbb::global_control> allowance = std::nullopt;
};

ThreadLimit::ThreadLimit(int count) {
  check_count(count);
  const int thread_count = count > 0 ? count : tbb::task_arena::automatic;
  state_ = std::make_unique<State>(State{{tbb::task_arena(thread_count), thread_count, current_limit()}});
  if (count > tbb::info::default_concurrency()) {
    state_->allowance.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count));
  }
  current_limit() = state_.get();
}

ThreadLimit::~ThreadLimit() { current_limit() = state_->previous; }

void detail::parallel_for(std::size_t block_count, const std::function<void(std::size_t)>& body) {
  Limit* const limit = current_limit();
  // Of its own: else an error in a loop around this one would end it before all blocks are done, without a word.
  tbb::task_group_context context(tbb::task_group_context::isolated);
  const auto loop = [&] { tbb::parallel_for(std::size_t{0}, block_count, body, context); };
  if (block_count <= 1 || (limit != nullptr && limit->thread_count == 1)) {
    run_alone(block_count, body);
  } else if (limit == nullptr || limit->thread_count == tbb::task_arena::automatic) {
    loop();
  } else {
    limit->arena.execute(loop);
  }
}

#endif

}  // namespace xofm
