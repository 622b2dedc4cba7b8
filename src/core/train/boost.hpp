// Boosting in the model's own terms: a sum of small trees (Friedman 2001) that is a model of Equation 4.
//
// A tree asks whether one coordinate is filled, then on either side whether another one is. With p, q and s for how
// much of the three is filled (Phi), its value is
//
//   (1 - p) (a0 + (a1 - a0) q) + p (b0 + (b1 - b0) s)
//     = a0 + (b0 - a0) p + (a1 - a0) q - (a1 - a0) p q + (b1 - b0) p s,
//
// a constant, increments and products of two coordinates. So the sum of all trees has curves and pairs like any other
// model, and is explained as exactly. Where L-BFGS spreads a change over many segments, trees find the few where it
// happens: better on data of sharp edges and many idle attributes, and no random start is needed.
//
// Each tree is fitted to the derivative of the pair loss, its step is a share of the one that is best along it. A tree
// costs two evaluations of the loss, O(N log N), and one histogram per attribute and level, O(N m).
#pragma once

#include <cstdint>
#include <vector>

#include "core/train/learner.hpp"
#include "xofm/loss.hpp"

namespace xofm::detail {

class Booster : public Learner {
 public:
  // Keeps references to encoder and encoded rows. Of the recipe it takes pair_weighting; increment_penalty, which
  // shrinks the values of small leaves as a ridge would; factor_count, where 0 means one question per tree, so curves
  // alone.
  Booster(const LearningRows& rows, const TrainOptions& options, const Recipe& recipe);

  // An epoch is a tree. Converged: none lowers the loss any more.
  void advance(int tree_count, const ProgressCallback& progress) override;
  Learned learned() const override;

 private:
  // A coordinate, and the values of the leaves where it is filled and where not.
  struct Split {
    std::size_t attribute = 0;
    int coordinate = -1;  // among the attribute's own; -1: nothing to ask
    double gain = 0;
    double filled = 0;
    double empty = 0;
  };
  struct Tree {
    Split root;
    Split below;  // where the root's coordinate is not filled
    Split above;
  };

  Split best_split(const std::vector<std::uint32_t>& rows) const;
  void consider_attribute(std::size_t attribute, const std::vector<std::uint32_t>& rows, double sum, double weight,
                          Split& best) const;
  Tree grow_tree() const;
  bool is_filled(std::size_t row, const Split& split) const;
  double filling(std::size_t row, const Split& split) const;
  double value(std::size_t row, const Tree& tree) const;
  // Of the loss along the tree, from the derivatives at some scores.
  double slope(const std::vector<double>& derivative) const;
  double evaluate(const std::vector<double>& scores, std::vector<double>& derivative) const;
  StopReason grow(int tree_count, const ProgressCallback& progress);
  void add(const Tree& tree, double step);
  void add_product(const Split& a, const Split& b, double product);
  std::size_t coordinate_of(const Split& split) const;

  const Encoder* encoder_;
  const EncodedRows* rows_;
  PairLoss loss_;
  LossForm loss_form_;
  bool has_pairs_;
  std::vector<std::uint32_t> learning_;  // rows of positive weight
  std::vector<double> weights_;
  double total_weight_ = 0;
  double ridge_ = 0;
  // [attribute][row]: how many of its segments are filled, to the nearest; or one more than the number of the level's
  // or missing value's coordinate; 0: none.
  std::vector<std::vector<std::uint16_t>> bins_;
  std::vector<double> scores_;
  std::vector<double> derivative_;  // of the loss, per row
  double loss_value_ = 0;
  int tree_count_ = 0;
  StopReason reason_ = StopReason::epoch_limit;
  double step_ = 1;  // best along the last tree
  std::vector<double> direction_;
  std::vector<double> trial_scores_;
  std::vector<double> trial_derivative_;
  std::vector<double> increments_;
  Products products_;
};

}  // namespace xofm::detail
