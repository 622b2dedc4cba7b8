#include "wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/data/calendar.hpp"
#include "terminal.hpp"

namespace xofm::app {

std::string description_text(const Attribute& attribute) {
  std::string text = printable(attribute.description);
  if (!attribute.unit.empty()) text += fmt::format("{}[{}]", text.empty() ? "" : " ", printable(attribute.unit));
  return text;
}

namespace {

std::string value_text(const Attribute& attribute, double value, const std::string& number) {
  if (std::isnan(value)) return "missing";
  if (attribute.time == TimePart::days) return detail::date_text(value);
  if (attribute.kind == AttributeKind::numeric) {
    return fmt::format("{}{}{}", number, attribute.unit.empty() ? "" : " ", printable(attribute.unit));
  }
  if (!(value >= 0 && value < static_cast<double>(attribute.levels.size()))) return "not seen in training";
  return printable(attribute.levels[static_cast<std::size_t>(value)]);
}

}  // namespace

// Six digits; an income of millions and the like without an exponent.
std::string value_text(const Attribute& attribute, double value) {
  const bool is_long = std::abs(value) >= 1e6 && std::abs(value) < 1e12;
  return value_text(attribute, value, is_long ? fmt::format("{:.12g}", value) : fmt::format("{:.6g}", value));
}

std::string exact_value_text(const Attribute& attribute, double value) {
  return value_text(attribute, value, fmt::format("{}", value));
}

const char* note_text(ValueNote note) {
  switch (note) {
    case ValueNote::below_range:
      return "below the training range";
    case ValueNote::above_range:
      return "above the training range";
    case ValueNote::new_level:
      return "not seen in training";
    case ValueNote::unexpected_missing:
      return "missing, never so in training";
    case ValueNote::none:
      break;
  }
  return "";
}

std::string class_text(const Schema& schema, int label) {
  return printable(schema.class_names[static_cast<std::size_t>(label)]);
}

std::string course_text(const Attribute& attribute, const std::vector<double>& knots, const AttributeCurve& curve) {
  const auto& values = curve.values;
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  if (!(*greatest > *least)) return "flat";
  if (std::is_sorted(values.begin(), values.end())) return "rises";
  if (std::is_sorted(values.rbegin(), values.rend())) return "falls";
  const auto at = [&](auto place) {
    return value_text(attribute, knots[static_cast<std::size_t>(place - values.begin())]);
  };
  return fmt::format("highest at {}, lowest at {}", at(greatest), at(least));
}

}  // namespace xofm::app
