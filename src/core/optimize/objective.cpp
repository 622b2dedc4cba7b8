#include "core/optimize/objective.hpp"

#include "core/base/parallel.hpp"

namespace xofm::detail {

TrainingObjective::TrainingObjective(const Encoder& encoder, const EncodedRows& rows, const PairLoss& loss,
                                     const Constraints& constraints, int factor_count, Penalties penalties)
    : encoder_(&encoder),
      rows_(&rows),
      loss_(&loss),
      constraints_(&constraints),
      factor_count_(factor_count),
      penalties_(penalties),
      table_(encoder, factor_count),
      scores_(rows.row_count),
      derivative_(rows.row_count) {}

double TrainingObjective::operator()(std::span<const double> point, std::span<double> gradient) {
  const std::size_t coordinate_count = constraints_->increments.size();
  const auto increments = point.first(coordinate_count);
  const auto factors = point.subspan(coordinate_count);
  table_.load(increments, factors);
  const std::size_t block_count = block_count_for(rows_->row_count, 1024, 64);
  parallel_for(block_count, [&](std::size_t block) {
    table_.score(*rows_, block_range(rows_->row_count, block_count, block), scores_);
  });

  LossForm form = form_;
  if (form == LossForm::automatic) {
    form = loss_->suits_histogram(scores_) ? LossForm::histogram : LossForm::sweep;
  }
  was_approximate_ = form == LossForm::histogram;
  double value = (*loss_)(scores_, derivative_, form);
  table_.gradient(*rows_, derivative_, gradient.first(coordinate_count), gradient.subspan(coordinate_count));

  value += add_penalties(*encoder_, factor_count_, penalties_, point, gradient);
  const auto fix = [](std::span<double> slopes, const std::vector<Bound>& bounds) {
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      if (bounds[i] == Bound::zero) slopes[i] = 0;
    }
  };
  fix(gradient.first(coordinate_count), constraints_->increments);
  fix(gradient.subspan(coordinate_count), constraints_->factors);
  return value;
}

}  // namespace xofm::detail
