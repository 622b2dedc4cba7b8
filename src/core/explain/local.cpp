#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/explain/effects.hpp"
#include "core/explain/one_row.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"

namespace xofm {

Dataset detail::one_row(const Dataset& rows, std::size_t row) {
  if (!(row < rows.row_count())) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("row {} was asked for; the data have {} rows, counted from 0", row, rows.row_count()));
  }
  return subset(rows, std::vector<std::size_t>{row});
}

namespace {

// Of all pairs of attributes those with the greatest contributions; of the others the sum alone.
void add_greatest_pairs(const std::vector<std::vector<double>>& deviations, std::size_t most, LocalExplanation& local) {
  const auto is_greater = [](const PairContribution& x, const PairContribution& y) {
    if (std::abs(x.value) != std::abs(y.value)) return std::abs(x.value) > std::abs(y.value);
    return std::pair(x.first, x.second) < std::pair(y.first, y.second);
  };
  std::vector<PairContribution>& kept = local.pairs;  // a heap with the least in front
  for (std::size_t a = 0; a < deviations.size(); ++a) {
    for (std::size_t b = a + 1; b < deviations.size(); ++b) {
      kept.push_back({a, b, detail::dot(deviations[a], deviations[b])});
      if (kept.size() > most && kept.size() > 1 && !is_greater(kept.back(), kept.front())) {
        local.other_pairs += kept.back().value;
        kept.pop_back();
        continue;
      }
      std::push_heap(kept.begin(), kept.end(), is_greater);
      if (kept.size() <= most) continue;
      std::pop_heap(kept.begin(), kept.end(), is_greater);
      local.other_pairs += kept.back().value;
      kept.pop_back();
    }
  }
  std::sort(kept.begin(), kept.end(), is_greater);
}

void add_contributions(const Model& model, const Dataset& object, std::size_t most_pairs, LocalExplanation& local) {
  const detail::Effects effects(model);
  local.base = effects.base();
  std::vector<std::vector<double>> deviations;
  for (std::size_t j = 0; j < effects.attribute_count(); ++j) {
    const detail::Effect effect = effects.at(j, object.columns[j].front());
    local.attributes.push_back(effects.curve(j, effect));
    deviations.push_back(effects.deviation(j, effect));
  }
  const std::size_t count = pair_count(model);
  if (!model.terms && count > most_pairs) {
    add_greatest_pairs(deviations, most_pairs, local);
    local.other_pair_count = count - local.pairs.size();
    return;
  }
  for (const auto& [a, b] : detail::pairs_of(model)) {
    local.pairs.push_back({a, b, detail::dot(deviations[a], deviations[b])});
  }
}

void add_reference(const Reference& reference, int nearest_count, LocalExplanation& local) {
  const double score = local.score;
  std::vector<ReferenceObject> all;
  for (std::size_t h = 0; h < reference.classes.size(); ++h) {
    const auto& points = reference.classes[h];
    const auto object = [&](const ReferencePoint& point) {
      const auto i = static_cast<std::size_t>(&point - points.data());
      return ReferenceObject{point.score, point.weight, point.row, static_cast<int>(h),
                             reference.ids.empty() ? "" : reference.ids[h][i]};
    };
    double below = 0;
    double total = 0;
    for (const ReferencePoint& point : points) {
      total += point.weight;
      if (point.score < score) below += point.weight;
      all.push_back(object(point));
    }
    local.share_below.push_back(total > 0 ? below / total : 0.0);
    if (points.empty()) continue;
    if (points.front().score <= score) local.sets_best = object(points.front());
    if (points.back().score >= score && !local.sets_worst) local.sets_worst = object(points.back());
  }
  const auto count = std::min(all.size(), static_cast<std::size_t>(nearest_count));
  const auto nearer = [&](const ReferenceObject& a, const ReferenceObject& b) {
    const double x = std::abs(a.score - score);
    const double y = std::abs(b.score - score);
    return x < y || (x == y && a.row < b.row);
  };
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(all.begin(), end, all.end(), nearer);
  local.nearest.assign(all.begin(), end);
}

}  // namespace

LocalExplanation explain(const Model& model, const Dataset& rows, std::size_t row, const LocalOptions& options) {
  if (!(options.nearest_count >= 0)) {
    throw Error(ErrorCode::invalid_option,
                fmt::format("nearest_count is {}; it must be at least 0", options.nearest_count));
  }
  const Dataset object = detail::one_row(rows, row);
  Predictions predicted = model.predict(object);
  LocalExplanation local;
  local.score = predicted.scores.front();
  local.label = predicted.classes.front();
  local.interval = predicted.intervals.front();
  local.support = std::move(predicted.support);
  local.probabilities = std::move(predicted.probabilities);
  for (RowNote note : predicted.notes) local.notes.push_back({row, note.attribute, note.note});
  add_contributions(model, object, options.most_pairs, local);
  add_reference(model.assignment.reference, options.nearest_count, local);
  return local;
}

}  // namespace xofm
