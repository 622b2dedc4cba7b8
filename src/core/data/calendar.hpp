// Days since 1970-01-01 as dates, and what comes again in them: months, weekdays, hours.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "xofm/dataset.hpp"

namespace xofm::detail {

// "2024-05-31", "2024-05-31 14:30".
std::string date_text(double days);

// Codes of an attribute that is a part of dates, among its levels. A part that is none of the levels is unseen.
std::vector<double> part_codes(const Column& days, const Attribute& attribute);

// Puts month and weekday, and the hour if there are times, in the place of attributes that are dates. A part that is
// the same in all rows is left out.
void take_cyclic_parts(Dataset& data, std::span<const std::string> names);

}  // namespace xofm::detail
