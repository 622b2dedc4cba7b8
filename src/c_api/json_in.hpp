// JSON that callers give: objects of options, with complaints that name the option.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/closest_name.hpp"
#include "io/json_view.hpp"
#include "xofm/error.hpp"

namespace xofm::c_api {

// Throws for a name that is none of those known, and says which it may stand for.
inline void check_option_names(const detail::JsonView& options, const std::vector<std::string>& known) {
  for (const auto& [name, value] : options.members()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string* const closest = detail::closest_name(name, known);
    throw Error(ErrorCode::invalid_option,
                fmt::format("there is no option '{}'{}", name,
                            closest != nullptr ? fmt::format("; is it '{}'?", *closest) : ""));
  }
}

// Calls read(view, document); members that are null are as if not given. A null or empty text is an empty object. All
// complaints are Error{invalid_option}.
template <class Read>
void read_json_options(const char* text, Read read) {
  nlohmann::json document = nlohmann::json::object();
  if (text != nullptr && *text != '\0') document = nlohmann::json::parse(text, nullptr, false);
  if (!document.is_object()) throw Error(ErrorCode::invalid_option, "the options must be a JSON object");
  for (auto item = document.begin(); item != document.end();) item = item->is_null() ? document.erase(item) : ++item;
  try {
    read(detail::JsonView(document, "options"), document);
  } catch (const Error& error) {
    const std::string message = error.what();
    const std::string prefix = "options.";
    throw Error(ErrorCode::invalid_option, message.starts_with(prefix) ? message.substr(prefix.size()) : message);
  }
}

}  // namespace xofm::c_api
