#include "core/base/parallel.hpp"
#include "core/score/scorer.hpp"
#include "xofm/model.hpp"

namespace xofm {

std::vector<double> Model::score(const Dataset& rows) const { return detail::score_rows(*this, encode(encoder, rows)); }

Predictions Model::predict(const Dataset& rows) const {
  Predictions predictions;
  predictions.class_count = schema.class_count();
  predictions.scores = detail::score_rows(*this, encode(encoder, rows, &predictions.notes));
  const std::size_t count = predictions.scores.size();
  const auto classes = static_cast<std::size_t>(predictions.class_count);
  predictions.classes.resize(count);
  predictions.intervals.resize(count);
  predictions.support.resize(count * classes);
  predictions.probabilities.resize(count * classes);
  const Assigner assigner(assignment);
  const std::size_t block_count = detail::block_count_for(count, 1024, 256);
  detail::parallel_for(block_count, [&](std::size_t block) {
    const auto [begin, end] = detail::block_range(count, block_count, block);
    for (std::size_t i = begin; i < end; ++i) {
      const AssignedRow row = assigner.assign(predictions.scores[i], {&predictions.support[i * classes], classes},
                                              {&predictions.probabilities[i * classes], classes});
      predictions.classes[i] = row.label;
      predictions.intervals[i] = row.interval;
    }
  });
  return predictions;
}

}  // namespace xofm
