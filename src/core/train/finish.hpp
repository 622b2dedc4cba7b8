// What follows once a model has its score function: how its scores are read, and what it says of itself.
#pragma once

#include "core/train/resample.hpp"

namespace xofm::detail {

// Sets assignment, distribution and summary of a model with schema, options, encoder and parameters or terms.
// `unseen_scores` are on any scale of their own offset: they are moved to the model's.
void finish_model(Model& model, const Dataset& data, std::vector<double> unseen_scores,
                  std::span<const Member> members);

}  // namespace xofm::detail
