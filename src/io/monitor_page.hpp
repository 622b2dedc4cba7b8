// What monitoring has found: JSON for programs, a page for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "xofm/monitor.hpp"

namespace xofm::detail {

nlohmann::ordered_json monitor_to_json(const MonitorReport& report);

// One HTML file without scripts that needs no network.
std::string monitor_page(const Model& model, const MonitorReport& report);

}  // namespace xofm::detail
