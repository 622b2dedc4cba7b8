// Purified pair surfaces as products of deviations.
#pragma once

#include <vector>

#include "core/explain/effects.hpp"

namespace xofm::detail {

// Throws Error{invalid_option} unless the model has u and V.
void need_parameters(const Model& model);

// S_j - E S_j at the attribute's knots or levels, and of a missing value if training had any.
std::vector<std::vector<double>> stop_deviations(const Effects& effects, std::size_t attribute);

// Greatest minus least product of one of the first with one of the second.
double product_range(const std::vector<std::vector<double>>& first, const std::vector<std::vector<double>>& second);

}  // namespace xofm::detail
