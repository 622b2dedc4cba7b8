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

std::string describe(const Recipe& r) {
  return fmt::format("{} {} {} segments spikes {:g} {} factors penalties {:g} {:g} {:g} pairs {} stddev {:g} {} epochs",
                     name_of(r.method), name_of(r.knots), r.segment_count, r.spike_share, r.factor_count,
                     r.increment_penalty, r.sparsity_penalty, r.factor_penalty, name_of(r.pair_weighting),
                     r.init_stddev, r.max_epochs);
}

}  // namespace

std::vector<TrainOptions> paper_candidates(const Dataset& data, const std::vector<int>& segment_counts) {
  std::vector<TrainOptions> candidates;
  for (const int segment_count : segment_counts) {
    for (const double margin : {0.1, 0.5, 1.0}) {
      TrainOptions options = paper_preset();
      options.recipe().segment_count = segment_count;
      options.margin = margin;
      if (pair_count(data) > 2e5) {
        options.recipe().method = Optimizer::lbfgs;
        options.recipe().max_epochs = 100;
      }
      candidates.push_back(options);
    }
  }
  return candidates;
}

Model train_as_paper(const Dataset& data, TrainOptions options, const ProgressCallback& progress) {
  constexpr double least_step = 1e-6;
  while (true) {
    Model model = train(data, options, progress).model;
    if (model.summary.stop_reason != StopReason::diverged || options.optimizer.learning_rate < least_step) return model;
    options.optimizer.learning_rate /= 2;
  }
}

std::string describe(const TrainOptions& o) {
  std::string text;
  for (const Recipe& part : o.parts) {
    if (o.parts.size() > 1) text += fmt::format("{:g} x ", part.weight);
    text += describe(part) + "; ";
  }
  return text + fmt::format("margin {:g}, direction {:g}, bag {}, {} by {}", o.margin, o.auto_direction, o.bag_count,
                            name_of(o.assignment.rule), name_of(o.assignment.reference_scores));
}

}  // namespace xofm::baselines
