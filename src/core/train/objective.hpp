// What training minimises: mean pair loss + increment_penalty |u|^2 + factor_penalty |V|_F^2.
#pragma once

#include <span>
#include <vector>

#include "core/score/score_table.hpp"
#include "core/train/constraints.hpp"
#include "xofm/loss.hpp"

namespace xofm::detail {

struct Penalties {
  double increment = 0;
  double factor = 0;
};

class TrainingObjective {
 public:
  TrainingObjective(const Encoder& encoder, const EncodedRows& rows, const PairLoss& loss,
                    const Constraints& constraints, int factor_count, Penalties penalties);

  // Point: increments, then factors row by row. Entries fixed at zero get no gradient.
  double operator()(std::span<const double> point, std::span<double> gradient);

  void set_form(LossForm form) { form_ = form; }
  // Whether the last call used the histogram form.
  bool was_approximate() const { return was_approximate_; }
  // Scores of the last call.
  std::span<const double> scores() const { return scores_; }

 private:
  const EncodedRows* rows_;
  const PairLoss* loss_;
  const Constraints* constraints_;
  Penalties penalties_;
  LossForm form_ = LossForm::automatic;
  bool was_approximate_ = false;
  ScoreTable table_;
  std::vector<double> scores_;
  std::vector<double> derivative_;  // of the loss, per row
};

}  // namespace xofm::detail
