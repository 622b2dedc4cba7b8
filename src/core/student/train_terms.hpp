// From labelled rows to a model of curves and a few pairs.
//
// The teacher is what the options describe: a model, a bag or a blend, trained without each fold in turn. Per fold its
// students, of several sizes, come from the rows outside the fold alone; what they say of the fold decides how large
// the student must be. The model is a student of that size, made from all rows, of the mean of all teachers.
#pragma once

#include <optional>

#include "xofm/train.hpp"

namespace xofm::detail {

// Options are checked; all rows count.
Fit train_terms(const Dataset& data, const TrainOptions& options, const ProgressCallback& progress);

// The values of the model's own curves and surfaces, from a teacher trained like the model's on other rows; purified by
// the model's rows. None if progress asked to stop.
std::optional<Terms> refit_terms(const Model& model, const Dataset& rows, const Dataset& sample, std::uint64_t seed,
                                 const ProgressCallback& progress);

}  // namespace xofm::detail
