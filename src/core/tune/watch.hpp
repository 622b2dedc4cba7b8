// How far a search has come, and whether it must stop.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>

#include "xofm/tune.hpp"

namespace xofm::detail {

// Work done, for the progress bar; and whether to stop.
class Watch {
 public:
  Watch(const TuneOptions& options, const TuneCallback& progress)
      : progress_(progress), time_limit_(options.time_limit), start_(std::chrono::steady_clock::now()) {}

  void plan(double share_begin, double share_end, double passes, std::size_t candidate_count, bool finals) {
    state_ = {share_begin, candidate_count, finals};
    begin_ = share_begin;
    end_ = share_end;
    planned_ = passes;
    done_ = 0;
  }
  bool may_go_on() const { return !stopped_; }
  bool out_of_time() const { return out_of_time_; }
  bool interrupted() const { return interrupted_; }
  double passes() const { return passes_; }

  void add(double passes) {
    const std::lock_guard lock(mutex_);
    passes_ += passes;
    done_ += passes;
  }
  // False once all should stop.
  bool tick() {
    const std::lock_guard lock(mutex_);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    if (time_limit_ > 0 && elapsed.count() > time_limit_) out_of_time_ = true;
    state_.share = begin_ + (end_ - begin_) * std::min(1.0, planned_ > 0 ? done_ / planned_ : 0.0);
    if (progress_ && !stopped_ && !progress_(state_)) interrupted_ = true;
    stopped_ = out_of_time_ || interrupted_;
    return !stopped_;
  }

 private:
  const TuneCallback& progress_;
  double time_limit_;
  std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;
  TuneProgress state_;
  double begin_ = 0;
  double end_ = 0;
  double planned_ = 0;
  double done_ = 0;
  double passes_ = 0;
  bool out_of_time_ = false;
  bool interrupted_ = false;
  std::atomic<bool> stopped_ = false;
};

}  // namespace xofm::detail
