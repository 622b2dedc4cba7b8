#include "xofm/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/evaluate/check_input.hpp"
#include "xofm/error.hpp"

namespace xofm {

namespace {

constexpr double least_probability = 1e-15;

double squared(double x) { return x * x; }

// Everything that depends on true and predicted classes alone. The counts are exact integers, so row order cannot
// change a bit of the result.
void add_class_metrics(Metrics& metrics) {
  const auto& confusion = metrics.confusion;
  std::size_t right = 0, near = 0, distance_total = 0, present_count = 0;
  double class_mae_total = 0, worst = 0;
  for (std::size_t truth = 0; truth < confusion.size(); ++truth) {
    std::size_t rows = 0, distance = 0;
    for (std::size_t guess = 0; guess < confusion.size(); ++guess) {
      const std::size_t count = confusion[truth][guess];
      const std::size_t off = truth > guess ? truth - guess : guess - truth;
      rows += count;
      distance += count * off;
      if (off == 0) right += count;
      if (off <= 1) near += count;
    }
    if (rows == 0) continue;
    const double class_mae = static_cast<double>(distance) / static_cast<double>(rows);
    class_mae_total += class_mae;
    worst = std::max(worst, class_mae);
    distance_total += distance;
    ++present_count;
  }
  if (present_count == 0) return;
  const auto row_count = static_cast<double>(metrics.row_count);
  metrics.accuracy = static_cast<double>(right) / row_count;
  metrics.within_one = static_cast<double>(near) / row_count;
  metrics.mae = static_cast<double>(distance_total) / row_count;
  metrics.macro_mae = class_mae_total / static_cast<double>(present_count);
  metrics.worst_class_mae = worst;
}

}  // namespace

Metrics evaluate(int class_count, std::span<const int> labels, std::span<const int> predicted,
                 std::span<const double> scores, std::span<const double> probabilities) {
  Metrics metrics;
  metrics.row_count = labels.size();
  metrics.confusion = confusion_matrix(class_count, labels, predicted);
  add_class_metrics(metrics);
  metrics.qwk = quadratic_weighted_kappa(metrics.confusion);
  if (!scores.empty()) {
    const PairCounts pairs = count_pairs(class_count, labels, scores);
    metrics.kendall_tau_b = kendall_tau_b(pairs);
    metrics.c_index = c_index(pairs);
  }
  if (!probabilities.empty()) {
    metrics.rps = ranked_probability_score(class_count, labels, probabilities);
    metrics.log_loss = log_loss(class_count, labels, probabilities);
  }
  return metrics;
}

Confusion confusion_matrix(int class_count, std::span<const int> labels, std::span<const int> predicted) {
  detail::check_class_count(class_count);
  if (labels.size() != predicted.size()) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("{} labels but {} predicted classes; there must be one of each a row", labels.size(),
                            predicted.size()));
  }
  detail::check_classes(class_count, labels, "label");
  detail::check_classes(class_count, predicted, "predicted class");
  const auto width = static_cast<std::size_t>(class_count);
  Confusion confusion(width, std::vector<std::size_t>(width, 0));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    ++confusion[static_cast<std::size_t>(labels[i])][static_cast<std::size_t>(predicted[i])];
  }
  return confusion;
}

double quadratic_weighted_kappa(const Confusion& confusion) {
  const std::size_t width = confusion.size();
  std::vector<double> truth_totals(width, 0), guess_totals(width, 0);
  double row_count = 0;
  for (std::size_t truth = 0; truth < width; ++truth) {
    if (confusion[truth].size() != width) {
      throw Error(ErrorCode::invalid_data, fmt::format("row {} of the confusion matrix has {} entries; it must have {}",
                                                       truth, confusion[truth].size(), width));
    }
    for (std::size_t guess = 0; guess < width; ++guess) {
      const auto count = static_cast<double>(confusion[truth][guess]);
      truth_totals[truth] += count;
      guess_totals[guess] += count;
      row_count += count;
    }
  }
  double observed = 0, expected = 0;
  for (std::size_t truth = 0; truth < width; ++truth) {
    for (std::size_t guess = 0; guess < width; ++guess) {
      const double weight = squared(static_cast<double>(truth) - static_cast<double>(guess));
      observed += weight * static_cast<double>(confusion[truth][guess]);
      expected += weight * truth_totals[truth] * guess_totals[guess];
    }
  }
  if (expected == 0) return Metrics::undefined;
  return 1 - observed * row_count / expected;
}

double ranked_probability_score(int class_count, std::span<const int> labels, std::span<const double> probabilities) {
  detail::check_probabilities(class_count, labels, probabilities);
  if (labels.empty() || class_count == 1) return Metrics::undefined;
  const auto width = static_cast<std::size_t>(class_count);
  double total = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto truth = static_cast<std::size_t>(labels[i]);
    double cumulative = 0;
    // The last class is left out: both sides are 1 there.
    for (std::size_t h = 0; h + 1 < width; ++h) {
      cumulative += probabilities[i * width + h];
      total += squared(cumulative - (truth <= h ? 1.0 : 0.0));
    }
  }
  return total / static_cast<double>(labels.size()) / static_cast<double>(width - 1);
}

double log_loss(int class_count, std::span<const int> labels, std::span<const double> probabilities) {
  detail::check_probabilities(class_count, labels, probabilities);
  if (labels.empty()) return Metrics::undefined;
  const auto width = static_cast<std::size_t>(class_count);
  double total = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double p = probabilities[i * width + static_cast<std::size_t>(labels[i])];
    total -= std::log(std::clamp(p, least_probability, 1.0));
  }
  return total / static_cast<double>(labels.size());
}

}  // namespace xofm
