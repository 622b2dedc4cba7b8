// The user's decision in place of the rule's.
#pragma once

#include <span>

#include "xofm/assign.hpp"

namespace xofm::detail {

// The class of least expected cost, the end of the interval that is preferred, or `label`, which the rule gives; or no
// class, where the decision abstains.
int decide(const Assignment& assignment, int label, const ClassInterval& interval,
           std::span<const double> probabilities);

}  // namespace xofm::detail
