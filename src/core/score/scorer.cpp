#include "core/score/scorer.hpp"

namespace xofm::detail {

namespace {

std::variant<ScoreTable, TermTable> table_of(const Model& model) {
  if (model.terms) return TermTable(model.encoder, *model.terms);
  ScoreTable table(model.encoder, model.parameters.factor_count);
  table.load(model.parameters.increments, model.parameters.factors);
  return table;
}

}  // namespace

Scorer::Scorer(const Model& model) : table_(table_of(model)) {}

std::vector<double> score_rows(const Model& model, const EncodedRows& rows) {
  if (model.terms) return score_rows(model.encoder, *model.terms, rows);
  return score_rows(model.encoder, model.parameters, rows);
}

}  // namespace xofm::detail
