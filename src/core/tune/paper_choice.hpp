// The paper's choice on any data: segments and margin by cross-validation, all else as in the options given.
#pragma once

#include <vector>

#include "xofm/fit.hpp"

namespace xofm::detail {

// `base` with each of the grid's segments and margins. Where an epoch of Algorithm 1 would visit too many pairs of
// `data`, L-BFGS takes its place.
std::vector<TrainOptions> paper_candidates(const Dataset& data, const TrainOptions& base, const PaperGrid& grid);

// As train(). Where Algorithm 1 diverges, the step is halved and it starts anew.
Model train_as_paper(const Dataset& data, TrainOptions options, const ProgressCallback& progress = {});

// The candidate with the least mean absolute error (or share of errors) in the folds of `options`, which has a grid.
SearchResult choose_as_paper(const Dataset& data, const TrainOptions& base, const SearchOptions& options,
                             const ProgressCallback& progress);

}  // namespace xofm::detail
