// Cells that are dates, times, or both.
#pragma once

#include <string_view>

namespace xofm::detail {

enum class DateOrder : unsigned char { day_first, month_first };

// What a cell tells of the order in which dates are written.
enum class DateClue : unsigned char { none, open, day_first, month_first };

// Days since 1970-01-01, the time of day as a part of one. 2024-05-31, 2024/5/31, 31.05.2024 (day first), 31/5/2024 and
// 31-5-2024 (by `order`); a time may follow, after a blank or a T, with seconds, AM or PM and a distance from UTC; or
// there is a time alone. False: it is neither, or no day of the calendar.
bool read_time(std::string_view cell, DateOrder order, double& days);

// none: not a date. open: 3/4/2024, and all that says nothing of the order.
DateClue date_clue(std::string_view cell);

}  // namespace xofm::detail
