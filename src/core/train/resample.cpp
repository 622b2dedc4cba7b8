#include "core/train/resample.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <numeric>

#include "core/base/parallel.hpp"
#include "core/base/random.hpp"
#include "core/data/folds.hpp"
#include "core/score/score_table.hpp"

namespace xofm::detail {

namespace {

double weight_of(const LearningRows& rows, std::size_t row) { return rows.weights.empty() ? 1.0 : rows.weights[row]; }

// Weights of the rows for member b of a repeated K-fold scheme: fold b mod K of repeat b / K is left out.
std::vector<double> fold_weights(const LearningRows& rows, int fold_count, std::uint64_t seed, std::size_t member) {
  const auto count = static_cast<std::size_t>(fold_count);
  const std::vector<int> folds = stratified_folds(rows.labels, rows.class_count, fold_count,
                                                  mix(seed ^ 0xf01d) + static_cast<std::uint64_t>(member / count));
  std::vector<double> weights(rows.labels.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<std::size_t>(folds[i]) == member % count ? 0.0 : weight_of(rows, i);
  }
  return weights;
}

// Progress of refits that run at the same time, told to one callback in turn, with the share of all the work. Once it
// has said stop, all stop.
class SharedProgress {
 public:
  SharedProgress(std::size_t count, const ProgressCallback& progress) : shares_(count, 0.0), progress_(progress) {}

  bool report(std::size_t refit, Progress p) {
    const std::lock_guard lock(mutex_);
    shares_[refit] = p.share;
    p.share = std::accumulate(shares_.begin(), shares_.end(), 0.0) / static_cast<double>(shares_.size());
    if (progress_ && !stopped_) stopped_ = !progress_(p);
    return !stopped_;
  }
  void finish(std::size_t refit) {
    const std::lock_guard lock(mutex_);
    shares_[refit] = 1;
  }

 private:
  std::mutex mutex_;
  std::vector<double> shares_;
  bool stopped_ = false;
  const ProgressCallback& progress_;
};

struct Member {
  Learned learned;
  std::vector<double> weights;  // zero: this member has not seen the row
};

// Learns one model per list of weights, in parallel.
std::vector<Member> learn_members(const LearningRows& rows, const TrainOptions& options, std::size_t count,
                                  const std::function<std::vector<double>(std::size_t)>& weights_of,
                                  const ProgressCallback& progress) {
  std::vector<Member> members(count);
  SharedProgress shared(count, progress);
  parallel_for(count, [&](std::size_t b) {
    Member& member = members[b];
    member.weights = weights_of(b);
    TrainOptions own = options;
    own.optimizer.seed = mix(options.optimizer.seed + b);
    const auto report = [&](const Progress& p) { return shared.report(b, p); };
    member.learned = learn({rows.encoder, rows.rows, rows.labels, rows.class_count, member.weights}, own, report);
    shared.finish(b);
  });
  return members;
}

double weighted_mean(const LearningRows& rows, const std::vector<double>& scores) {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    sum += weight_of(rows, i) * scores[i];
    total += weight_of(rows, i);
  }
  return sum / total;
}

// For each row the mean of the centred scores of the members that have not seen it, plus `offset`; NaN if all have.
std::vector<double> unseen_means(const LearningRows& rows, const std::vector<Member>& members, double offset) {
  std::vector<double> sums(rows.labels.size(), 0.0);
  std::vector<int> counts(rows.labels.size(), 0);
  for (const Member& member : members) {
    const std::vector<double> scores = score_rows(rows.encoder, member.learned.parameters, rows.rows);
    const double centre = weighted_mean(rows, scores);
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (member.weights[i] > 0) continue;
      sums[i] += scores[i] - centre;
      ++counts[i];
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] = counts[i] > 0 ? sums[i] / counts[i] + offset : std::numeric_limits<double>::quiet_NaN();
  }
  return sums;
}

