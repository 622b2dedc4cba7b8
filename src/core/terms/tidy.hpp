// Fewer knots and shorter numbers: what a person reads is the model.
#pragma once

#include <cstddef>
#include <vector>

#include "xofm/encoder.hpp"
#include "xofm/model.hpp"

namespace xofm::detail {

// Knots inside the range move to the shortest decimals near them; the ends stay, and so do knots that were given.
void round_knots(Encoder& encoder, const EncoderOptions& options);

// Drops the knots at which the curves hardly bend, where the rows are; those of surfaces stay.
void drop_knots(Encoder& encoder, Terms& terms, const EncodedRows& rows);

// Rounds all values to about a ten-thousandth of the range of the scores; then lifts curves, if rounding has lowered a
// step of a monotone attribute, so that directions hold.
void round_values(const Encoder& encoder, double score_range, Terms& terms);

// Least step of the score across each segment in the attribute's direction, over all values of all others: the curve's
// step and the least of each surface's.
Certificate certify(const Encoder& encoder, const Terms& terms);

// What the surfaces alone do to the score across each segment of a numeric attribute in that direction, at least: over
// all values of all others.
std::vector<double> least_surface_steps(const Encoder& encoder, const Terms& terms, std::size_t attribute,
                                        Direction direction);

}  // namespace xofm::detail
