// Where the knots of a numeric attribute go.
#pragma once

#include <vector>

namespace xofm::detail {

// phi^k = lowest + k / segment_count * (greatest - lowest), the paper's characteristic points.
std::vector<double> equal_width_knots(double lowest, double greatest, int segment_count);

// At most segment_count + 1 distinct values that cut the sorted, non-empty values into parts of about equal size.
// A value that fills more than a part by itself takes one knot, and the others share the rest: an attribute that
// is mostly zero still gets its segments where it is not.
std::vector<double> quantile_knots(const std::vector<double>& sorted, int segment_count);

// Adds every value that at least this share of the sorted values have, five times as many as those next to it, and the
// values next to it.
void add_spikes(std::vector<double>& knots, const std::vector<double>& sorted, double share);

}  // namespace xofm::detail
