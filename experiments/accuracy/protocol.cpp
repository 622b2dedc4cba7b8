#include "protocol.hpp"

#include <cmath>
#include <ctime>

#include "baselines/options_text.hpp"
#include "core/tune/paper_choice.hpp"

namespace xofm::accuracy {

namespace {

Metrics quality(Model& model, const Dataset& holdout, std::span<const int> labels, Aim aim) {
  model.assignment.options.aim = aim;
  const Predictions p = model.predict(holdout);
  return evaluate(model.schema.class_count(), labels, p.classes, p.scores, p.probabilities);
}

}  // namespace

TrainOptions choose_as_paper(const Dataset& data) {
  return search(data, paper_preset(), {.paper = PaperGrid{}}).options;
}

Result run_split(const Dataset& data, const Trial& split, Protocol protocol, const SearchOptions& search,
                 const TrainOptions& paper_options) {
  const std::clock_t start = std::clock();
  const Dataset learning = subset(data, split.learning);
  Dataset holdout = subset(data, split.holdout);
  const std::vector<int> labels = std::move(holdout.labels);
  holdout.labels.clear();  // nothing that is chosen can see them
  Model model = protocol == Protocol::paper ? detail::train_as_paper(learning, paper_options)
                                            : fit(learning, {.search = search}).model;
  Result result;
  result.options = baselines::describe(model.options);
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
  result.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return result;
}

}  // namespace xofm::accuracy
