// Shapes of a curve at its knots.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "xofm/model.hpp"

namespace xofm::detail {

// Weight of the training rows at each stop of the attribute's curve: a row between two knots counts for both, by how
// near it is. Exact, from the mean encoding.
std::vector<double> stop_weights(const Model& model, std::size_t attribute);

// By the weights; by ones if they add up to nothing.
double mean_by(std::span<const double> values, std::span<const double> weights);

// The nearest values, by weighted least squares, whose steps are at least these: pools of adjacent violators.
void raise_steps(std::span<double> values, std::span<const double> weights, std::span<const double> least_steps);

// The attribute asks for this direction from now on; what is counted along its coordinates is turned with it.
void set_direction(Model& model, std::size_t attribute, Direction direction);

// The nearest node of a surface along a numeric attribute.
std::size_t nearest_node(const AttributeEncoder& attribute, const std::vector<std::size_t>& knots, double value);

// At most `count` of the knots, evenly, the first and the last among them.
std::vector<std::size_t> even_knots(std::size_t knot_count, std::size_t count);

}  // namespace xofm::detail
