// XOFM among the contenders.
#pragma once

#include "baselines/contender.hpp"

namespace xofm::baselines {

// As xofm fit does by default: fit().
Contender xofm_contender();

// As the paper: its preset, segments and margin chosen inside the learning part.
Contender xofm_paper_contender();

// Monotone in every numeric attribute, in the direction given or that of the rank correlation with the class in the
// learning part, with this many segments: once by our search, once the paper's preset with the margin chosen.
Contender xofm_monotone_contender(int segment_count);
Contender xofm_paper_monotone_contender(int segment_count);

}  // namespace xofm::baselines
