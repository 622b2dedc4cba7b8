// What a model says of rows, tile by tile: a tile's rows and results stay in the cache from encoding to assignment.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "core/encode/encode_range.hpp"
#include "core/score/scorer.hpp"

namespace xofm::detail {

constexpr std::size_t tile_rows = 1024;

inline std::size_t tile_count(std::size_t row_count) { return (row_count + tile_rows - 1) / tile_rows; }
inline Range tile_range(std::size_t row_count, std::size_t tile) {
  return {tile * tile_rows, std::min((tile + 1) * tile_rows, row_count)};
}

// Where a tile's shares go, [row of the tile * class_count + class]; null: nowhere.
struct Shares {
  double* support = nullptr;
  double* probabilities = nullptr;
};

// Throws Error{invalid_model}, also below, for a model whose numbers are out of all proportion, by damage or by
// training that diverged: it is not to decide anything.
[[noreturn]] void refuse_score(std::size_t row, double score);
void check_shares(std::span<const double> shares);

// Keeps references to the model. May be used by many threads at once.
class Predictor {
 public:
  explicit Predictor(const Model& model);

  // The rows of the range, whose first is row `number` (from 0) for whoever asks; unusual values are appended to
  // `notes`, if it is not null.
  std::vector<double> score(const Dataset& rows, Range range, std::vector<RowNote>* notes) const;

  // Calls visit(row of the tile, what is assigned to it, its probabilities).
  template <class Visit>
  void predict(const Dataset& rows, Range range, std::size_t number, Shares out, std::vector<RowNote>* notes,
               Visit visit) const {
    const std::vector<double> scores = score(rows, range, notes);
    std::vector<double> support(out.support == nullptr ? classes_ : 0);
    std::vector<double> probabilities(out.probabilities == nullptr ? classes_ : 0);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      if (!std::isfinite(scores[i])) refuse_score(number + i, scores[i]);
      const std::span own_support(out.support == nullptr ? support.data() : out.support + i * classes_, classes_);
      const std::span own_probabilities(
          out.probabilities == nullptr ? probabilities.data() : out.probabilities + i * classes_, classes_);
      const AssignedRow assigned = assigner_.assign(scores[i], own_support, own_probabilities);
      check_shares(own_support);
      check_shares(own_probabilities);
      visit(i, assigned, own_probabilities);
    }
  }

 private:
  const Model* model_;
  std::size_t classes_;
  Scorer scorer_;
  Assigner assigner_;
};

}  // namespace xofm::detail
