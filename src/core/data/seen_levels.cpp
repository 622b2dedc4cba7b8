#include "core/data/seen_levels.hpp"

namespace xofm::detail {

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

}  // namespace xofm::detail
