// Products of two coordinates as inner products of factor rows, and no more factors than it takes.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>

#include "xofm/encoder.hpp"
#include "xofm/parameters.hpp"

namespace xofm::detail {

// What two coordinates add to the score where both are filled; the lower one first.
using Products = std::map<std::pair<std::size_t, std::size_t>, double>;

// Sets the factors so that <v_n1, v_n2> is the product of n1 and n2, and zero where there is none. The score has no
// product of a coordinate with itself, so |v_n|^2 is free: shifted by its least eigenvalue, the matrix of the products
// has a root, V. At most as many factors as there are coordinates with products.
void factorize(const Products& products, Parameters& parameters);

// Turns the factors so that the first ones carry most, which leaves all inner products as they are, and drops the last
// ones, which together carry less than 1e-9 of the squares. Not for monotone models: their factors have signs to keep.
void drop_idle_factors(Parameters& parameters);

// Adds to each row's score what its filled coordinates' products are.
void add_products(const Encoder& encoder, const Products& products, const EncodedRows& rows, std::span<double> scores);

}  // namespace xofm::detail
