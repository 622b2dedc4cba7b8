// Scores by a model of either kind.
#pragma once

#include <variant>

#include "core/score/score_table.hpp"
#include "core/terms/term_table.hpp"
#include "xofm/model.hpp"

namespace xofm::detail {

// Keeps references to the model.
class Scorer {
 public:
  explicit Scorer(const Model& model);

  void score(const EncodedRows& rows, Range range, std::span<double> scores) const {
    std::visit([&](const auto& table) { table.score(rows, range, scores); }, table_);
  }

 private:
  std::variant<ScoreTable, TermTable> table_;
};

// Of all rows, on all threads.
std::vector<double> score_rows(const Model& model, const EncodedRows& rows);

}  // namespace xofm::detail
