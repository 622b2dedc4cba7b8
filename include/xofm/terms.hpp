// Stage 3, score: a model that a person can read.
//
//   score(x) = base + sum_j curve_j(x_j) + sum over chosen pairs of surface_ab(x_a, x_b)
//
// It is Equation 4 with the products of a few pairs of attributes written out. A curve has a value at each of its
// stops: the knots (linear between them, level beyond the last) or the levels; then the special values that training
// has seen, ascending (AttributeEncoder::special); then missing, if training had any; then, of a categorical attribute,
// other: a level that training has not seen. A surface has a value for each pair of its nodes: some of the knots of
// either attribute, or its levels, then special values, missing and other likewise; bilinear between the nodes.
//
// Which stop a value takes (AttributeEncoder::locate): NaN is missing. A number that equals a special value takes that
// one's stop, wherever the knots are; one that equals an `absent_special` value is missing. Missing, where training had
// none, takes the place `typical` on the curve. All other numbers lie on the curve.
#pragma once

#include <cstddef>
#include <vector>

#include "xofm/encoder.hpp"

namespace xofm {

struct Surface {
  std::size_t first = 0;  // the two attributes, the lower one first
  std::size_t second = 0;
  // Numeric attributes: which knots are nodes, ascending, the first and the last among them. Categorical: empty, all
  // levels are.
  std::vector<std::size_t> first_knots = {};
  std::vector<std::size_t> second_knots = {};
  std::vector<double> values = {};  // [node of the first * nodes of the second + node of the second]
  // Where the training rows are: their weight by cell, a node rounded down. Same layout as `values`.
  std::vector<double> row_weights = {};
};

struct Terms {
  double base = 0;
  std::vector<std::vector<double>> curves;  // [attribute][stop]
  std::vector<Surface> surfaces;
};

// Whether the attribute's curve says anything: it is not zero everywhere.
bool has_curve(const Terms& terms, std::size_t attribute);

// Curves that say anything, and surfaces.
std::size_t term_count(const Terms& terms);

// Knots or levels, special values, missing if there is one, other if categorical.
std::size_t stop_count(const AttributeEncoder& attribute);

// Nodes of a surface along one of its attributes; `knots` as in Surface.
std::size_t node_count(const AttributeEncoder& attribute, const std::vector<std::size_t>& knots);

}  // namespace xofm
