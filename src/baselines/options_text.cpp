#include "baselines/options_text.hpp"

#include <fmt/format.h>

#include "xofm/names.hpp"

namespace xofm::baselines {

namespace {

std::string describe(const Recipe& r) {
  return fmt::format("{} {} {} segments spikes {:g} {} factors penalties {:g} {:g} {:g} pairs {} stddev {:g} {} epochs",
                     name_of(r.method), name_of(r.knots), r.segment_count, r.spike_share, r.factor_count,
                     r.increment_penalty, r.sparsity_penalty, r.factor_penalty, name_of(r.pair_weighting),
                     r.init_stddev, r.max_epochs);
}

}  // namespace

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
