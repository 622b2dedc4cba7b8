#include "baselines/paper_choice.hpp"

#include <fmt/format.h>

#include "xofm/names.hpp"

namespace xofm::baselines {

namespace {

// Ordered pairs that one epoch of Algorithm 1 visits.
double pair_count(const Dataset& data) {
  std::vector<double> counts(static_cast<std::size_t>(data.schema.class_count()));
  for (const int label : data.labels) ++counts[static_cast<std::size_t>(label)];
  double same = 0;
  for (const double count : counts) same += count * count;
  const auto n = static_cast<double>(data.row_count());
  return (n * n - same) / 2;
}

}  // namespace

std::vector<TrainOptions> paper_candidates(const Dataset& data, const std::vector<int>& segment_counts) {
  std::vector<TrainOptions> candidates;
  for (const int segment_count : segment_counts) {
    for (const double margin : {0.1, 0.5, 1.0}) {
      TrainOptions options = paper_preset();
      options.encoder.segment_count = segment_count;
      options.margin = margin;
      if (pair_count(data) > 2e5) {
        options.optimizer.method = Optimizer::lbfgs;
        options.optimizer.max_epochs = 100;
      }
      candidates.push_back(options);
    }
  }
  return candidates;
}

std::string describe(const TrainOptions& o) {
  return fmt::format(
      "{} {}x{} segments, {} factors, penalties {:g} {:g}, pairs {}, stddev {:g}, {} epochs, margin {:g}, "
      "direction {:g}, bag {}, {} by {}",
      name_of(o.optimizer.method), name_of(o.encoder.knots), o.encoder.segment_count, o.factor_count,
      o.increment_penalty, o.factor_penalty, name_of(o.pair_weighting), o.optimizer.init_stddev, o.optimizer.max_epochs,
      o.margin, o.auto_direction, o.bag_count, name_of(o.assignment.rule), name_of(o.assignment.reference_scores));
}

}  // namespace xofm::baselines
