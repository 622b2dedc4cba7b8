// The exact form. Sorted by score, the partners of an object within the margin are a prefix that only grows, so running
// sums per class replace the pair loop:
//   for the lower object of a pair,  a = score + margin,  sums over the objects below a of 1, (a - s), (a - s)^2.
// When a moves up by d the sums are moved with it (S2 += d (2 S1 + d W), S1 += d W): every term is positive, so
// nothing cancels, whatever the offset of the scores. The upper object's side is the same sweep on mirrored scores and
// classes. O(N log N + N H).
#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/clones.hpp"
#include "core/base/parallel.hpp"
#include "core/loss/score_order.hpp"
#include "xofm/loss.hpp"

namespace xofm {

namespace {

using detail::ScoredRow;

struct Side {
  double sign;                      // 1: the row is the lower object of its pairs; -1: the upper one, all mirrored
  std::span<const ScoredRow> rows;  // ascending by score
  std::span<const std::uint8_t> labels;
  std::span<const double> weights;
  int class_count;
  double margin;
};

// Adds up one side; derivative[row] is overwritten. Returns the sum of the loss over all pairs.
XOFM_CLONES double sweep_side(const Side& side, double* derivative) {
  const std::size_t count = side.rows.size();
  const auto classes = static_cast<std::size_t>(side.class_count);
  const bool mirrored = side.sign < 0;
  const auto row_at = [&](std::size_t p) -> const ScoredRow& { return side.rows[mirrored ? count - 1 - p : p]; };
  const auto class_of = [&](const ScoredRow& row) -> std::size_t {
    const std::size_t label = side.labels[row.row];
    return mirrored ? classes - 1 - label : label;
  };
  const auto weight_of = [&](const ScoredRow& row) { return side.weights.empty() ? 1.0 : side.weights[row.row]; };

  std::vector<double> weight(classes), first(classes), second(classes);  // per class: sums of 1, (a - s), (a - s)^2
  double loss = 0;
  double a = count == 0 ? 0 : side.sign * row_at(0).score + side.margin;
  std::size_t next = 0;
  for (std::size_t p = 0; p < count; ++p) {
    const ScoredRow& row = row_at(p);
    const double a_now = side.sign * row.score + side.margin;
    const double d = a_now - a;
    a = a_now;
    for (std::size_t h = 0; h < classes; ++h) {
      second[h] += d * (2 * first[h] + d * weight[h]);
      first[h] += d * weight[h];
    }
    for (; next < count; ++next) {
      const ScoredRow& partner = row_at(next);
      const double gap = a - side.sign * partner.score;
      if (!(gap > 0)) break;
      const std::size_t h = class_of(partner);
      const double w = weight_of(partner);
      weight[h] += w;
      first[h] += w * gap;
      second[h] += w * gap * gap;
    }
    double row_loss = 0;
    double row_slope = 0;
    for (std::size_t h = class_of(row) + 1; h < classes; ++h) {
      row_loss += second[h];
      row_slope += first[h];
    }
    const double w = weight_of(row);
    loss += w * row_loss;
    derivative[row.row] = side.sign * 2 * w * row_slope;
  }
  return loss;
}

}  // namespace

double PairLoss::sweep(std::span<const double> scores, std::span<double> derivative) const {
  const std::vector<ScoredRow> rows = detail::sort_by_score(scores);
  std::vector<double> upper(scores.size());
  double loss = 0;
  detail::parallel_for(2, [&](std::size_t side) {
    const Side lower_side{1, rows, labels_, weights_, class_count_, margin_};
    const Side upper_side{-1, rows, labels_, weights_, class_count_, margin_};
    if (side == 0) {
      loss = sweep_side(lower_side, derivative.data());
    } else {
      sweep_side(upper_side, upper.data());
    }
  });
  for (std::size_t i = 0; i < derivative.size(); ++i) derivative[i] += upper[i];
  return loss;
}

}  // namespace xofm
