#include <fmt/format.h>

#include <algorithm>

#include "core/explain/change_search.hpp"
#include "core/explain/one_row.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"

namespace xofm {

namespace {

std::vector<bool> find_changeable(const Schema& schema, const CounterfactualOptions& options) {
  std::vector<bool> may_change(schema.attributes.size(), true);
  for (const std::string& name : options.fixed) {
    const auto at = std::find_if(schema.attributes.begin(), schema.attributes.end(),
                                 [&](const Attribute& attribute) { return attribute.name == name; });
    if (at == schema.attributes.end()) {
      throw Error(ErrorCode::invalid_option, fmt::format("fixed: there is no attribute '{}'", name));
    }
    may_change[static_cast<std::size_t>(at - schema.attributes.begin())] = false;
  }
  return may_change;
}

}  // namespace

Counterfactuals smallest_changes(const Model& model, const Dataset& rows, std::size_t row, ClassInterval target,
                                 const CounterfactualOptions& options) {
  const int top = model.schema.class_count() - 1;
  if (!(target.lowest >= 0 && target.lowest <= target.highest && target.highest <= top)) {
    throw Error(ErrorCode::invalid_option, fmt::format("target classes are {} to {}; they must ascend within 0 to {}",
                                                       target.lowest, target.highest, top));
  }
  const std::vector<bool> may_change = find_changeable(model.schema, options);
  const Dataset object = detail::one_row(rows, row);
  return detail::ChangeSearch(model, object, target, score_pieces(model.assignment), may_change).run();
}

NextClasses next_classes(const Model& model, const Dataset& rows, std::size_t row,
                         const CounterfactualOptions& options) {
  const std::vector<bool> may_change = find_changeable(model.schema, options);
  const Dataset object = detail::one_row(rows, row);
  int own = model.predict(object).classes.front();
  if (own == no_class) {
    // From the class that the rule would give.
    Assignment by_rule = model.assignment;
    by_rule.decision = {};
    std::vector<double> shares(by_rule.reference.classes.size());
    own = Assigner(by_rule).assign(model.score(object).front(), shares, shares).label;
  }
  const std::vector<ScorePiece> pieces = score_pieces(model.assignment);
  NextClasses next;
  for (const ScorePiece& piece : pieces) {
    if (piece.label > own) next.better = std::min(next.better.value_or(piece.label), piece.label);
    if (piece.label != no_class && piece.label < own)
      next.worse = std::max(next.worse.value_or(piece.label), piece.label);
  }
  const auto search = [&](int target) {
    return detail::ChangeSearch(model, object, {target, target}, pieces, may_change).run();
  };
  if (next.better) next.to_better = search(*next.better);
  if (next.worse) next.to_worse = search(*next.worse);
  return next;
}

}  // namespace xofm
