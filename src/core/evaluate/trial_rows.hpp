// The rows of one trial, so that what is learned knows nothing of what is held out.
#pragma once

#include <vector>

#include "xofm/validate.hpp"

namespace xofm::detail {

struct TrialRows {
  Dataset learning;         // its schema has only the levels that these rows have
  Dataset holdout;          // by the same schema: other levels are new; without labels
  std::vector<int> labels;  // of the rows held out
};

TrialRows take_rows(const Dataset& data, const Trial& trial);

}  // namespace xofm::detail
