#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/loss/score_histogram.hpp"
#include "xofm/error.hpp"
#include "xofm/loss.hpp"

namespace xofm {

PairLoss::PairLoss(std::span<const int> labels, int class_count, std::span<const double> weights, double margin)
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
  double below = 0;
  pair_weight_ = 0;
  for (const double class_weight : class_weights) {
    pair_weight_ += class_weight * below;
    below += class_weight;
  }
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

bool PairLoss::suits_histogram(std::span<const double> scores) const {
  constexpr std::size_t least_rows = 50'000;  // below, the sweep takes a few milliseconds at most
  if (scores.size() < least_rows) return false;
  const detail::BinGrid grid(scores, margin_);
  return grid.count * static_cast<double>(class_count_) <= static_cast<double>(scores.size());
}

}  // namespace xofm
