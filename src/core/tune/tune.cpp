#include "xofm/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>

#include "core/base/parallel.hpp"
#include "core/base/random.hpp"
#include "core/tune/candidates.hpp"
#include "core/tune/fold_fit.hpp"
#include "xofm/error.hpp"
#include "xofm/validate.hpp"

namespace xofm {

namespace {

constexpr int most_finalists = 10;
constexpr double screening_share = 0.5;  // of the budget
constexpr int screening_members =
    3;  // averaged, since the finals are bagged too and like less penalty than single fits

using detail::Fold;
using detail::FoldOutcome;
using detail::Reading;

// Work done, for the progress bar; and whether to stop.
class Watch {
 public:
  Watch(const TuneOptions& options, const TuneCallback& progress)
      : progress_(progress), time_limit_(options.time_limit), start_(std::chrono::steady_clock::now()) {}

  void plan(double share_begin, double share_end, double passes, std::size_t candidate_count, bool finals) {
    state_ = {share_begin, candidate_count, finals};
    begin_ = share_begin;
    end_ = share_end;
    planned_ = passes;
    done_ = 0;
  }
  bool may_go_on() const { return !stopped_; }
  bool out_of_time() const { return out_of_time_; }
  bool interrupted() const { return interrupted_; }
  double passes() const { return passes_; }

  void add(double passes) {
    const std::lock_guard lock(mutex_);
    passes_ += passes;
    done_ += passes;
  }
  // False once all should stop.
  bool tick() {
    const std::lock_guard lock(mutex_);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    if (time_limit_ > 0 && elapsed.count() > time_limit_) out_of_time_ = true;
    state_.share = begin_ + (end_ - begin_) * std::min(1.0, planned_ > 0 ? done_ / planned_ : 0.0);
    if (progress_ && !stopped_ && !progress_(state_)) interrupted_ = true;
    stopped_ = out_of_time_ || interrupted_;
    return !stopped_;
  }

 private:
  const TuneCallback& progress_;
  double time_limit_;
  std::chrono::steady_clock::time_point start_;
  std::mutex mutex_;
  TuneProgress state_;
  double begin_ = 0;
  double end_ = 0;
  double planned_ = 0;
  double done_ = 0;
  double passes_ = 0;
  bool out_of_time_ = false;
  bool interrupted_ = false;
  std::atomic<bool> stopped_ = false;
};

// Errors of one candidate by one reading, over the held-out rows of some folds.
struct Errors {
  double wrong = 0;
  double distance = 0;
  double rows = 0;

  void add(std::span<const int> classes, std::span<const int> labels) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      wrong += classes[i] != labels[i] ? 1 : 0;
      distance += std::abs(classes[i] - labels[i]);
    }
    rows += static_cast<double>(labels.size());
  }
  double loss(Aim metric) const { return (metric == Aim::mae ? distance : wrong) / rows; }
};

void record(const Errors& errors, const Reading& reading, TriedOptions& candidate) {
  candidate.accuracy = 1 - errors.wrong / errors.rows;
  candidate.mae = errors.distance / errors.rows;
  candidate.rule = reading.rule;
  candidate.reference_scores = reading.reference_scores;
}

double loss_of(const TriedOptions& candidate, Aim metric) {
  return metric == Aim::mae ? candidate.mae : 1 - candidate.accuracy;
}

// Best first; equals stay in the order drawn.
void sort_by_loss(std::vector<TriedOptions>& candidates, Aim metric) {
  std::stable_sort(candidates.begin(), candidates.end(), [&](const TriedOptions& a, const TriedOptions& b) {
    return loss_of(a, metric) < loss_of(b, metric);
  });
}

struct Search {
  const TrainOptions& base;
  const TuneOptions& options;
  Watch& watch;

  TrainOptions options_of(const TriedOptions& candidate) const {
    TrainOptions own = base;
    apply(candidate, own);
    return own;
  }

