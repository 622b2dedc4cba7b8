// The mean of several fits as one model with u and V.
//
// Fits on different knots are one model on the union of their knots. Where a segment with increment u and factors v is
// cut into parts with shares s_1, s_2, .. of its width, part b gets the factors s_b v and the increment s_b u - s_b
// (s_1 + .. + s_b-1) |v|^2: the last term takes back the products of the parts with each other, which the uncut segment
// does not have (an earlier part is full wherever part b is not empty). On common knots the mean of B fits is one:
// increments averaged, factors v_b / sqrt(B) side by side. So the mean of the scores is the score of one model, and is
// explained as exactly.
#pragma once

#include "core/train/resample.hpp"

namespace xofm::detail {

struct Average {
  Encoder encoder;  // on the union of the knots
  Parameters parameters;
};
Average average(const Members& members);

// What of which coordinate of `from` each coordinate of `to` is, in its order; the knots of `to` include those of
// `from`.
struct Piece {
  std::size_t old_coordinate = 0;
  double share = 1;   // of the old one's width
  double before = 0;  // share of the pieces before it
};
std::vector<Piece> pieces_of(const AttributeEncoder& from, const AttributeEncoder& to);

// Encoders of the same attributes, as one on the union of their knots.
Encoder unite(const std::vector<const Encoder*>& encoders);

// The same score function on more knots: those of `to` include those of `from`.
Learned transfer(const Learned& learned, const Encoder& from, const Encoder& to);

}  // namespace xofm::detail
