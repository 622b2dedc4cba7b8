// Stage 6, train: from labelled rows to a model.
#pragma once

#include "xofm/model.hpp"

namespace xofm {

struct Fit {
  Model model;
  // True if the progress callback asked to stop; the model is the best so far.
  bool interrupted() const { return model.record.interrupted; }
};

// One training by the parts of the options. `warm_start` gives knots and a starting point: its encoder is kept, and
// what the options say of knots is not used.
Fit train(const Dataset& data, const TrainOptions& options = {}, const ProgressCallback& progress = {},
          const Model* warm_start = nullptr);

// Proves or refutes monotonicity from the parameters: exact, O(coordinates^2 * factors).
Certificate certify(const Encoder& encoder, const Parameters& parameters);

}  // namespace xofm
