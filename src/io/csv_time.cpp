#include "io/csv_time.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>

namespace xofm::detail {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes letters from the front of a text.
struct Taker {
  std::string_view text;

  bool take(char c) {
    if (text.empty() || text.front() != c) return false;
    text.remove_prefix(1);
    return true;
  }
  // A whole number of so many digits.
  std::optional<int> number(std::size_t least, std::size_t most) {
    std::size_t count = 0;
    while (count < text.size() && count < most && is_digit(text[count])) ++count;
    if (count < least || (count < text.size() && is_digit(text[count]))) return std::nullopt;
    int value = 0;
    std::from_chars(text.data(), text.data() + count, value);
    text.remove_prefix(count);
    return value;
  }
};

struct Date {
  int year = 1970;
  int first = 1;  // of two numbers whose order is not known yet: the month, or the day
  int second = 1;
  DateClue clue = DateClue::none;
};

// Four digits.
bool has_year_first(std::string_view cell) {
  const std::size_t start = std::min(cell.find_first_not_of(' '), cell.size());
  const std::string_view year = cell.substr(start, 4);
  return year.size() == 4 && std::all_of(year.begin(), year.end(), is_digit);
}

std::optional<Date> take_date(Taker& at) {
  const std::size_t start = at.text.size();
  const bool begins_with_year = has_year_first(at.text);
  Date date;
  if (begins_with_year) {
    const auto year = at.number(4, 4);
    if (!year || start < 8) return std::nullopt;
    const char mark = at.text.front();
    if ((mark != '-' && mark != '/' && mark != '.') || !at.take(mark)) return std::nullopt;
    const auto month = at.number(1, 2);
    if (!month || !at.take(mark)) return std::nullopt;
    const auto day = at.number(1, 2);
    if (!day) return std::nullopt;
    return Date{*year, *month, *day, DateClue::open};
  }
  const auto first = at.number(1, 2);
  if (!first || at.text.empty()) return std::nullopt;
  const char mark = at.text.front();
  if ((mark != '-' && mark != '/' && mark != '.') || !at.take(mark)) return std::nullopt;
  const auto second = at.number(1, 2);
  if (!second || !at.take(mark)) return std::nullopt;
  const auto year = at.number(4, 4);
  if (!year) return std::nullopt;
  date = {*year, *first, *second, DateClue::open};
  if (mark == '.' || *first > 12) date.clue = DateClue::day_first;
  if (mark != '.' && *second > 12) date.clue = DateClue::month_first;
  return date;
}

// As a part of a day; the distance from UTC is taken off.
std::optional<double> take_time(Taker& at) {
  const auto hour = at.number(1, 2);
  if (!hour || !at.take(':')) return std::nullopt;
  const auto minute = at.number(2, 2);
  if (!minute || *minute > 59) return std::nullopt;
  double seconds = 0;
  if (at.take(':')) {
    const auto whole = at.number(2, 2);
    if (!whole || *whole > 60) return std::nullopt;
    seconds = *whole;
    if (at.take('.') || at.take(',')) {
      double place = 0.1;
      if (at.text.empty() || !is_digit(at.text.front())) return std::nullopt;
      for (; !at.text.empty() && is_digit(at.text.front()); at.text.remove_prefix(1), place /= 10) {
        seconds += place * (at.text.front() - '0');
      }
    }
  }
  int hours = *hour;
  at.take(' ');
  if (at.text.size() == 2 && (at.text[1] | 32) == 'm' && ((at.text[0] | 32) == 'a' || (at.text[0] | 32) == 'p')) {
    if (hours < 1 || hours > 12) return std::nullopt;
    hours = hours % 12 + ((at.text[0] | 32) == 'p' ? 12 : 0);
    at.text = {};
  }
  if (hours > 23) return std::nullopt;
  double offset = 0;
  if (!at.take('Z') && !at.text.empty()) {
    const double sign = at.text.front() == '-' ? -1 : 1;
    if (!at.take('-') && !at.take('+')) return std::nullopt;
    std::string digits(at.text);  // 02, 0230 or 02:30
    std::erase(digits, ':');
    at.text = {};
    if ((digits.size() != 2 && digits.size() != 4) || !std::all_of(digits.begin(), digits.end(), is_digit)) {
      return std::nullopt;
    }
    digits.resize(4, '0');
    const int hours_off = 10 * (digits[0] - '0') + digits[1] - '0';
    const int minutes_off = 10 * (digits[2] - '0') + digits[3] - '0';
    if (hours_off > 15 || minutes_off > 59) return std::nullopt;
    offset = sign * (hours_off * 60 + minutes_off);
  }
  return (hours * 3600 + *minute * 60 + seconds - offset * 60) / 86400;
}

struct Moment {
  Date date;
  double time = 0;
};

std::optional<Moment> read_moment(std::string_view cell) {
  while (!cell.empty() && cell.front() == ' ') cell.remove_prefix(1);
  while (!cell.empty() && cell.back() == ' ') cell.remove_suffix(1);
  Taker at{cell};
  Moment moment;
  const std::size_t colon = cell.find(':');
  if (colon <= 2) {
    const auto time = take_time(at);
    if (!time || !at.text.empty()) return std::nullopt;
    moment.time = *time;
    moment.date.clue = DateClue::open;
    return moment;
  }
  const auto date = take_date(at);
  if (!date) return std::nullopt;
  moment.date = *date;
  if (at.text.empty()) return moment;
  if (!at.take('T') && !at.take(' ')) return std::nullopt;
  const auto time = take_time(at);
  if (!time || !at.text.empty()) return std::nullopt;
  moment.time = *time;
  return moment;
}

}  // namespace

bool read_time(std::string_view cell, DateOrder order, double& days) {
  const auto moment = read_moment(cell);
  if (!moment) return false;
  const auto& [year, first, second, clue] = moment->date;
  const bool is_month_first =
      has_year_first(cell) || cell.find(':') <= 2 ||
      (clue == DateClue::open ? order == DateOrder::month_first : clue == DateClue::month_first);
  const std::chrono::year_month_day date(std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(is_month_first ? first : second)),
                                         std::chrono::day(static_cast<unsigned>(is_month_first ? second : first)));
  if (!date.ok()) return false;
  days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count()) + moment->time;
  return true;
}

DateClue date_clue(std::string_view cell) {
  const auto moment = read_moment(cell);
  return moment ? moment->date.clue : DateClue::none;
}

}  // namespace xofm::detail
