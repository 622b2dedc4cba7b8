// Learning by draws from the posterior: no penalties to choose, and the mean of many models instead of one.
//
// Chains run side by side (core/sample/chain.hpp); the second half of their sweeps is kept, thinned. The score is the
// posterior mean, and a model of the same form: the mean of the curves, and factors whose products are the mean of the
// draws' products. V itself has no mean worth having: turned factors give the same products.
#pragma once

#include <deque>

#include "core/sample/chain.hpp"
#include "core/train/learner.hpp"

namespace xofm::detail {

class Gibbs : public Learner {
 public:
  // Keeps a reference to the encoder. Of the recipe it takes factor_count and init_stddev.
  Gibbs(const LearningRows& rows, const TrainOptions& options, const Recipe& recipe, std::uint64_t seed);

  // An epoch is a sweep of all chains. Converged: R-hat of scores, curves and cuts is at most 1.1.
  void advance(int sweep_count, const ProgressCallback& progress) override;
  Learned learned() const override;

  bool is_interrupted() const { return is_interrupted_; }
  // The parameters of every draw kept, chain by chain.
  std::vector<Parameters> draws() const;
  // P(class | row), averaged over the draws: [row * class_count + class].
  std::vector<double> probabilities(const EncodedRows& rows) const;
  SamplingRecord record() const;

 private:
  struct Kept {
    int sweep = 0;
    double mean_score = 0;
    Draw draw;  // with the scores of a few rows
  };
  using Draws = std::vector<const Kept*>;
  static Kept keep(int sweep, const Draw& draw);
  Draws kept(std::size_t chain) const;  // of the second half
  Parameters parameters_of(const Draw& draw) const;
  Parameters mean() const;
  // Curves of a draw less their mean over the rows, which they share with the cuts.
  std::vector<double> centred_curves(const Draw& draw) const;

  const Encoder* encoder_;
  Nodes nodes_;
  PairLoss loss_;
  int factor_count_;
  const EncodedRows* rows_;
  std::deque<Chain> chains_;
  std::vector<std::vector<Kept>> draws_;  // by chain
  std::vector<int> strides_;              // sweeps from one draw that is kept to the next
  int sweep_count_ = 0;
  bool is_interrupted_ = false;
};

}  // namespace xofm::detail
