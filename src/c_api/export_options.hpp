// What a caller asks of an export.
#pragma once

#include "c_api/json_in.hpp"
#include "xofm/export.hpp"

namespace xofm::c_api {

// Throws Error{invalid_option} for an unknown member or choice.
ExportOptions export_options(const detail::JsonView& json, const nlohmann::json& document);

}  // namespace xofm::c_api
