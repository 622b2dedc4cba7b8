// The scales of generated attributes; curves and the notation of products are declared in xofm/generate.hpp.
#pragma once

#include <vector>

#include "core/base/random.hpp"
#include "xofm/generate.hpp"

namespace xofm::detail {

inline constexpr int level_count = 4;

// t of each level: not in the order of the codes, so that treating a code as a number misleads.
inline constexpr double level_shares[level_count] = {0, 1, 1.0 / 3, 2.0 / 3};

// The scale of attribute `attribute`: x1 to x4 are plain, then cubic, exponential, centred and unit in turn; the last
// `categorical_count` have levels.
Scale scale_for(int attribute, int attribute_count, int categorical_count);

// A value as the data show it: one of a million and one even steps of t, or a level.
double draw_value(Scale scale, Random& random);

// t of a value; beyond the ends it is 0 or 1; NaN for NaN and for levels that do not exist.
double share_below(Scale scale, double x);

}  // namespace xofm::detail
