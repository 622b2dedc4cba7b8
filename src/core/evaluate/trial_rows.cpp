#include "core/evaluate/trial_rows.hpp"

namespace xofm::detail {

namespace {

// The schema of the whole data lists levels that only held-out rows have. Learning must not know them, and predicting
// must treat them as new: codes are renumbered by the levels that the learning rows have.
void keep_seen_levels(Dataset& learning, Dataset& holdout) {
  for (std::size_t j = 0; j < learning.columns.size(); ++j) {
    Attribute& attribute = learning.schema.attributes[j];
    if (attribute.kind != AttributeKind::categorical) continue;
    std::vector<double> new_code(attribute.levels.size(), unseen_level);
    for (const double code : learning.columns[j]) {
      if (code >= 0) new_code[static_cast<std::size_t>(code)] = 0;
    }
    std::vector<std::string> levels;
    for (std::size_t code = 0; code < new_code.size(); ++code) {
      if (new_code[code] == unseen_level) continue;
      new_code[code] = static_cast<double>(levels.size());
      levels.push_back(attribute.levels[code]);
    }
    for (auto* const column : {&learning.columns[j], &holdout.columns[j]}) {
      for (double& code : *column) {
        if (code >= 0) code = new_code[static_cast<std::size_t>(code)];
      }
    }
    attribute.levels = std::move(levels);
  }
  holdout.schema = learning.schema;
}

}  // namespace

TrialRows take_rows(const Dataset& data, const Trial& trial) {
  TrialRows rows{subset(data, trial.learning), subset(data, trial.holdout), {}};
  keep_seen_levels(rows.learning, rows.holdout);
  rows.labels = std::move(rows.holdout.labels);
  rows.holdout.labels.clear();  // the model has no way to see them
  return rows;
}

}  // namespace xofm::detail
