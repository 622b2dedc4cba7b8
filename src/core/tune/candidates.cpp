#include "core/tune/candidates.hpp"

#include <algorithm>
#include <tuple>

#include "core/base/random.hpp"
#include "xofm/error.hpp"

namespace xofm {

void apply(const TriedOptions& candidate, TrainOptions& options) {
  options.encoder.knots = candidate.knots;
  options.encoder.segment_count = candidate.segment_count;
  options.factor_count = candidate.factor_count;
  options.increment_penalty = candidate.increment_penalty;
  options.factor_penalty = candidate.factor_penalty;
  options.pair_weighting = candidate.pair_weighting;
  options.optimizer.init_stddev = candidate.init_stddev;
  options.optimizer.max_epochs = candidate.max_epochs;
  options.auto_direction = candidate.auto_direction;
  options.bag_count = candidate.bag_count;
  options.assignment.rule = candidate.rule;
  options.assignment.reference_scores = candidate.reference_scores;
}

namespace detail {

namespace {

// What makes two candidates the same model. Without factors their penalty and start do not matter.
auto identity(const TriedOptions& c) {
  const bool pairs = c.factor_count > 0;
  return std::tuple(c.knots, c.segment_count, c.factor_count, c.increment_penalty, pairs ? c.factor_penalty : 0.0,
                    c.pair_weighting, pairs ? c.init_stddev : 0.0, c.auto_direction);
}

template <class Value>
Value nearest(const std::vector<Value>& values, const Value& wanted) {
  return std::find(values.begin(), values.end(), wanted) != values.end() ? wanted : values.front();
}

}  // namespace

std::vector<TriedOptions> draw_candidates(const SearchSpace& space, const TrainOptions& base, std::size_t count,
                                          std::uint64_t seed) {
  Random random(seed, 0x7ee);
  const auto pick = [&](const auto& values) { return values[random.below(values.size())]; };
  TriedOptions first;
  first.knots = nearest(space.knots, base.encoder.knots);
  first.segment_count = nearest(space.segment_counts, base.encoder.segment_count);
  first.factor_count = nearest(space.factor_counts, base.factor_count);
  first.increment_penalty = nearest(space.increment_penalties, base.increment_penalty);
  first.factor_penalty = nearest(space.factor_penalties, base.factor_penalty);
  first.pair_weighting = nearest(space.pair_weightings, base.pair_weighting);
  first.init_stddev = nearest(space.init_stddevs, base.optimizer.init_stddev);
  first.auto_direction = nearest(space.auto_directions, base.auto_direction);
  first.max_epochs = space.max_epochs.front();
  std::vector<TriedOptions> candidates = {first};
  // A small space runs dry: then enough draws have been in vain.
  for (std::size_t draw = 0; candidates.size() < count && draw < 20 * count; ++draw) {
    TriedOptions next;
    next.knots = pick(space.knots);
    next.segment_count = pick(space.segment_counts);
    next.factor_count = pick(space.factor_counts);
    next.increment_penalty = pick(space.increment_penalties);
    next.factor_penalty = pick(space.factor_penalties);
    next.pair_weighting = pick(space.pair_weightings);
    next.init_stddev = pick(space.init_stddevs);
    next.auto_direction = pick(space.auto_directions);
    next.max_epochs = space.max_epochs.front();
    const auto same = [&](const TriedOptions& other) { return identity(other) == identity(next); };
    if (std::none_of(candidates.begin(), candidates.end(), same)) candidates.push_back(next);
  }
  return candidates;
}

bool is_simpler(const TriedOptions& a, const TriedOptions& b) {
  const auto rank = [](const TriedOptions& c) {
    return std::tuple(c.factor_count > 0, c.segment_count, c.factor_count);
  };
  return rank(a) < rank(b);
}

void check(const SearchSpace& space) {
  const auto need = [](bool ok, const char* what) {
    if (!ok) throw Error(ErrorCode::invalid_option, what);
  };
  need(!space.knots.empty() && !space.segment_counts.empty() && !space.factor_counts.empty() &&
           !space.increment_penalties.empty() && !space.factor_penalties.empty() && !space.pair_weightings.empty() &&
           !space.init_stddevs.empty() && !space.auto_directions.empty() && !space.max_epochs.empty() && !space.rules.empty() &&
           !space.reference_scores.empty(),
       "a list of the search space is empty; give at least one value");
  need(std::adjacent_find(space.max_epochs.begin(), space.max_epochs.end(), std::greater_equal<>()) ==
           space.max_epochs.end(),
       "max_epochs of the search space must ascend");
  need(std::find(space.reference_scores.begin(), space.reference_scores.end(), ReferenceScores::automatic) ==
           space.reference_scores.end(),
       "reference_scores of the search space must be training or out_of_sample");
}

}  // namespace detail

}  // namespace xofm
