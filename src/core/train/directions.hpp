// Directions that the training rows themselves suggest.
#pragma once

#include "xofm/model.hpp"

namespace xofm::detail {

// options.encoder, with the directions that options.auto_direction adds. Rows without a value do not count.
EncoderOptions directed_encoder(const Dataset& data, const TrainOptions& options);

}  // namespace xofm::detail
