#include "core/optimize/constraints.hpp"

#include <algorithm>
#include <limits>

namespace xofm::detail {

Constraints find_constraints(const Encoder& encoder, int factor_count) {
  const auto is_monotone = [](const AttributeEncoder& attribute) { return attribute.direction != Direction::none; };
  const bool any = std::any_of(encoder.attributes.begin(), encoder.attributes.end(), is_monotone);
  const bool all = std::all_of(encoder.attributes.begin(), encoder.attributes.end(), is_monotone);
  const int shared = all ? factor_count : any ? (factor_count + 1) / 2 : 0;

  Constraints constraints;
  constraints.any_bounded = any;
  for (const auto& attribute : encoder.attributes) {
    for (int c = 0; c < attribute.coordinate_count(); ++c) {
      const bool monotone_row = is_monotone(attribute) && attribute.is_segment(c);
      // Nothing fills the segment of a constant attribute; without this its factors would keep their random start.
      const bool unused = attribute.kind == AttributeKind::numeric && attribute.knots.size() == 1 && c == 0;
      constraints.increments.push_back(unused ? Bound::zero : monotone_row ? Bound::not_negative : Bound::free);
      for (int f = 0; f < factor_count; ++f) {
        Bound bound = Bound::free;
        if (unused || (monotone_row && f >= shared)) {
          bound = Bound::zero;
        } else if (f < shared) {
          bound = Bound::not_negative;
        }
        constraints.factors.push_back(bound);
      }
    }
  }
  return constraints;
}

std::vector<double> Constraints::lower_bounds() const {
  if (!any_bounded) return {};
  std::vector<double> lower;
  lower.reserve(increments.size() + factors.size());
  for (const auto* bounds : {&increments, &factors}) {
    for (const Bound bound : *bounds) {
      lower.push_back(bound == Bound::not_negative ? 0 : -std::numeric_limits<double>::infinity());
    }
  }
  return lower;
}

void Constraints::project(Parameters& parameters) const {
  const auto apply = [](const std::vector<Bound>& bounds, std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (bounds[i] == Bound::zero) values[i] = 0;
      if (bounds[i] == Bound::not_negative) values[i] = std::max(values[i], 0.0);
    }
  };
  apply(increments, parameters.increments);
  apply(factors, parameters.factors);
}

}  // namespace xofm::detail
