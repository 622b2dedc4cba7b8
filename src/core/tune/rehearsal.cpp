#include "core/tune/rehearsal.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "core/base/parallel.hpp"
#include "core/base/random.hpp"
#include "core/data/folds.hpp"
#include "core/score/score_table.hpp"
#include "core/train/blend.hpp"
#include "core/train/boost.hpp"
#include "core/train/directions.hpp"

namespace xofm::detail {

namespace {

std::size_t next_count(std::size_t count) { return (count + 1) / 2; }

// A recipe in training.
struct Runner {
  TrainOptions options;
  Encoder encoder;
  EncodedRows rows;
  std::vector<Parameters> parameters;              // per fold
  std::vector<std::unique_ptr<Booster>> boosters;  // per fold, if this recipe boosts
  std::vector<char> converged;                     // per fold
  int epochs = 0;
  double loss = std::numeric_limits<double>::infinity();
};

Runner prepare(const Stage& stage, const Recipe& recipe) {
  Runner runner;
  runner.options = stage.base;
  apply(recipe, runner.options);
  runner.encoder = fit_encoder(stage.data, directed_encoder(stage.data, runner.options));
  runner.rows = encode(runner.encoder, stage.data);
  runner.parameters.resize(static_cast<std::size_t>(stage.fold_count));
  runner.boosters.resize(static_cast<std::size_t>(stage.fold_count));
  runner.converged.resize(static_cast<std::size_t>(stage.fold_count));
  return runner;
}

std::vector<double> centred(std::vector<double> scores) {
  const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
  for (double& score : scores) score -= mean;
  return scores;
}

// The rows' weights, zero in the fold.
std::vector<double> weights_without(const Stage& stage, std::size_t fold) {
  const Dataset& data = stage.data;
  std::vector<double> weights = data.weights.empty() ? std::vector<double>(data.row_count(), 1.0) : data.weights;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (stage.folds[i] == static_cast<int>(fold)) weights[i] = 0;
  }
  return weights;
}

// Trains on to `epochs` without the fold; the scores of all rows, and the passes over the rows learned from.
std::pair<std::vector<double>, int> train_on(const Stage& stage, Runner& runner, std::size_t fold, int epochs,
                                             const ProgressCallback& progress) {
  const Dataset& data = stage.data;
  const std::vector<double> weights = weights_without(stage, fold);
  const LearningRows rows{runner.encoder, runner.rows, data.labels, data.schema.class_count(), weights};
  if (runner.options.optimizer.method == Optimizer::boost) {
    std::unique_ptr<Booster>& booster = runner.boosters[fold];
    if (!booster) booster = std::make_unique<Booster>(rows, runner.options);
    const int before = booster->tree_count();
    runner.converged[fold] = booster->grow(epochs, progress) == StopReason::converged ? 1 : 0;
    return {centred(booster->scores()), booster->tree_count() - before};
  }
  TrainOptions own = runner.options;
  own.optimizer.max_epochs = epochs - runner.epochs;
  own.optimizer.seed = mix(runner.options.optimizer.seed + fold);
  Parameters& parameters = runner.parameters[fold];
  Learned learned = learn(rows, own, progress, runner.epochs > 0 ? &parameters : nullptr);
  parameters = std::move(learned.parameters);
  runner.converged[fold] = learned.reason != StopReason::epoch_limit ? 1 : 0;
  return {centred(score_rows(runner.encoder, parameters, runner.rows)), learned.epochs};
}

}  // namespace

Stage make_stage(const Dataset& data, const TrainOptions& base, int fold_count, std::uint64_t seed) {
  return {data, base, fold_count, stratified_folds(data.labels, data.schema.class_count(), fold_count, seed)};
}

Stage make_hold_out(const Dataset& data, const TrainOptions& base, int fold_count, std::uint64_t seed) {
  Stage stage = make_stage(data, base, fold_count, seed);
  stage.fold_count = 1;
  for (int& fold : stage.folds) fold = fold == 0 ? 0 : Stage::in_no_fold;
  return stage;
}

std::vector<double> Stage::unseen_scores(const std::vector<std::vector<double>>& scores) const {
  std::vector<double> unseen(folds.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < unseen.size(); ++i) {
    if (folds[i] != in_no_fold) unseen[i] = scores[static_cast<std::size_t>(folds[i])][i];
  }
  return unseen;
}

double rehearsal_passes(std::size_t count, const std::vector<int>& stations, int fold_count) {
  double passes = 0;
  int before = 0;
  for (const int station : stations) {
    passes += static_cast<double>(count) * (station - before) * fold_count;
    before = station;
    count = next_count(count);
  }
  return passes;
}

std::vector<Rehearsed> rehearse(const Stage& stage, const std::vector<Recipe>& recipes,
                                const std::vector<int>& stations, const Loss& loss, Watch& watch) {
  const auto fold_count = static_cast<std::size_t>(stage.fold_count);
  std::vector<Runner> runners(recipes.size());
  parallel_for(runners.size(), [&](std::size_t r) { runners[r] = prepare(stage, recipes[r]); });
  std::vector<std::size_t> running(recipes.size());
  std::iota(running.begin(), running.end(), std::size_t{0});
  std::vector<Rehearsed> seen;
  for (const int station : stations) {
    std::vector<Rehearsed> now(running.size());
    for (std::size_t i = 0; i < running.size(); ++i) {
      now[i].recipe = recipes[running[i]];
      now[i].recipe.max_epochs = station;
      now[i].scores.resize(fold_count);
    }
    parallel_for(running.size() * fold_count, [&](std::size_t task) {
      if (!watch.tick()) return;
      const std::size_t fold = task % fold_count;
      auto [scores, passes] = train_on(stage, runners[running[task / fold_count]], fold, station,
                                       [&](const Progress&) { return watch.tick(); });
      now[task / fold_count].scores[fold] = std::move(scores);
      watch.add(passes);
    });
    if (!watch.may_go_on()) break;  // some may have been cut off
    parallel_for(running.size(), [&](std::size_t i) {
      Runner& runner = runners[running[i]];
      runner.epochs = station;
      runner.loss = std::min(runner.loss, loss(now[i]));
    });
    std::move(now.begin(), now.end(), std::back_inserter(seen));
    // Those that have converged have nothing more to show.
    const std::size_t going_on = next_count(running.size());
    std::erase_if(running, [&](std::size_t r) {
      return std::all_of(runners[r].converged.begin(), runners[r].converged.end(), [](char c) { return c != 0; });
    });
    std::stable_sort(running.begin(), running.end(),
                     [&](std::size_t a, std::size_t b) { return runners[a].loss < runners[b].loss; });
    if (running.size() > going_on) running.resize(going_on);
    if (running.empty()) break;
  }
  return seen;
}

}  // namespace xofm::detail
