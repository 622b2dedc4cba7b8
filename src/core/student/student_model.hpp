// From teachers to a model of curves and a few pairs.
#pragma once

#include <optional>

#include "core/train/resample.hpp"

namespace xofm::detail {

// The student of all rows, of the size that the folds' students ask for. Its scores of unseen rows, which classes and
// probabilities and all figures come from, are those of the folds' students.
Model make_student(const Dataset& data, const TrainOptions& options, const Teachers& teachers,
                   const ProgressCallback& progress);

// The values of the model's own curves and surfaces, from a teacher trained like the model's on other rows; purified by
// the model's rows. None if progress asked to stop.
std::optional<Terms> refit_terms(const Model& model, const Dataset& rows, const Dataset& sample, std::uint64_t seed,
                                 const ProgressCallback& progress);

}  // namespace xofm::detail
