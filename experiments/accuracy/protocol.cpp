#include "protocol.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "xofm/names.hpp"
#include "xofm/train.hpp"

namespace xofm::accuracy {

namespace {

std::string describe(const Recipe& r) {
  return fmt::format("{} {} segments {} factors penalties {:g} {:g} pairs {} stddev {:g} {} epochs direction {:g}",
                     name_of(r.knots), r.segment_count, r.factor_count, r.increment_penalty, r.factor_penalty,
                     name_of(r.pair_weighting), r.init_stddev, r.max_epochs, r.auto_direction);
}

std::string describe(const TrainOptions& o) {
  std::string text;
  for (const BlendPart& part : o.blend) text += fmt::format("{} x {}; ", part.count, describe(part.recipe));
  if (o.blend.empty()) {
    text =
        describe(Recipe{o.encoder.knots, o.encoder.segment_count, o.auto_direction, o.factor_count, o.increment_penalty,
                        o.factor_penalty, o.pair_weighting, o.optimizer.init_stddev, o.optimizer.max_epochs});
    text += "; ";
  }
  return text + fmt::format("{} margin {:g} bag {} {} by {}", name_of(o.optimizer.method), o.margin, o.bag_count,
                            name_of(o.assignment.rule), name_of(o.assignment.reference_scores));
}

// Ordered pairs that one epoch of Algorithm 1 visits.
double pair_count(const Dataset& data) {
  std::vector<double> counts(static_cast<std::size_t>(data.schema.class_count()));
  for (const int label : data.labels) ++counts[static_cast<std::size_t>(label)];
  double same = 0;
  for (const double count : counts) same += count * count;
  const auto n = static_cast<double>(data.row_count());
  return (n * n - same) / 2;
}

Metrics quality(Model& model, const Dataset& holdout, std::span<const int> labels, Aim aim) {
  model.assignment.options.aim = aim;
  const Predictions p = model.predict(holdout);
  return evaluate(model.schema.class_count(), labels, p.classes, p.scores, p.probabilities);
}

}  // namespace

TrainOptions choose_as_paper(const Dataset& data) {
  TrainOptions best;
  double best_mae = HUGE_VAL;
  for (const int segment_count : {2, 4, 6, 8, 10}) {
    for (const double margin : {0.1, 0.5, 1.0}) {
      TrainOptions options = paper_preset();
      options.encoder.segment_count = segment_count;
      options.margin = margin;
      if (pair_count(data) > 2e5) {
        options.optimizer.method = Optimizer::lbfgs;
        options.optimizer.max_epochs = 100;
      }
      const ValidationResult result = validate(data, options, k_fold_trials(data, 5));
      const double mae = result.summary[1].mean;
      if (mae >= best_mae) continue;
      best_mae = mae;
      best = options;
    }
  }
  return best;
}

Result run_split(const Dataset& data, const Trial& split, Protocol protocol, const TuneOptions& tuning,
                 const TrainOptions& paper_options) {
  const auto start = std::chrono::steady_clock::now();
  const Dataset learning = subset(data, split.learning);
  Dataset holdout = subset(data, split.holdout);
  const std::vector<int> labels = std::move(holdout.labels);
  holdout.labels.clear();  // nothing that is chosen can see them
  const TrainOptions options = protocol == Protocol::paper ? paper_options : tune(learning, {}, tuning).options;
  Model model = train(learning, options).model;
  Result result;
  result.options = describe(options);
  result.accuracy = quality(model, holdout, labels, Aim::accuracy).accuracy;
  const Metrics metrics = quality(model, holdout, labels, Aim::mae);
  result.mae = metrics.mae;
  result.qwk = metrics.qwk;
  result.log_loss = metrics.log_loss;
  result.coverage = result.width = std::nan("");
  if (!model.assignment.conformity.empty()) {
    const Predictions p = model.predict(holdout);
    const auto classes = static_cast<std::size_t>(p.class_count);
    double covered = 0;
    double width = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const ClassInterval interval = covering_interval(model.assignment, {&p.probabilities[i * classes], classes}, 0.9);
      covered += interval.lowest <= labels[i] && labels[i] <= interval.highest ? 1 : 0;
      width += interval.highest - interval.lowest + 1;
    }
    result.coverage = covered / static_cast<double>(labels.size());
    result.width = width / static_cast<double>(labels.size());
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace xofm::accuracy
