// Stage 4, loss: how far the scores are from the order of the labels (paper, Section 3.3).
#pragma once

#include <span>
#include <string>
#include <vector>

namespace xofm {

// How the sum over all ordered pairs is taken; the pairs themselves are never visited.
enum class LossForm {
  automatic,  // sweep for small data and to finish, histogram for large
  sweep,      // exact, O(N log N + N H)
  histogram,  // within about 1e-6 of it, O(N + bins H^2)
};

// How much a pair of objects counts, by their classes; the objects' own weights come on top.
enum class PairWeighting {
  uniform,   // all pairs alike: the paper's
  distance,  // by the number of classes between them: gross errors count more
  balanced,  // every pair of classes the same in total: rare classes are heard
  adjacent,  // neighbouring classes only
};

// Mean over the ordered pairs (label_i > label_j) of max(0, score_j - score_i + margin)^2, weighted by
// weight_i weight_j and the weight of their two classes.
class PairLoss {
 public:
  // Labels 0 .. class_count-1, at least two classes present; weights empty (all 1) or one per label, not negative.
  PairLoss(std::span<const int> labels, int class_count, std::span<const double> weights, double margin,
           PairWeighting weighting = PairWeighting::uniform);

  // The loss, and its derivative with respect to every score. The form must not be automatic.
  double operator()(std::span<const double> scores, std::span<double> derivative, LossForm form) const;

  // Whether the histogram form pays for these scores: many rows, and not so many bins.
  bool suits_histogram(std::span<const double> scores) const;

  std::size_t row_count() const { return labels_.size(); }
  int class_count() const { return class_count_; }
  double margin() const { return margin_; }
  // Weight of a pair of two different classes, in any order, relative to the mean over all pairs of objects.
  double class_pair_weight(int a, int b) const;

 private:
  double sweep(std::span<const double> scores, std::span<double> derivative) const;
  double histogram(std::span<const double> scores, std::span<double> derivative) const;
  double weight(std::size_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }

  std::vector<std::uint8_t> labels_;
  std::vector<double> weights_;
  int class_count_;
  double margin_;
  std::vector<double> between_;  // [a * class_count + b]: weight of a pair of these classes; the diagonal is 0
  double pair_weight_;           // total over the ordered pairs
  double mean_weight_;           // of a pair of objects
};

}  // namespace xofm
