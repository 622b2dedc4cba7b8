// One edit as JSON, and back.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "io/json_view.hpp"
#include "xofm/edit.hpp"

namespace xofm::detail {

nlohmann::ordered_json edit_to_json(const Edit& edit);
Edit edit_from_json(const JsonView& json);

// One line for people: "set age at 40 to 0.3".
std::string edit_text(const Edit& edit);

}  // namespace xofm::detail
