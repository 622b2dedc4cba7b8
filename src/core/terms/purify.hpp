// One decomposition out of many: what a surface says about one of its attributes alone belongs to that attribute's
// curve.
#pragma once

#include <span>

#include "xofm/encoder.hpp"
#include "xofm/terms.hpp"

namespace xofm::detail {

// Moves values between base, curves and surfaces until, over the given rows, the sum of surface x hat function is zero
// at every node of either axis, and every curve has mean zero; the scores stay as they are. Each surface is fitted by a
// function of its first attribute plus one of its second, by least squares over the rows, with the least squares of
// values where that leaves a choice. Weights empty means 1 for all.
void purify(const Encoder& encoder, const EncodedRows& rows, std::span<const double> weights, Terms& terms);

// Adds the weights of the rows to row_weights of the surfaces.
void add_row_weights(const Encoder& encoder, const EncodedRows& rows, std::span<const double> weights, Terms& terms);

}  // namespace xofm::detail
