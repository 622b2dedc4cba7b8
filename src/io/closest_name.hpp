// What a misspelt name may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xofm::detail {

// The name that differs in the fewest letters, upper and lower case being equal; null if none is near.
const std::string* closest_name(std::string_view name, const std::vector<std::string>& names);

}  // namespace xofm::detail
