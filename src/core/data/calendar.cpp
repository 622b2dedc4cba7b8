#include "core/data/calendar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace xofm::detail {

namespace {

constexpr double most_days = 3e6;  // some eight thousand years

std::chrono::year_month_day calendar(double days) {
  return std::chrono::sys_days(std::chrono::days(static_cast<int>(days)));
}

// Rounding may leave a time a little before the full second that it stands for.
double to_seconds(double days) { return std::round(days * 86400); }

// Month 0 .. 11, weekday 0 (Monday) .. 6, hour 0 .. 23; NaN of NaN.
double part_of_time(double days, TimePart part) {
  if (!(std::abs(days) < most_days)) return std::numeric_limits<double>::quiet_NaN();
  const double seconds = to_seconds(days);
  const double day = std::floor(seconds / 86400);
  switch (part) {
    case TimePart::month:
      return static_cast<unsigned>(calendar(day).month()) - 1;
    case TimePart::weekday: {
      const double since_monday = std::fmod(day + 3, 7);  // 1970-01-01 was a Thursday
      return since_monday < 0 ? since_monday + 7 : since_monday;
    }
    case TimePart::hour:
      return std::floor((seconds - day * 86400) / 3600);
    case TimePart::none:
    case TimePart::days:
      break;
  }
  return days;
}

std::vector<std::string> names_of_parts(TimePart part) {
  switch (part) {
    case TimePart::month:
      return {"January", "February", "March",     "April",   "May",      "June",
              "July",    "August",   "September", "October", "November", "December"};
    case TimePart::weekday:
      return {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
    case TimePart::hour: {
      std::vector<std::string> hours;
      for (int hour = 0; hour < 24; ++hour) hours.push_back(fmt::format("{}", hour));
      return hours;
    }
    case TimePart::none:
    case TimePart::days:
      break;
  }
  return {};
}

Attribute part_attribute(const Attribute& whole, TimePart part, const Column& days) {
  Attribute attribute{.name = fmt::format("{} {}", whole.name,
                                          part == TimePart::month     ? "month"
                                          : part == TimePart::weekday ? "weekday"
                                                                      : "hour"),
                      .kind = AttributeKind::categorical,
                      .description = whole.description,
                      .time = part,
                      .column = whole.name};
  attribute.month_first = whole.month_first;
  const std::vector<std::string> names = names_of_parts(part);
  std::vector<char> is_seen(names.size());
  for (const double day : days) {
    const double code = part_of_time(day, part);
    if (code >= 0) is_seen[static_cast<std::size_t>(code)] = 1;
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (is_seen[k] != 0) attribute.levels.push_back(names[k]);
  }
  return attribute;
}

}  // namespace

std::string date_text(double days) {
  if (!(std::abs(days) < most_days)) return fmt::format("{} days", days);
  const double seconds = to_seconds(days);
  const double day = std::floor(seconds / 86400);
  const auto date = calendar(day);
  std::string text = fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                                 static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  const auto rest = static_cast<int>(seconds - day * 86400);
  if (rest != 0) text += fmt::format(" {:02}:{:02}", rest / 3600, rest / 60 % 60);
  if (rest % 60 != 0) text += fmt::format(":{:02}", rest % 60);
  return text;
}

std::vector<double> part_codes(const Column& days, const Attribute& attribute) {
  std::vector<double> code_of_part;
  for (const std::string& name : names_of_parts(attribute.time)) {
    const auto at = std::find(attribute.levels.begin(), attribute.levels.end(), name);
    code_of_part.push_back(at == attribute.levels.end() ? unseen_level
                                                        : static_cast<double>(at - attribute.levels.begin()));
  }
  std::vector<double> codes;
  codes.reserve(days.size());
  for (const double day : days) {
    const double part = part_of_time(day, attribute.time);
    codes.push_back(std::isnan(part) ? part : code_of_part[static_cast<std::size_t>(part)]);
  }
  return codes;
}

void take_cyclic_parts(Dataset& data, std::span<const std::string> names) {
  std::vector<Attribute> attributes;
  std::vector<Column> columns;
  for (std::size_t j = 0; j < data.schema.attributes.size(); ++j) {
    const Attribute& whole = data.schema.attributes[j];
    const bool is_asked = std::find(names.begin(), names.end(), whole.name) != names.end();
    if (!is_asked || whole.time != TimePart::days) {
      attributes.push_back(whole);
      columns.push_back(std::move(data.columns[j]));
      continue;
    }
    for (const TimePart part : {TimePart::month, TimePart::weekday, TimePart::hour}) {
      const Attribute attribute = part_attribute(whole, part, data.columns[j]);
      if (attribute.levels.size() < 2) continue;
      columns.emplace_back(part_codes(data.columns[j], attribute));
      attributes.push_back(attribute);
    }
  }
  data.schema.attributes = std::move(attributes);
  data.columns = std::move(columns);
}

}  // namespace xofm::detail
