#include "core/tune/fold_fit.hpp"

#include "core/base/random.hpp"
#include "core/evaluate/trial_rows.hpp"
#include "core/score/score_table.hpp"
#include "core/train/directions.hpp"
#include "core/train/resample.hpp"
#include "xofm/train.hpp"
#include "xofm/validate.hpp"

namespace xofm::detail {

namespace {

// Scores, probabilities and the classes by each reading, of the rows held out.
void predict_all(const Fold& fold, const TrainOptions& options, std::span<const Reading> readings,
                 std::span<const double> training_scores, std::span<const double> unseen_scores,
                 std::vector<double> scores, FoldOutcome& outcome) {
  const int class_count = fold.learning.schema.class_count();
  const auto classes = static_cast<std::size_t>(class_count);
  outcome.scores = std::move(scores);
  outcome.probabilities.resize(outcome.scores.size() * classes);
  std::vector<double> support(classes);
  Assignment assignment;
  for (std::size_t r = 0; r < readings.size(); ++r) {
    AssignmentOptions reading = options.assignment;
    reading.rule = readings[r].rule;
    reading.reference_scores = readings[r].reference_scores;
    // The rules share what depends on the reference scores alone.
    const bool same = r > 0 && readings[r].reference_scores == readings[r - 1].reference_scores;
    if (!same) {
      assignment = fit_assignment(training_scores, unseen_scores, fold.learning.labels, fold.learning.weights,
                                  class_count, options.margin, reading);
    }
    assignment.options = reading;
    const Assigner assigner(assignment);
    auto& assigned = outcome.classes.emplace_back();
    for (std::size_t i = 0; i < outcome.scores.size(); ++i) {
      const std::span<double> probabilities(&outcome.probabilities[i * classes], classes);
      assigned.push_back(assigner.assign(outcome.scores[i], support, probabilities).label);
    }
  }
}

}  // namespace

std::vector<Fold> make_folds(const Dataset& data, int fold_count, std::uint64_t seed) {
  std::vector<Fold> folds;
  for (Trial& trial : k_fold_trials(data, fold_count, 1, seed)) {
    TrialRows parts = take_rows(data, trial);
    folds.push_back(
        {std::move(parts.learning), std::move(parts.holdout), std::move(parts.labels), std::move(trial.holdout)});
  }
  return folds;
}

FoldOutcome screen(const Fold& fold, const TrainOptions& options, std::span<const Reading> readings, int member_count,
                   Screening& state, const ProgressCallback& progress) {
  const Encoder encoder = fit_encoder(fold.learning, directed_encoder(fold.learning, options));
  const EncodedRows rows = encode(encoder, fold.learning);
  const LearningRows learning{encoder, rows, fold.learning.labels, fold.learning.schema.class_count(),
                              fold.learning.weights};
  TrainOptions own = options;
  own.optimizer.max_epochs = options.optimizer.max_epochs - state.epochs;
  const bool first = state.members.empty();
  state.members.resize(static_cast<std::size_t>(member_count));
  FoldOutcome outcome;
  state.converged = true;
  for (std::size_t b = 0; b < state.members.size(); ++b) {
    own.optimizer.seed = mix(options.optimizer.seed + b);
    Learned learned = learn(learning, own, progress, first ? nullptr : &state.members[b]);
    outcome.passes += learned.epochs;
    state.converged = state.converged && learned.reason != StopReason::epoch_limit;
    state.members[b] = std::move(learned.parameters);
  }
  state.epochs = options.optimizer.max_epochs;
  const Parameters model = average(state.members);
  predict_all(fold, options, readings, score_rows(encoder, model, rows), {},
              score_rows(encoder, model, encode(encoder, fold.holdout)), outcome);
  return outcome;
}

FoldOutcome compete(const Fold& fold, const TrainOptions& options, std::span<const Reading> readings,
                    const ProgressCallback& progress) {
  const Encoder encoder = fit_encoder(fold.learning, directed_encoder(fold.learning, options));
  const EncodedRows rows = encode(encoder, fold.learning);
  const LearningRows learning{encoder, rows, fold.learning.labels, fold.learning.schema.class_count(),
                              fold.learning.weights};
  const LearnedScores learned = learn_scores(learning, options, progress);
  FoldOutcome outcome;
  outcome.passes = static_cast<double>(learned.learned.epochs) * learned.refit_count;
  predict_all(fold, options, readings, learned.training_scores, learned.unseen_scores,
              score_rows(encoder, learned.learned.parameters, encode(encoder, fold.holdout)), outcome);
  return outcome;
}

}  // namespace xofm::detail
