// Rows held out must not tell learning which levels exist.
#pragma once

#include "xofm/dataset.hpp"

namespace xofm::detail {

// The schema of the whole data lists levels that only held-out rows have. Learning must not know them, and predicting
// must treat them as new: codes are renumbered by the levels that the learning rows have.
void keep_seen_levels(Dataset& learning, Dataset& holdout);

}  // namespace xofm::detail
