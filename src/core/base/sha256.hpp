// SHA-256 (FIPS 180-4), for names of contents that cannot be made up.
#pragma once

#include <string>
#include <string_view>

namespace xofm::detail {

// As 64 hexadecimal digits.
std::string sha256(std::string_view text);

}  // namespace xofm::detail
