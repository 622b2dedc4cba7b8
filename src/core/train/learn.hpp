// From encoded rows to parameters: the starts, the optimizer, the best of several restarts.
#pragma once

#include <span>

#include "xofm/model.hpp"

namespace xofm::detail {

// What all refits on the same data share. Rows of weight zero are left out; weights empty means 1 for all.
struct LearningRows {
  const Encoder& encoder;
  const EncodedRows& rows;
  std::span<const int> labels;
  int class_count;
  std::span<const double> weights;
};

struct Learned {
  Parameters parameters;
  double objective = 0;
  double loss = 0;  // the objective without the penalties
  int epochs = 0;
  StopReason reason = StopReason::converged;
  int restart = 1;
};

// Minimises mean pair loss and penalties over the parameters, inside the bounds of the encoder's directions. The first
// start is from `warm_start`, if given; boosting has no penalties on parameters, no bounds and no start.
Learned learn(const LearningRows& rows, const TrainOptions& options, const ProgressCallback& progress = {},
              const Parameters* warm_start = nullptr);

}  // namespace xofm::detail