// A class of which no row was left out by any refit is represented by its training scores.
void complete_classes(std::vector<double>& unseen, std::span<const double> seen, const LearningRows& rows) {
  std::vector<bool> present(static_cast<std::size_t>(rows.class_count));
  for (std::size_t i = 0; i < unseen.size(); ++i) {
    if (!std::isnan(unseen[i])) present[static_cast<std::size_t>(rows.labels[i])] = true;
  }
  for (std::size_t i = 0; i < unseen.size(); ++i) {
    if (!present[static_cast<std::size_t>(rows.labels[i])]) unseen[i] = seen[i];
  }
}

}  // namespace

Parameters average(std::span<const Parameters> models, std::span<const double> shares) {
  const double total =
      shares.empty() ? static_cast<double>(models.size()) : std::accumulate(shares.begin(), shares.end(), 0.0);
  Parameters mean;
  mean.increments.assign(models.front().increments.size(), 0.0);
  for (const Parameters& model : models) mean.factor_count += model.factor_count;
  for (std::size_t n = 0; n < mean.increments.size(); ++n) {
    for (std::size_t b = 0; b < models.size(); ++b) {
      const Parameters& model = models[b];
      const double share = (shares.empty() ? 1.0 : shares[b]) / total;
      const auto k = static_cast<std::size_t>(model.factor_count);
      mean.increments[n] += share * model.increments[n];
      for (std::size_t f = 0; f < k; ++f) mean.factors.push_back(std::sqrt(share) * model.factors[n * k + f]);
    }
  }
  return mean;
}

std::vector<std::size_t> draw_rows(std::span<const int> labels, int class_count, std::uint64_t seed,
                                   std::uint64_t member) {
  Random random(seed, member);
  std::vector<std::size_t> drawn;
  drawn.reserve(labels.size());
  for (const auto& members : rows_by_class(labels, class_count)) {
    for (std::size_t draw = 0; draw < members.size(); ++draw) drawn.push_back(members[random.below(members.size())]);
  }
  return drawn;
}

Ensemble learn_bagged(const LearningRows& rows, const TrainOptions& options, const ProgressCallback& progress) {
  const int fold_count = std::min(options.assignment.fold_count, options.bag_count);
  std::vector<Member> members = learn_members(
      rows, options, static_cast<std::size_t>(options.bag_count),
      [&](std::size_t b) { return fold_weights(rows, fold_count, options.optimizer.seed, b); }, progress);
  // After an interruption, members that were cut off count only if no other has finished.
  const auto cut_off = [](const Member& member) { return member.learned.reason == StopReason::interrupted; };
  const bool interrupted = std::any_of(members.begin(), members.end(), cut_off);
  if (interrupted && !std::all_of(members.begin(), members.end(), cut_off)) std::erase_if(members, cut_off);

  Ensemble ensemble;
  std::vector<Parameters> models;
  for (const Member& member : members) models.push_back(member.learned.parameters);
  ensemble.average.parameters = average(models);
  double epochs = 0;
  for (const Member& member : members) {
    const auto count = static_cast<double>(members.size());
    ensemble.average.objective += member.learned.objective / count;
    ensemble.average.loss += member.learned.loss / count;
    epochs += member.learned.epochs / count;
    ensemble.average.reason = std::max(ensemble.average.reason, member.learned.reason);
  }
  ensemble.average.epochs = static_cast<int>(std::lround(epochs));
  if (interrupted) ensemble.average.reason = StopReason::interrupted;
  const std::vector<double> scores = score_rows(rows.encoder, ensemble.average.parameters, rows.rows);
  ensemble.unseen_scores = unseen_means(rows, members, weighted_mean(rows, scores));
  return ensemble;
}

