// Metrics as JSON; what is undefined is null.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "xofm/metrics.hpp"

namespace xofm::detail {

nlohmann::ordered_json metrics_to_json(const Metrics& metrics);

}  // namespace xofm::detail
