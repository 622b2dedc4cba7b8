// JSON that a person can read: objects over several lines, lists of plain values on one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace xofm::detail {

// Throws Error{diverged} if a number is not finite, which only training that diverged makes, and
// Error{invalid_model} if a text is not UTF-8.
std::string to_readable_text(const nlohmann::ordered_json& value);

}  // namespace xofm::detail