  std::vector<TriedOptions> screen(const std::vector<Fold>& folds, double pass_budget) const;
};

// Candidates in the race after each station: a third each time.
std::vector<std::size_t> race_sizes(std::size_t count, std::size_t station_count) {
  std::vector<std::size_t> sizes;
  for (std::size_t s = 0; s < station_count; ++s, count = std::max<std::size_t>(1, (count + 2) / 3)) {
    sizes.push_back(count);
  }
  return sizes;
}

double race_epochs(const std::vector<std::size_t>& sizes, const std::vector<int>& stations) {
  double epochs = 0;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    epochs += static_cast<double>(sizes[s]) * (stations[s] - (s == 0 ? 0 : stations[s - 1]));
  }
  return epochs;
}

std::vector<TriedOptions> Search::screen(const std::vector<Fold>& folds, double pass_budget) const {
  const std::vector<int>& stations = options.space.max_epochs;
  const int members = options.bag_count > 1 ? std::min(screening_members, options.bag_count) : 1;
  // Every fold leaves out one part of the rows.
  const double passes_per_epoch = members * (options.fold_count - 1.0);
  std::size_t count = 2;
  while (race_epochs(race_sizes(count + 1, stations.size()), stations) * passes_per_epoch <= pass_budget) ++count;
  std::vector<TriedOptions> candidates = detail::draw_candidates(options.space, base, count, options.seed);
  const std::vector<std::size_t> sizes = race_sizes(candidates.size(), stations.size());
  watch.plan(0, screening_share, race_epochs(sizes, stations) * passes_per_epoch, candidates.size(), false);

  std::vector<Reading> readings;
  for (const AssignmentRule rule : options.space.rules) readings.push_back({rule, ReferenceScores::training});
  std::vector<std::vector<detail::Screening>> states(candidates.size(), std::vector<detail::Screening>(folds.size()));
  std::vector<bool> known(candidates.size());
  std::vector<std::size_t> racing(candidates.size());
  std::iota(racing.begin(), racing.end(), std::size_t{0});
  const auto report = [&](const Progress&) { return watch.tick(); };
  for (std::size_t s = 0; s < stations.size() && watch.may_go_on() && !racing.empty(); ++s) {
    std::vector<std::optional<FoldOutcome>> outcomes(racing.size() * folds.size());
    detail::parallel_for(outcomes.size(), [&](std::size_t task) {
      if (!watch.tick()) return;
      const std::size_t f = task % folds.size();
      TriedOptions candidate = candidates[racing[task / folds.size()]];
      candidate.max_epochs = stations[s];
      candidate.bag_count = 1;
      FoldOutcome outcome = detail::screen(folds[f], options_of(candidate), readings, members,
                                           states[racing[task / folds.size()]][f], report);
      watch.add(outcome.passes * (options.fold_count - 1.0) / options.fold_count);
      if (watch.may_go_on()) outcomes[task] = std::move(outcome);
    });
    std::vector<std::size_t> going_on;
    for (std::size_t i = 0; i < racing.size(); ++i) {
      TriedOptions& candidate = candidates[racing[i]];
      bool complete = true;
      bool converged = true;
      for (std::size_t f = 0; f < folds.size(); ++f) {
        complete = complete && outcomes[i * folds.size() + f].has_value();
        converged = converged && states[racing[i]][f].converged;
      }
      if (!complete) continue;
      for (std::size_t r = 0; r < readings.size(); ++r) {
        Errors errors;
        for (std::size_t f = 0; f < folds.size(); ++f) {
          errors.add(outcomes[i * folds.size() + f]->classes[r], folds[f].labels);
        }
        if (known[racing[i]] && errors.loss(options.metric) >= loss_of(candidate, options.metric)) continue;
        record(errors, readings[r], candidate);
        candidate.max_epochs = stations[s];
        known[racing[i]] = true;
      }
      if (!converged) going_on.push_back(racing[i]);
    }
    std::stable_sort(going_on.begin(), going_on.end(), [&](std::size_t a, std::size_t b) {
      return loss_of(candidates[a], options.metric) < loss_of(candidates[b], options.metric);
    });
    if (s + 1 < stations.size() && going_on.size() > sizes[s + 1]) going_on.resize(sizes[s + 1]);
    racing = std::move(going_on);
  }
  std::vector<TriedOptions> result;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (known[c]) result.push_back(candidates[c]);
  }
  sort_by_loss(result, options.metric);
  return result;
}

