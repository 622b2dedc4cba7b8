// How well probabilities keep their word, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "xofm/metrics.hpp"

namespace xofm::app {

void print_reliability(const std::vector<ReliabilityBin>& table);
nlohmann::ordered_json reliability_json(const std::vector<ReliabilityBin>& table);

}  // namespace xofm::app
