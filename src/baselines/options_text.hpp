// Options in words, for tables of results.
#pragma once

#include <string>

#include "xofm/options.hpp"

namespace xofm::baselines {

std::string describe(const TrainOptions& options);

}  // namespace xofm::baselines
