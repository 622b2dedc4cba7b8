// All contenders by name, in the order of the paper's tables.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "baselines/contender.hpp"

namespace xofm::baselines {

// The rivals, then XOFM as in the paper, then XOFM.
std::vector<Contender> contenders();

// The one that the others are tested against.
inline constexpr const char* reference_name = "XOFM";

// Those with these names, in the order of `all`; no names: all. Throws Error{invalid_option} that lists the names for
// an unknown one; letters may be of either case.
std::vector<Contender> select(std::vector<Contender> all, std::span<const std::string> names);

// A rival alone; null if this build does not have it.
std::shared_ptr<const Method> find_method(const std::string& name);

}  // namespace xofm::baselines