// What a finalist did on each repeat's folds.
struct Finalist {
  TriedOptions candidate;
  std::vector<std::vector<FoldOutcome>> repeats;  // [repeat][fold]
  std::size_t reading = 0;
};

struct Finals {
  const Search& search;
  const Dataset& data;
  std::vector<Reading> readings;
  std::vector<std::vector<Fold>> folds;  // [repeat]
  std::vector<Finalist> finalists;

  double cost(const TriedOptions& candidate) const {
    return static_cast<double>(candidate.max_epochs) * search.options.bag_count * (search.options.fold_count - 1);
  }

  // Sets each finalist's best reading and figures.
  void judge() {
    for (Finalist& finalist : finalists) {
      std::optional<double> best;
      for (std::size_t r = 0; r < readings.size(); ++r) {
        Errors errors;
        for (std::size_t repeat = 0; repeat < finalist.repeats.size(); ++repeat) {
          for (std::size_t f = 0; f < folds[repeat].size(); ++f) {
            errors.add(finalist.repeats[repeat][f].classes[r], folds[repeat][f].labels);
          }
        }
        if (best && errors.loss(search.options.metric) >= *best) continue;
        best = errors.loss(search.options.metric);
        record(errors, readings[r], finalist.candidate);
        finalist.reading = r;
      }
      finalist.candidate.repeat_count = static_cast<int>(finalist.repeats.size());
    }
    std::stable_sort(finalists.begin(), finalists.end(), [&](const Finalist& a, const Finalist& b) {
      if (a.repeats.size() != b.repeats.size()) return a.repeats.size() > b.repeats.size();
      return loss_of(a.candidate, search.options.metric) < loss_of(b.candidate, search.options.metric);
    });
  }

