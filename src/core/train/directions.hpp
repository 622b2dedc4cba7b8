// How a recipe encodes rows, and the directions that the rows themselves suggest.
#pragma once

#include "xofm/model.hpp"

namespace xofm::detail {

// What the options say of single attributes, with the directions that auto_direction adds. Rows without a value do not
// count.
AttributeOptions directed_attributes(const Dataset& data, const TrainOptions& options);

inline EncoderOptions encoder_options(const Recipe& recipe, AttributeOptions attributes) {
  return {recipe.knots, recipe.segment_count, recipe.spike_share, std::move(attributes)};
}

// The attributes that the options speak of by name: directions, knots, pairs.
std::vector<std::string> named_attributes(const TrainOptions& options);

}  // namespace xofm::detail
