#include "core/tune/candidates.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

#include "xofm/error.hpp"

namespace xofm {

void apply(const TriedOptions& candidate, TrainOptions& options) {
  options.encoder.knots = candidate.knots;
  options.encoder.segment_count = candidate.segment_count;
  options.auto_direction = candidate.auto_direction;
  options.factor_count = candidate.factor_count;
  options.increment_penalty = candidate.increment_penalty;
  options.factor_penalty = candidate.factor_penalty;
  options.pair_weighting = candidate.pair_weighting;
  options.optimizer.init_stddev = candidate.init_stddev;
  options.optimizer.max_epochs = candidate.max_epochs;
  options.assignment.rule = candidate.rule;
  options.assignment.reference_scores = candidate.reference_scores;
}

namespace detail {

namespace {

// Calls visit(list, field) for each list of the space and the field that it fills.
template <class Visit>
void for_each_list(const SearchSpace& space, Visit visit) {
  visit(space.knots, &TriedOptions::knots);
  visit(space.segment_counts, &TriedOptions::segment_count);
  visit(space.auto_directions, &TriedOptions::auto_direction);
  visit(space.factor_counts, &TriedOptions::factor_count);
  visit(space.increment_penalties, &TriedOptions::increment_penalty);
  visit(space.factor_penalties, &TriedOptions::factor_penalty);
  visit(space.pair_weightings, &TriedOptions::pair_weighting);
  visit(space.init_stddevs, &TriedOptions::init_stddev);
}

// What makes a model. Without factors their penalty and start do not matter.
auto identity(const TriedOptions& c) {
  const bool pairs = c.factor_count > 0;
  return std::tuple(c.knots, c.segment_count, c.auto_direction, c.factor_count, c.increment_penalty,
                    pairs ? c.factor_penalty : 0.0, c.pair_weighting, pairs ? c.init_stddev : 0.0, c.max_epochs);
}

// The candidate with the fields in which `change` differs from the start.
TriedOptions merged(TriedOptions candidate, const TriedOptions& change, const TriedOptions& start) {
  const auto take = [&](auto field) {
    if (change.*field != start.*field) candidate.*field = change.*field;
  };
  for_each_list({}, [&](const auto&, auto field) { take(field); });
  return candidate;
}

}  // namespace

TriedOptions starting_candidate(const SearchSpace& space) {
  TriedOptions start;
  for_each_list(space, [&](const auto& values, auto field) { start.*field = values.front(); });
  start.max_epochs = space.max_epochs.front();
  return start;
}

std::vector<TriedOptions> single_changes(const SearchSpace& space) {
  const TriedOptions start = starting_candidate(space);
  std::vector<TriedOptions> candidates = {start};
  for_each_list(space, [&](const auto& values, auto field) {
    for (const auto& value : values) {
      TriedOptions changed = start;
      changed.*field = value;
      const auto same = [&](const TriedOptions& other) { return is_same_model(other, changed); };
      if (std::none_of(candidates.begin(), candidates.end(), same)) candidates.push_back(changed);
    }
  });
  return candidates;
}

std::vector<TriedOptions> combined_changes(const TriedOptions& start, std::span<const TriedOptions> changes,
                                           std::span<const TriedOptions> known) {
  std::vector<TriedOptions> combined;
  TriedOptions all = start;
  for (std::size_t a = 0; a < changes.size(); ++a) {
    all = merged(all, changes[a], start);
    for (std::size_t b = a + 1; b < changes.size(); ++b) {
      combined.push_back(merged(merged(start, changes[b], start), changes[a], start));
    }
  }
  combined.push_back(all);
  std::vector<TriedOptions> result;
  for (const TriedOptions& candidate : combined) {
    const auto same = [&](const TriedOptions& other) { return is_same_model(other, candidate); };
    if (std::any_of(known.begin(), known.end(), same) || std::any_of(result.begin(), result.end(), same)) continue;
    result.push_back(candidate);
  }
  return result;
}

bool is_same_model(const TriedOptions& a, const TriedOptions& b) { return identity(a) == identity(b); }

bool is_simpler(const TriedOptions& a, const TriedOptions& b) {
  const auto rank = [](const TriedOptions& c) {
    return std::tuple(c.factor_count > 0, c.auto_direction == 0, c.segment_count, c.factor_count);
  };
  return rank(a) < rank(b);
}

void check(const SearchSpace& space) {
  const auto need = [](bool ok, const char* what) {
    if (!ok) throw Error(ErrorCode::invalid_option, what);
  };
  need(!space.knots.empty() && !space.segment_counts.empty() && !space.factor_counts.empty() &&
           !space.increment_penalties.empty() && !space.factor_penalties.empty() && !space.pair_weightings.empty() &&
           !space.init_stddevs.empty() && !space.auto_directions.empty() && !space.max_epochs.empty() &&
           !space.rules.empty() && !space.reference_scores.empty(),
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
