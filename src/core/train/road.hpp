// What train() and fit() share.
#pragma once

#include <functional>

#include "core/train/resample.hpp"
#include "xofm/train.hpp"

namespace xofm::detail {

// Checks rows and options, applies class weights and leaves out rows of weight zero, which have no part in anything;
// then calls `make`. The model it gives speaks of the rows as they were given.
Fit for_counting_rows(const Dataset& data, const TrainOptions& options,
                      const std::function<Fit(const Dataset&, const TrainOptions&)>& make);

// The mean of the fits as one model with u and V. All fits of a part are on common knots. Scores of unseen rows are
// those of the folds' fits, if there are any.
Model make_average(const Dataset& data, const TrainOptions& options, const Teachers& teachers);

}  // namespace xofm::detail
