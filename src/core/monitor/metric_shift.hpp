// Metrics of labelled new rows, with confidence intervals, in bounded memory.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/random.hpp"
#include "xofm/monitor.hpp"

namespace xofm::detail {

// Keeps all rows up to a limit, and of more a sample in which every row has the same chance (Vitter's algorithm R).
class MetricSample {
 public:
  explicit MetricSample(const MonitorOptions& options) : options_(options), random_(options.seed, 0x3042) {}

  void add(const std::vector<int>& labels, const Predictions& predictions);
  std::size_t seen() const { return seen_; }
  std::size_t size() const { return labels_.size(); }

  // Against the model's own figures of unseen rows.
  std::vector<MetricShift> metrics(const Model& model) const;

 private:
  Metrics evaluate_without(std::size_t group, std::size_t group_count, int class_count) const;

  MonitorOptions options_;
  Random random_;
  std::size_t seen_ = 0;
  std::vector<int> labels_;
  std::vector<int> classes_;
  std::vector<double> scores_;
  std::vector<double> probabilities_;  // row by row
};

}  // namespace xofm::detail