  // The first `count` finalists on new folds; those that could not be finished stay as they were.
  void play(std::size_t count) {
    folds.push_back(
        detail::make_folds(data, search.options.fold_count, detail::mix(search.options.seed) + folds.size() + 1));
    const std::vector<Fold>& round = folds.back();
    std::vector<std::optional<FoldOutcome>> outcomes(count * round.size());
    Watch& watch = search.watch;
    detail::parallel_for(outcomes.size(), [&](std::size_t task) {
      if (!watch.tick()) return;
      FoldOutcome outcome =
          detail::compete(round[task % round.size()], search.options_of(finalists[task / round.size()].candidate),
                          readings, [&](const Progress&) { return watch.tick(); });
      watch.add(outcome.passes * (search.options.fold_count - 1.0) / search.options.fold_count);
      if (watch.may_go_on()) outcomes[task] = std::move(outcome);
    });
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<FoldOutcome> mine;
      for (std::size_t f = 0; f < round.size(); ++f) {
        auto& outcome = outcomes[i * round.size() + f];
        if (outcome) mine.push_back(std::move(*outcome));
      }
      if (mine.size() == round.size()) finalists[i].repeats.push_back(std::move(mine));
    }
    std::erase_if(finalists, [](const Finalist& finalist) { return finalist.repeats.empty(); });
    judge();
  }

  // Mean loss of each row over the repeats.
  std::vector<double> row_losses(const Finalist& finalist) const {
    std::vector<double> losses(data.row_count(), 0.0);
    const auto repeat_count = static_cast<double>(finalist.repeats.size());
    for (std::size_t repeat = 0; repeat < finalist.repeats.size(); ++repeat) {
      for (std::size_t f = 0; f < folds[repeat].size(); ++f) {
        const Fold& fold = folds[repeat][f];
        const std::vector<int>& classes = finalist.repeats[repeat][f].classes[finalist.reading];
        for (std::size_t i = 0; i < fold.rows.size(); ++i) {
          const int distance = std::abs(classes[i] - fold.labels[i]);
          losses[fold.rows[i]] += (search.options.metric == Aim::mae ? distance : std::min(distance, 1)) / repeat_count;
        }
      }
    }
    return losses;
  }

  // The simplest finalist that is not clearly worse than the best: within one standard error of their difference.
  std::size_t choose() {
    const std::vector<double> best = row_losses(finalists.front());
    const auto count = static_cast<double>(best.size());
    std::size_t chosen = 0;
    for (std::size_t c = 1; c < finalists.size(); ++c) {
      if (finalists[c].repeats.size() != finalists.front().repeats.size()) break;
      const std::vector<double> own = row_losses(finalists[c]);
      double sum = 0;
      double squares = 0;
      for (std::size_t i = 0; i < own.size(); ++i) {
        sum += own[i] - best[i];
        squares += (own[i] - best[i]) * (own[i] - best[i]);
      }
      const double mean = sum / count;
      const double error = std::sqrt(std::max(squares / count - mean * mean, 0.0) / count);
      finalists[c].candidate.standard_error = error;
      if (search.options.prefer_simple && mean <= error &&
          detail::is_simpler(finalists[c].candidate, finalists[chosen].candidate)) {
        chosen = c;
      }
    }
    return chosen;
  }

  ValidationSummary summarize(const Finalist& finalist) const {
    std::vector<TrialResult> trials;
    ValidationSummary summary;
    const int class_count = data.schema.class_count();
    const auto classes = static_cast<std::size_t>(class_count);
    summary.confusion.assign(classes, std::vector<std::size_t>(classes));
    for (std::size_t repeat = 0; repeat < finalist.repeats.size(); ++repeat) {
      for (std::size_t f = 0; f < folds[repeat].size(); ++f) {
        const FoldOutcome& outcome = finalist.repeats[repeat][f];
        const std::vector<int>& labels = folds[repeat][f].labels;
        TrialResult& trial = trials.emplace_back();
        trial.metrics =
            evaluate(class_count, labels, outcome.classes[finalist.reading], outcome.scores, outcome.probabilities);
        for (std::size_t a = 0; a < classes; ++a) {
          for (std::size_t b = 0; b < classes; ++b) summary.confusion[a][b] += trial.metrics.confusion[a][b];
        }
      }
    }
    summary.trial_count = trials.size();
    summary.metrics = xofm::summarize(trials);
    return summary;
  }
};

// Rows of weight zero have no part in anything.
Dataset weighted_rows(const Dataset& data) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < data.row_count(); ++i) {
    if (data.weights[i] > 0) kept.push_back(i);
  }
  return subset(data, kept);
}

void check(const TuneOptions& options) {
  const auto need = [](bool ok, const char* name, auto value, const char* allowed) {
    if (!ok) throw Error(ErrorCode::invalid_option, fmt::format("{} is {}; it must be {}", name, value, allowed));
  };
  need(options.bag_count >= 1 && options.bag_count <= 1000, "bag_count", options.bag_count, "1 to 1000");
  need(options.pass_budget >= 0 && std::isfinite(options.pass_budget), "pass_budget", options.pass_budget, "0 or more");
  need(options.time_limit >= 0 && std::isfinite(options.time_limit), "time_limit", options.time_limit, "0 or more");
  detail::check(options.space);
}

}  // namespace

double default_pass_budget(const Dataset& data) {
  const double work = static_cast<double>(data.row_count()) * (static_cast<double>(data.attribute_count()) + 10);
  return std::round(std::clamp(3e9 / std::max(work, 1.0), 1e4, 1e5));
}

