#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/assign/predictor.hpp"
#include "core/base/parallel.hpp"
#include "xofm/error.hpp"
#include "xofm/model.hpp"

namespace xofm {

namespace detail {

void refuse_score(std::size_t row, double score) {
  throw Error(ErrorCode::invalid_model,
              fmt::format("the model gives row {} the score {}: its numbers are too large; was it damaged, or did "
                          "training diverge?",
                          row + 1, score));
}

void check_shares(std::span<const double> shares) {
  if (std::all_of(shares.begin(), shares.end(), [](double share) { return std::isfinite(share); })) return;
  throw Error(ErrorCode::invalid_model,
              "the model's calibration or reference gives a share that is no number; was it damaged?");
}

Predictor::Predictor(const Model& model)
    : model_(&model),
      classes_(static_cast<std::size_t>(model.schema.class_count())),
      scorer_(model),
      assigner_(model.assignment) {}

std::vector<double> Predictor::score(const Dataset& rows, Range range, std::vector<RowNote>* notes) const {
  EncodedRows encoded = make_rows(model_->encoder, range.size());
  encode_range(model_->encoder, rows, range, encoded, 0, notes);
  std::vector<double> scores(range.size());
  scorer_.score(encoded, {0, range.size()}, scores);
  return scores;
}

}  // namespace detail

std::vector<double> Model::score(const Dataset& rows) const { return detail::score_data(*this, rows); }

Predictions Model::predict(const Dataset& rows) const {
  detail::check_layout(encoder, rows);
  const detail::Predictor predictor(*this);
  const std::size_t count = rows.row_count();
  const auto classes = static_cast<std::size_t>(schema.class_count());
  Predictions predictions;
  predictions.class_count = schema.class_count();
  predictions.scores.resize(count);
  predictions.classes.resize(count);
  predictions.intervals.resize(count);
  predictions.support.resize(count * classes);
  predictions.probabilities.resize(count * classes);
  std::vector<std::vector<RowNote>> notes(detail::tile_count(count));
  detail::parallel_for(notes.size(), [&](std::size_t tile) {
    const detail::Range range = detail::tile_range(count, tile);
    const detail::Shares shares{predictions.support.data() + range.begin * classes,
                                predictions.probabilities.data() + range.begin * classes};
    predictor.predict(rows, range, range.begin, shares, &notes[tile],
                      [&](std::size_t i, const AssignedRow& assigned, std::span<const double> /*probabilities*/) {
                        predictions.scores[range.begin + i] = assigned.score;
                        predictions.classes[range.begin + i] = assigned.label;
                        predictions.intervals[range.begin + i] = assigned.interval;
                      });
  });
  for (const auto& part : notes) predictions.notes.insert(predictions.notes.end(), part.begin(), part.end());
  return predictions;
}

}  // namespace xofm
