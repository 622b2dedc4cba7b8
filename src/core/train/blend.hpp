// Models by several recipes, averaged into one.
//
// Models on different knots are one model on the union of their knots. Where a segment with increment u and factors v
// is cut into parts with shares s_1, s_2, .. of its width, part b gets the factors s_b v and the increment s_b u - s_b
// (s_1 + .. + s_b-1) |v|^2: the last term takes back the products of the parts with each other, which the uncut segment
// does not have (an earlier part is full wherever part b is not empty). So the mean of the scores is the score of one
// model, and is explained as exactly.
#pragma once

#include <vector>

#include "core/train/resample.hpp"

namespace xofm::detail {

struct Blend {
  struct Part {
    TrainOptions options;
    Encoder encoder;
    double share = 1;
  };
  std::vector<Part> parts;
  EncoderOptions encoder_options;  // directions by correlation included; knots as the first part has them
  Encoder encoder;                 // on the union of the knots
};

// The parts of options.blend, which must not be empty, with their knots from these rows.
Blend plan_blend(const Dataset& data, const TrainOptions& options);

// Parameters on the blend's encoder; objective, loss and epochs are means over the parts.
LearnedScores learn_blend(const Blend& blend, const Dataset& rows, const ProgressCallback& progress);

// Encoders of the same attributes, as one on the union of their knots.
Encoder unite(const std::vector<const Encoder*>& encoders);

// The same score function on more knots: those of `to` include those of `from`.
Parameters transfer(const Parameters& parameters, const Encoder& from, const Encoder& to);

// The same score function without the knots at which nothing bends, such as those that no tree has asked for. Not for
// attributes that are filled from the top down.
void drop_idle_knots(Encoder& encoder, Parameters& parameters);

// Sets the fields of a recipe.
void apply(const Recipe& recipe, TrainOptions& options);

}  // namespace xofm::detail
