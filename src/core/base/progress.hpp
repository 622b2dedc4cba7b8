// One progress for work made of parts, one after the other or at the same time: a part reports its own share, and the
// callback at the top hears the share of the whole. Once it has said stop, every part hears stop.
#pragma once

#include <algorithm>
#include <mutex>
#include <numeric>
#include <vector>

#include "xofm/optimize.hpp"

namespace xofm::detail {

// Of work that stands for the whole from `begin` to `end`, both in [0, 1]. The callback must outlive the part.
inline ProgressCallback part_of(const ProgressCallback& whole, double begin, double end, const char* phase = nullptr) {
  if (!whole) return {};
  return [&whole, begin, end, phase](Progress p) {
    p.share = begin + p.share * (end - begin);
    if (phase != nullptr) p.phase = phase;
    return whole(p);
  };
}

// Notes in `stopped` that the callback has said stop, and says it ever after.
inline ProgressCallback noting(const ProgressCallback& whole, bool& stopped) {
  return [&whole, &stopped](const Progress& p) {
    stopped = stopped || (whole && !whole(p));
    return !stopped;
  };
}

// Parts that run at the same time, all alike in size.
class ParallelProgress {
 public:
  ParallelProgress(std::size_t part_count, const ProgressCallback& whole) : shares_(part_count), whole_(whole) {}

  // False once all should stop.
  bool report(std::size_t part, Progress p) {
    const std::lock_guard lock(mutex_);
    shares_[part] = p.share;
    if (p.count == 0) p.count = finished_;
    p.share = std::accumulate(shares_.begin(), shares_.end(), 0.0) / static_cast<double>(shares_.size());
    if (whole_ && !stopped_) stopped_ = !whole_(p);
    return !stopped_;
  }
  bool finish(std::size_t part) {
    {
      const std::lock_guard lock(mutex_);
      ++finished_;
    }
    return report(part, {.share = 1});
  }
  ProgressCallback of(std::size_t part) {
    return [this, part](const Progress& p) { return report(part, p); };
  }
  bool stopped() {
    const std::lock_guard lock(mutex_);
    return stopped_;
  }

 private:
  std::mutex mutex_;
  std::vector<double> shares_;
  std::size_t finished_ = 0;
  bool stopped_ = false;
  const ProgressCallback& whole_;
};

}  // namespace xofm::detail
