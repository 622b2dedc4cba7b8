// Checks the options of the generator and fills in their defaults.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "xofm/error.hpp"
#include "xofm/generate.hpp"

namespace xofm::detail {

inline constexpr std::uint64_t row_limit = std::uint64_t{1} << 63;

template <class... Args>
void require(bool condition, fmt::format_string<Args...> message, Args&&... args) {
  if (!condition) throw Error(ErrorCode::invalid_option, fmt::format(message, std::forward<Args>(args)...));
}

// Throws Error{invalid_option} that names the value and what is allowed.
GenerateOptions completed(GenerateOptions options);

}  // namespace xofm::detail
