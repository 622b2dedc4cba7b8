// Counts by ranges, and how far they are from those of training.
#pragma once

#include <string>
#include <vector>

#include "xofm/monitor.hpp"

namespace xofm::detail {

struct RangeCount {
  std::string name;
  double old_weight = 0;
  double new_count = 0;
};

// Index, distance and what chance makes of them. `old_rows` and `new_rows` are how many rows there were, whatever they
// weigh.
Shift measure_shift(const std::string& name, const std::vector<RangeCount>& counts, double old_rows, double new_rows);

}  // namespace xofm::detail
