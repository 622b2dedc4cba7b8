// What training minimises: mean pair loss + penalties.
#pragma once

#include <span>
#include <vector>

#include "core/optimize/constraints.hpp"
#include "core/optimize/penalties.hpp"
#include "core/score/score_table.hpp"
#include "xofm/loss.hpp"

namespace xofm::detail {

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
  const Encoder* encoder_;
  const EncodedRows* rows_;
  const PairLoss* loss_;
  const Constraints* constraints_;
  int factor_count_;
  Penalties penalties_;
  LossForm form_ = LossForm::automatic;
  bool was_approximate_ = false;
  ScoreTable table_;
  std::vector<double> scores_;
  std::vector<double> derivative_;  // of the loss, per row
};

}  // namespace xofm::detail
