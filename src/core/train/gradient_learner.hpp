// Learning by gradients: L-BFGS on full ones, or the paper's descent pair by pair.
#pragma once

#include "core/train/constraints.hpp"
#include "core/train/learner.hpp"
#include "core/train/objective.hpp"

namespace xofm::detail {

class GradientLearner : public Learner {
 public:
  GradientLearner(const LearningRows& rows, const TrainOptions& options, const Recipe& recipe, std::uint64_t seed,
                  const Parameters* warm_start);

  void advance(int epochs, const ProgressCallback& progress) override;
  Learned learned() const override { return learned_; }

 private:
  Parameters starting_point(int restart) const;
  Minimum minimize(const PairLoss& loss, Parameters start, int restart, int epochs, const ProgressCallback& progress);
  Minimum minimize_full(TrainingObjective& objective, std::vector<double> start, int epochs,
                        const std::function<bool(double, double)>& report) const;
  Penalties penalties() const;

  LearningRows rows_;
  const TrainOptions* options_;
  Recipe recipe_;
  std::uint64_t seed_;
  Constraints constraints_;
  Learned learned_;
  int allowed_ = 0;  // epochs so far
  bool is_started_ = false;
};

}  // namespace xofm::detail
