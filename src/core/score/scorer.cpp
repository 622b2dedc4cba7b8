#include "core/score/scorer.hpp"

#include "core/encode/encode_range.hpp"

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

std::vector<double> score_data(const Model& model, const Dataset& data, std::vector<RowNote>* notes) {
  check_layout(model.encoder, data);
  const Scorer scorer(model);
  std::vector<double> scores(data.row_count());
  const std::size_t block_count = encoding_blocks(scores.size());
  std::vector<std::vector<RowNote>> block_notes(notes != nullptr ? block_count : 0);
  parallel_for(block_count, [&](std::size_t block) {
    const Range range = block_range(scores.size(), block_count, block);
    const std::size_t count = range.end - range.begin;
    EncodedRows rows = make_rows(model.encoder, count);
    encode_range(model.encoder, data, range, rows, 0, notes != nullptr ? &block_notes[block] : nullptr);
    scorer.score(rows, {0, count}, std::span(scores).subspan(range.begin, count));
  });
  for (const auto& part : block_notes) notes->insert(notes->end(), part.begin(), part.end());
  return scores;
}

}  // namespace xofm::detail
