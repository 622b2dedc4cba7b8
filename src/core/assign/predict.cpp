#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/parallel.hpp"
#include "core/score/scorer.hpp"
#include "xofm/error.hpp"
#include "xofm/model.hpp"

namespace xofm {

namespace {

// A model whose numbers are out of all proportion, by damage or by training that diverged, is not to decide anything.
void check_finite(const Predictions& predictions) {
  const auto is_bad = [](double value) { return !std::isfinite(value); };
  const auto score = std::find_if(predictions.scores.begin(), predictions.scores.end(), is_bad);
  if (score != predictions.scores.end()) {
    throw Error(ErrorCode::invalid_model,
                fmt::format("the model gives row {} the score {}: its numbers are too large; was it damaged, or did "
                            "training diverge?",
                            score - predictions.scores.begin() + 1, *score));
  }
  for (const auto* const shares : {&predictions.support, &predictions.probabilities}) {
    if (std::none_of(shares->begin(), shares->end(), is_bad)) continue;
    throw Error(ErrorCode::invalid_model,
                "the model's calibration or reference gives a share that is no number; was it damaged?");
  }
}

}  // namespace

std::vector<double> Model::score(const Dataset& rows) const { return detail::score_data(*this, rows); }

Predictions Model::predict(const Dataset& rows) const {
  Predictions predictions;
  predictions.class_count = schema.class_count();
  predictions.scores = detail::score_data(*this, rows, &predictions.notes);
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
  check_finite(predictions);
  return predictions;
}

}  // namespace xofm
