// Refits on parts of the rows: averages of them, and scores by models that have not seen the row.
//
// The average of B models on common knots is again one model: increments averaged, factors v_b / sqrt(B) side by
// side. So it is explained as exactly as a single one. A model's scores have an offset of their own, which the pair
// loss does not see; scores of different models are compared after taking each model's mean over all rows away.
#pragma once

#include <cstdint>
#include <vector>

#include "core/train/learn.hpp"

namespace xofm::detail {

struct Ensemble {
  Learned average;                    // objective, loss and epochs: means over the members
  std::vector<double> unseen_scores;  // per row, the mean over the members that left it out; NaN if none did
};

// options.bag_count members, each on rows drawn with replacement class by class.
Ensemble learn_bagged(const LearningRows& rows, const TrainOptions& options, const ProgressCallback& progress);

// One model whose score is the mean of the models' scores; all on the same coordinates and with equally many factors.
Parameters average(std::span<const Parameters> models);

// The parameters of `count` trainings with these options (bagged ones if they say so), each on rows drawn with
// replacement class by class; none if progress asked to stop.
std::vector<Parameters> learn_resampled(const LearningRows& rows, const TrainOptions& options, int count,
                                        const ProgressCallback& progress);

// One refit per fold; each row is scored by the model that left its fold out, on the scale of `parameters`.
std::vector<double> out_of_fold_scores(const LearningRows& rows, const TrainOptions& options,
                                       const Parameters& parameters, const ProgressCallback& progress);

}  // namespace xofm::detail
