// JSON that a person can read: objects over several lines, lists of plain values on one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace xofm::detail {

// Throws Error{invalid_model} if a number is not finite or a text is not UTF-8.
std::string to_readable_text(const nlohmann::ordered_json& value);

}  // namespace xofm::detail
