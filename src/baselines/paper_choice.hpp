// The settings among which the paper chooses for XOFM, and options in words.
#pragma once

#include <string>
#include <vector>

#include "xofm/train.hpp"

namespace xofm::baselines {

// The paper's preset with each of these segments and margins. Algorithm 1 where the ordered pairs of `data`, which one
// epoch visits, are few enough, else L-BFGS.
std::vector<TrainOptions> paper_candidates(const Dataset& data,
                                           const std::vector<int>& segment_counts = {2, 4, 6, 8, 10});

// As train(). Where Algorithm 1 diverges, the step is halved and it starts anew, as train() advises.
Model train_as_paper(const Dataset& data, TrainOptions options, const ProgressCallback& progress = {});

std::string describe(const TrainOptions& options);

}  // namespace xofm::baselines
