// How far a search has come, and whether it must stop.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include "xofm/tune.hpp"

namespace xofm::detail {

// Work done, for the progress bar; and whether to stop.
class Watch {
 public:
  Watch(const TuneOptions& options, TuneCallback progress)
      : progress_(std::move(progress)), time_limit_(options.time_limit), start_(std::chrono::steady_clock::now()) {}

  // The passes of a part of the work, and where it begins and ends on the progress bar.
  void plan(double share_begin, double share_end, double passes, bool validating) {
    state_.share = share_begin;
    state_.validating = validating;
    begin_ = share_begin;
    end_ = share_end;
    planned_ = passes;
    done_ = 0;
  }
  void count_candidates(std::size_t count) { state_.candidate_count = count; }
  bool may_go_on() const { return !stopped_; }
  bool out_of_time() const { return out_of_time_; }
  bool interrupted() const { return interrupted_; }
  double passes() const { return passes_; }

  // Whole numbers, so that their sum does not depend on the order.
  void add(double passes) {
    const std::lock_guard lock(mutex_);
    passes_ += passes;
    done_ += passes;
  }
  // For the bar alone.
  void set_done(double passes) {
    const std::lock_guard lock(mutex_);
    done_ = passes;
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
  TuneCallback progress_;
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