std::vector<Parameters> learn_repeatedly(
    int count, const ProgressCallback& progress,
    const std::function<Learned(std::size_t, const ProgressCallback&)>& learn_one) {
  std::vector<Learned> refits(static_cast<std::size_t>(count));
  SharedProgress shared(refits.size(), progress);
  parallel_for(refits.size(), [&](std::size_t b) {
    refits[b] = learn_one(b, [&](const Progress& p) { return shared.report(b, p); });
    shared.finish(b);
  });
  std::vector<Parameters> parameters;
  for (Learned& refit : refits) {
    if (refit.reason == StopReason::interrupted) return {};
    parameters.push_back(std::move(refit.parameters));
  }
  return parameters;
}

std::vector<double> out_of_fold_scores(const LearningRows& rows, const TrainOptions& options,
                                       const Parameters& parameters, const ProgressCallback& progress) {
  const int fold_count = options.assignment.fold_count;
  const std::vector<Member> members = learn_members(
      rows, options, static_cast<std::size_t>(fold_count),
      [&](std::size_t fold) { return fold_weights(rows, fold_count, options.optimizer.seed, fold); }, progress);
  const auto cut_off = [](const Member& member) { return member.learned.reason == StopReason::interrupted; };
  if (std::any_of(members.begin(), members.end(), cut_off)) return {};
  const double centre = weighted_mean(rows, score_rows(rows.encoder, parameters, rows.rows));
  return unseen_means(rows, members, centre);
}

bool has_quick_refits(std::size_t row_count, std::size_t attribute_count) {
  return static_cast<double>(row_count) * (static_cast<double>(attribute_count) + 10) <= 1e5;
}

namespace {

// Whether a single fit takes scores of unseen rows. By itself not from the paper's descent, which is slow, nor where a
// fold would be a handful of rows.
bool takes_unseen_scores(const LearningRows& rows, const TrainOptions& options) {
  constexpr std::size_t least_fold = 10;
  const std::size_t row_count = rows.labels.size();
  switch (options.assignment.reference_scores) {
    case ReferenceScores::training:
      return false;
    case ReferenceScores::out_of_sample:
      return true;
    case ReferenceScores::automatic:
      break;
  }
  return options.optimizer.method != Optimizer::sgd &&
         row_count >= least_fold * static_cast<std::size_t>(options.assignment.fold_count) &&
         has_quick_refits(row_count, rows.rows.attribute_count);
}

}  // namespace

LearnedScores learn_scores(const LearningRows& rows, const TrainOptions& options, const ProgressCallback& progress,
                           const Parameters* warm_start) {
  LearnedScores result;
  // Trees start nowhere at random, and each row tells them more than an average of trees without some would gain.
  const bool is_bagged = options.bag_count > 1 && options.optimizer.method != Optimizer::boost;
  if (is_bagged) {
    Ensemble ensemble = learn_bagged(rows, options, progress);
    result.learned = std::move(ensemble.average);
    result.unseen_scores = std::move(ensemble.unseen_scores);
    result.refit_count = options.bag_count;
  } else {
    // The fit itself is the first part of the work, the refits that score unseen rows are the others.
    const bool unseen = options.bag_count > 1 || takes_unseen_scores(rows, options);
    const int parts = unseen ? 1 + options.assignment.fold_count : 1;
    const auto part_of = [&](int first, int count) -> ProgressCallback {
      if (!progress) return {};
      return [&progress, first, count, parts](Progress p) {
        p.share = (first + p.share * count) / parts;
        return progress(p);
      };
    };
    result.learned = learn(rows, options, part_of(0, 1), warm_start);
    if (unseen && result.learned.reason != StopReason::interrupted) {
      result.unseen_scores = out_of_fold_scores(rows, options, result.learned.parameters, part_of(1, parts - 1));
      if (result.unseen_scores.empty()) {
        result.learned.reason = StopReason::interrupted;
      } else {
        result.refit_count = parts;
      }
    }
  }
  result.training_scores = score_rows(rows.encoder, result.learned.parameters, rows.rows);
  if (!result.unseen_scores.empty()) complete_classes(result.unseen_scores, result.training_scores, rows);
  return result;
}

}  // namespace xofm::detail
