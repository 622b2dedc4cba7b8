// What a check of rows has found, as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "xofm/check.hpp"

namespace xofm::detail {

nlohmann::ordered_json check_to_json(const Dataset& data, const DataCheck& check);

}  // namespace xofm::detail
