#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/loss/score_histogram.hpp"
#include "xofm/error.hpp"
#include "xofm/loss.hpp"

namespace xofm {

namespace {

double class_weight(PairWeighting weighting, std::size_t low, std::size_t high, const std::vector<double>& totals) {
  switch (weighting) {
    case PairWeighting::uniform:
      return 1;
    case PairWeighting::distance:
      return static_cast<double>(high - low);
    case PairWeighting::balanced: {
      const double pairs = totals[low] * totals[high];
      return pairs > 0 ? 1 / pairs : 0.0;
    }
    case PairWeighting::adjacent: {
      // The next class that has objects: an absent one in between does not cut the order in two.
      for (std::size_t h = low + 1; h < high; ++h) {
        if (totals[h] > 0) return 0;
      }
      return 1;
    }
  }
  return 0;
}

}  // namespace

PairLoss::PairLoss(std::span<const int> labels, int class_count, std::span<const double> weights, double margin,
                   PairWeighting weighting)
    : weights_(weights.begin(), weights.end()), class_count_(class_count), margin_(margin) {
  if (!(margin > 0 && std::isfinite(margin))) {
    throw Error(ErrorCode::invalid_option, fmt::format("margin is {}; it must be a positive number", margin));
  }
  if (!(class_count >= 2 && class_count <= std::numeric_limits<std::uint8_t>::max())) {
    throw Error(ErrorCode::invalid_data, fmt::format("there are {} classes; 2 to 255 are possible", class_count));
  }
  if (!weights.empty() && weights.size() != labels.size()) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("there are {} weights for {} labels", weights.size(), labels.size()));
  }
  labels_.reserve(labels.size());
  std::vector<double> class_weights(static_cast<std::size_t>(class_count));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (!(labels[i] >= 0 && labels[i] < class_count)) {
      throw Error(ErrorCode::invalid_data,
                  fmt::format("row {}: label {} is outside 0 .. {}", i + 1, labels[i], class_count - 1));
    }
    labels_.push_back(static_cast<std::uint8_t>(labels[i]));
    class_weights[static_cast<std::size_t>(labels[i])] += weight(i);
  }
  const auto classes = static_cast<std::size_t>(class_count);
  std::vector<double> counts(classes);
  for (std::size_t i = 0; i < labels.size(); ++i) counts[labels_[i]] += weight(i) > 0 ? 1 : 0;
  between_.assign(classes * classes, 0.0);
  pair_weight_ = 0;
  double pair_count = 0;
  for (std::size_t high = 1; high < classes; ++high) {
    for (std::size_t low = 0; low < high; ++low) {
      const double between = class_weight(weighting, low, high, class_weights);
      between_[low * classes + high] = between_[high * classes + low] = between;
      pair_weight_ += between * class_weights[low] * class_weights[high];
      pair_count += counts[low] * counts[high];
    }
  }
  mean_weight_ = pair_weight_ / pair_count;
  if (!(pair_weight_ > 0)) {
    throw Error(ErrorCode::invalid_data,
                "all rows (with positive weight) are of one class; at least two classes are needed to learn an order");
  }
}

double PairLoss::operator()(std::span<const double> scores, std::span<double> derivative, LossForm form) const {
  const double sum = form == LossForm::histogram ? histogram(scores, derivative) : sweep(scores, derivative);
  const double scale = 1 / pair_weight_;
  for (double& d : derivative) d *= scale;
  return sum * scale;
}

double PairLoss::class_pair_weight(int a, int b) const {
  return between_[static_cast<std::size_t>(a) * static_cast<std::size_t>(class_count_) + static_cast<std::size_t>(b)] /
         mean_weight_;
}

bool PairLoss::suits_histogram(std::span<const double> scores) const {
  constexpr std::size_t least_rows = 50'000;  // below, the sweep takes a few milliseconds at most
  if (scores.size() < least_rows) return false;
  const detail::BinGrid grid(scores, margin_);
  const double cells = grid.count * static_cast<double>(class_count_);
  return cells * static_cast<double>(class_count_) <= 5 * static_cast<double>(scores.size());
}

}  // namespace xofm