bool suits_tuning(const Dataset& data) {
  return static_cast<double>(data.row_count()) * (static_cast<double>(data.attribute_count()) + 10) <= 3e5;
}

TuneResult tune(const Dataset& given, const TrainOptions& base_options, const TuneOptions& options,
                const TuneCallback& progress) {
  check(options);
  xofm::check(given);
  const bool has_zeros = std::any_of(given.weights.begin(), given.weights.end(), [](double w) { return w == 0; });
  const Dataset& data = has_zeros ? weighted_rows(given) : given;
  TrainOptions base = base_options;
  base.assignment.aim = options.metric;
  const double budget = options.pass_budget > 0 ? options.pass_budget : default_pass_budget(data);
  Watch watch(options, progress);
  const Search search{base, options, watch};

  TuneResult result;
  TuningRecord& record = result.record;
  record.metric = options.metric;
  record.seed = options.seed;
  record.fold_count = options.fold_count;
  record.pass_budget = budget;
  record.time_limit = options.time_limit;
  std::vector<TriedOptions> ranking;
  {
    const std::vector<Fold> folds = detail::make_folds(data, options.fold_count, options.seed);
    ranking = search.screen(folds, budget * screening_share);
  }
  for (TriedOptions& candidate : ranking) candidate.bag_count = options.bag_count;

  Finals finals{search, data, {}, {}, {}};
  for (const ReferenceScores source : options.space.reference_scores) {
    if (source == ReferenceScores::out_of_sample && options.bag_count == 1) continue;
    for (const AssignmentRule rule : options.space.rules) {
      // Probabilities do not depend on the reference scores where there are scores of unseen rows.
      const bool again = rule == AssignmentRule::probability && !finals.readings.empty();
      if (!again) finals.readings.push_back({rule, source});
    }
  }
  if (finals.readings.empty()) {
    throw Error(ErrorCode::invalid_option,
                "reference_scores out_of_sample in a search needs bag_count above 1; take it or training");
  }
  double planned = 0;
  for (const TriedOptions& candidate : ranking) {
    const double cost = 1.5 * finals.cost(candidate);  // the better half plays twice
    if (finals.finalists.size() >= most_finalists) break;
    if (finals.finalists.size() >= 2 && planned + cost > budget * (1 - screening_share)) break;
    planned += cost;
    finals.finalists.push_back({candidate, {}, 0});
  }
  const std::size_t finalist_count = finals.finalists.size();
  watch.plan(screening_share, 1, planned, ranking.size(), true);
  if (watch.may_go_on() && finalist_count > 0) {
    finals.play(finalist_count);
    if (watch.may_go_on()) finals.play((finalist_count + 1) / 2);
  } else {
    finals.finalists.clear();
  }

  if (!finals.finalists.empty()) {
    record.chosen = finals.choose();
    result.validation = finals.summarize(finals.finalists[record.chosen]);
    for (const Finalist& finalist : finals.finalists) record.tried.push_back(finalist.candidate);
  }
  const std::size_t played = finals.finalists.empty() ? 0 : finalist_count;
  if (played > 0) ranking.erase(ranking.begin(), ranking.begin() + static_cast<std::ptrdiff_t>(played));
  record.tried.insert(record.tried.end(), ranking.begin(), ranking.end());
  if (record.tried.empty()) {
    // Stopped before anything was known: the options as given.
    record.tried.push_back(detail::draw_candidates(options.space, base, 1, options.seed).front());
    record.tried.front().max_epochs = options.space.max_epochs.back();
    record.tried.front().bag_count = options.bag_count;
  }
  record.passes = watch.passes();
  record.out_of_time = watch.out_of_time();
  record.interrupted = watch.interrupted();
  result.options = base_options;
  result.options.assignment.aim = options.metric;
  apply(record.tried[record.chosen], result.options);
  return result;
}

}  // namespace xofm
