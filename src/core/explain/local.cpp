#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

void add_contributions(const Model& model, const Dataset& object, LocalExplanation& local) {
  const detail::Effects effects(model);
  local.base = effects.base();
  std::vector<std::vector<double>> deviations;
  for (std::size_t j = 0; j < effects.attribute_count(); ++j) {
    const detail::Effect effect = effects.at(j, object.columns[j].front());
    local.attributes.push_back(effects.curve(j, effect));
    deviations.push_back(effects.deviation(j, effect));
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
      return ReferenceObject{point.score, point.weight, point.row, static_cast<int>(h)};
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
  add_contributions(model, object, local);
  add_reference(model.assignment.reference, options.nearest_count, local);
  return local;
}

}  // namespace xofm
