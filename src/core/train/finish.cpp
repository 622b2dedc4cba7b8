#include "core/train/finish.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/freed_memory.hpp"
#include "core/encode/distribution.hpp"
#include "core/sample/mixing.hpp"
#include "core/score/scorer.hpp"

namespace xofm::detail {

namespace {

// Scores of unseen rows have the mean of the model's scores of the same rows.
void move_to(std::span<const double> scores, const Dataset& data, std::vector<double>& unseen) {
  double distance = 0;
  double total = 0;
  for (std::size_t i = 0; i < unseen.size(); ++i) {
    if (std::isnan(unseen[i])) continue;
    const double weight = data.weights.empty() ? 1.0 : data.weights[i];
    distance += weight * (scores[i] - unseen[i]);
    total += weight;
  }
  for (double& score : unseen) score += total > 0 ? distance / total : 0.0;
}

// A class of which no row was left out by any fit is represented by its training scores.
void complete_classes(std::span<const double> scores, const Dataset& data, std::vector<double>& unseen) {
  std::vector<bool> present(static_cast<std::size_t>(data.schema.class_count()));
  for (std::size_t i = 0; i < unseen.size(); ++i) {
    if (!std::isnan(unseen[i])) present[static_cast<std::size_t>(data.labels[i])] = true;
  }
  for (std::size_t i = 0; i < unseen.size(); ++i) {
    if (!present[static_cast<std::size_t>(data.labels[i])]) unseen[i] = scores[i];
  }
}

// Of parts that weigh pairs in different ways, the loss of their average weighs all alike.
PairWeighting common_weighting(const TrainOptions& options) {
  const PairWeighting first = options.recipe().pair_weighting;
  const auto is_same = [&](const Recipe& part) { return part.pair_weighting == first; };
  return std::all_of(options.parts.begin(), options.parts.end(), is_same) ? first : PairWeighting::uniform;
}

}  // namespace

void finish_model(Model& model, const Dataset& data, std::vector<double> unseen, std::span<const Member> members) {
  if (data.row_count() * data.attribute_count() > many_cells) return_freed_memory();
  const TrainOptions& options = model.options;
  const int class_count = data.schema.class_count();
  const std::vector<double> scores = score_data(model, data);
  if (!unseen.empty()) {
    move_to(scores, data, unseen);
    complete_classes(scores, data, unseen);
  }
  model.assignment =
      fit_assignment(scores, unseen, data.labels, data.weights, class_count, options.margin, options.assignment);
  model.distribution = describe(data, model.encoder);

  TrainingSummary& summary = model.summary;
  summary.row_count = data.row_count();
  summary.class_weights.assign(static_cast<std::size_t>(class_count), 0.0);
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    summary.class_weights[static_cast<std::size_t>(data.labels[i])] += data.weights.empty() ? 1.0 : data.weights[i];
  }
  summary.data_fingerprint = fingerprint(data);
  std::vector<double> derivative(data.row_count());
  const PairLoss loss(data.labels, class_count, data.weights, options.margin, common_weighting(options));
  summary.loss = loss(scores, derivative, loss.suits_histogram(scores) ? LossForm::histogram : LossForm::sweep);
  summary.objective = summary.loss;
  if (!model.terms && members.size() == 1) {
    const Learned& learned = *members.front().learned;
    summary.objective = learned.objective;
    summary.loss = learned.loss;
    summary.best_restart = learned.restart;
  }
  double epochs = 0;
  double total = 0;
  for (const Member& member : members) {
    epochs += member.weight * member.learned->epochs;
    total += member.weight;
    summary.stop_reason = std::max(summary.stop_reason, member.learned->reason);
    if (!member.learned->sampling) continue;
    const SamplingRecord& own = *member.learned->sampling;
    if (!model.record.sampling) {
      model.record.sampling = own;
      continue;
    }
    // Of several fits the worst.
    worsen(model.record.sampling->scores, own.scores);
    worsen(model.record.sampling->curves, own.curves);
    worsen(model.record.sampling->cuts, own.cuts);
  }
  summary.epochs = static_cast<int>(std::lround(epochs / total));
}

}  // namespace xofm::detail
