// Quality on unseen rows from their scores alone, without further training.
#pragma once

#include "core/train/resample.hpp"

namespace xofm::detail {

// Each fold's rows get classes and probabilities from the scores of the other folds' rows; a single part that was held
// out from its own, a few numbers from many rows.
ValidationSummary validate_folds(const Folds& folds, std::span<const double> unseen, double margin,
                                 const AssignmentOptions& options);

}  // namespace xofm::detail
