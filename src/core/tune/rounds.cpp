#include "core/tune/rounds.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>

#include "core/base/parallel.hpp"
#include "core/base/random.hpp"

namespace xofm::detail {

namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::size_t next_count(std::size_t count) { return (count + 1) / 2; }

// A recipe in training.
struct Runner {
  std::vector<std::shared_ptr<const Encoding>> encodings;  // per fold
  std::vector<std::unique_ptr<Learner>> learners;          // per fold
  std::vector<char> has_converged;                         // per fold
  std::vector<char> has_diverged;                          // per fold
  double loss = std::numeric_limits<double>::infinity();
};

// Trains on without the fold.
void advance(const Folds& folds, const TrainOptions& base, const Recipe& recipe, Runner& runner, std::size_t fold,
             int epochs, Budget& budget, Candidate& candidate) {
  const Dataset& data = folds.data();
  std::unique_ptr<Learner>& learner = runner.learners[fold];
  const Encoding& encoding = *runner.encodings[fold];
  if (!learner) {
    const LearningRows rows{*encoding.encoder, encoding.rows, data.labels, data.schema.class_count(),
                            folds.weights(fold)};
    learner = make_learner(rows, base, recipe, mix(base.optimizer.seed + fold));
  }
  const int before = learner->learned().passes;
  learner->advance(epochs, [&](const Progress&) { return budget.use(0); });
  Learned learned = learner->learned();
  runner.has_converged[fold] = learned.reason != StopReason::epoch_limit ? 1 : 0;
  runner.has_diverged[fold] = is_usable(learned) ? 0 : 1;
  budget.use(learned.passes - before);
  const std::vector<double> scores = score_rows(*encoding.encoder, learned, encoding.rows);
  const double centre = weighted_mean(scores, folds.weights(fold));
  candidate.members[fold] = {encoding.encoder, std::make_shared<const Learned>(std::move(learned)), 1, centre};
  for (const std::size_t i : folds.rows(fold)) candidate.unseen[i] = scores[i] - centre;
}

// A recipe that has diverged in any fold is no candidate.
void drop_diverged(const std::vector<Runner>& runners, std::vector<std::size_t>& running, std::vector<Candidate>& now) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < running.size(); ++i) {
    const auto& diverged = runners[running[i]].has_diverged;
    if (std::any_of(diverged.begin(), diverged.end(), [](char c) { return c != 0; })) continue;
    if (kept != i) {
      running[kept] = running[i];
      now[kept] = std::move(now[i]);
    }
    ++kept;
  }
  running.resize(kept);
  now.resize(kept);
}

}  // namespace

Budget::Budget(double passes, double time_limit, const ProgressCallback& progress)
    : passes_(passes), time_limit_(time_limit), progress_(progress), start_(seconds_now()) {}

bool Budget::use(double passes) {
  const std::lock_guard lock(mutex_);
  used_ += passes;
  if (time_limit_ > 0 && seconds_now() - start_ > time_limit_) is_out_of_time_ = true;
  const double share = std::min(1.0, passes_ > 0 ? used_ / passes_ : 0.0);
  if (progress_ && !is_interrupted_ && !progress_({.share = share, .phase = "search", .count = recipe_count_})) {
    is_interrupted_ = true;
  }
  return may_go_on();
}

double passes_of_rounds(std::size_t count, const std::vector<int>& epochs, std::size_t fold_count, int restart_count) {
  // Restarts are made in the first round.
  double passes = static_cast<double>(count * fold_count) * (restart_count - 1) * epochs.front();
  int before = 0;
  for (const int until : epochs) {
    passes += static_cast<double>(count * fold_count) * (until - before);
    before = until;
    count = next_count(count);
  }
  return passes;
}

std::vector<Candidate> run_rounds(const Folds& folds, const TrainOptions& base, bool has_common_knots,
                                  const std::vector<Recipe>& recipes, const std::vector<int>& epochs,
                                  const CandidateLoss& loss, Budget& budget) {
  budget.add_recipes(recipes.size());
  const Encodings encodings(folds, base, has_common_knots, recipes);
  std::vector<Runner> runners(recipes.size());
  for (std::size_t r = 0; r < recipes.size(); ++r) {
    runners[r].encodings = encodings.of(recipes[r]);
    runners[r].learners.resize(folds.count());
    runners[r].has_converged.resize(folds.count());
    runners[r].has_diverged.resize(folds.count());
  }
  std::vector<std::size_t> running(recipes.size());
  std::iota(running.begin(), running.end(), std::size_t{0});
  std::vector<Candidate> seen;
  for (const int until : epochs) {
    std::vector<Candidate> now(running.size());
    for (std::size_t i = 0; i < running.size(); ++i) {
      now[i].recipe = recipes[running[i]];
      now[i].recipe.max_epochs = until;
      now[i].members.resize(folds.count());
      now[i].unseen.assign(folds.data().row_count(), std::numeric_limits<double>::quiet_NaN());
    }
    parallel_for(running.size() * folds.count(), [&](std::size_t task) {
      if (!budget.may_go_on()) return;
      const std::size_t i = task / folds.count();
      advance(folds, base, recipes[running[i]], runners[running[i]], task % folds.count(), until, budget, now[i]);
    });
    if (!budget.may_go_on()) {
      // Some may have been cut off: they count only if there is nothing else.
      const auto is_partial = [](const Candidate& candidate) {
        return std::any_of(candidate.members.begin(), candidate.members.end(),
                           [](const Member& member) { return member.learned == nullptr; });
      };
      drop_diverged(runners, running, now);
      std::erase_if(now, is_partial);
      if (seen.empty()) seen = std::move(now);
      break;
    }
    drop_diverged(runners, running, now);
    parallel_for(running.size(), [&](std::size_t i) {
      Runner& runner = runners[running[i]];
      runner.loss = std::min(runner.loss, loss(now[i]));
    });
    std::move(now.begin(), now.end(), std::back_inserter(seen));
    // Those that have converged have nothing more to show.
    const std::size_t going_on = next_count(running.size());
    std::erase_if(running, [&](std::size_t r) {
      const auto& done = runners[r].has_converged;
      return std::all_of(done.begin(), done.end(), [](char c) { return c != 0; });
    });
    std::stable_sort(running.begin(), running.end(),
                     [&](std::size_t a, std::size_t b) { return runners[a].loss < runners[b].loss; });
    if (running.size() > going_on) running.resize(going_on);
    if (running.empty()) break;
  }
  return seen;
}

}  // namespace xofm::detail
