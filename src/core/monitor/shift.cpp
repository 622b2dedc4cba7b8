#include "core/monitor/shift.hpp"

#include <cmath>
#include <numbers>

namespace xofm::detail {

Shift measure_shift(const std::string& name, const std::vector<RangeCount>& counts, double old_rows, double new_rows) {
  constexpr double half_a_row = 0.5;
  Shift shift;
  shift.name = name;
  double old_total = 0;
  double new_total = 0;
  for (const RangeCount& range : counts) {
    old_total += range.old_weight;
    new_total += range.new_count;
  }
  if (!(old_total > 0) || !(new_total > 0) || !(new_rows > 0)) return shift;
  const double ranges = static_cast<double>(counts.size());
  double variance = 0;
  for (const RangeCount& range : counts) {
    const double old_share = range.old_weight / old_total;
    const double new_share = range.new_count / new_total;
    shift.ranges.push_back({range.name, old_share, new_share});
    const double old_smooth = (old_share * old_rows + half_a_row) / (old_rows + half_a_row * ranges);
    const double new_smooth = (new_share * new_rows + half_a_row) / (new_rows + half_a_row * ranges);
    shift.psi += (new_smooth - old_smooth) * std::log(new_smooth / old_smooth);
    shift.distance += std::abs(new_share - old_share) / 2;
    // If nothing has changed, the difference of the two shares is about normal with this variance, and the mean of its
    // size is sqrt(2 / pi) times its spread.
    const double common =
        (range.old_weight / old_total * old_rows + range.new_count / new_total * new_rows) / (old_rows + new_rows);
    const double own = common * (1 - common) * (1 / old_rows + 1 / new_rows);
    shift.distance_chance += std::sqrt(own * 2 / std::numbers::pi) / 2;
    variance += own * (1 - 2 / std::numbers::pi) / 4;
  }
  shift.distance_error = std::sqrt(variance);
  // About a chi-squared variable by the number of rows.
  shift.psi_chance = (ranges - 1) * (1 / old_rows + 1 / new_rows);
  return shift;
}

}  // namespace xofm::detail
