// A change in numbers that a person can type.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/explain/change_trial.hpp"
#include "core/explain/one_row.hpp"

namespace xofm {

namespace {

constexpr int most_digits = 17;           // as many as tell all numbers apart
constexpr double share_of_change = 0.01;  // what rounding may add to a change,
constexpr double share_of_range = 0.001;  // or this much of the attribute's range if that is more

double parse(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The nearest number with this many significant digits at `value` or beyond it in the direction of `sign`.
double round_towards(double value, int digits, double sign) {
  const std::string text = fmt::format("{:.{}e}", value, digits - 1);  // -d.ddde-dd
  const double rounded = parse(text);
  if ((rounded - value) * sign >= 0) return rounded;
  const std::size_t exponent_at = text.find('e');
  std::string mantissa = text.substr(0, exponent_at);
  std::erase(mantissa, '.');
  const auto next = static_cast<std::int64_t>(std::stoll(mantissa)) + (sign > 0 ? 1 : -1);
  return parse(fmt::format("{}e{}", next, std::stoi(text.substr(exponent_at + 1)) - digits + 1));
}

// One value of a change: its roundings are tried from few digits to all.
struct RoundedValue {
  ValueChange change;
  double slack = 0;  // how far beyond the exact value
  double least = 0;  // the training range
  double greatest = 0;
  bool is_number = false;

  bool allows(double value) const {
    return std::abs(value - change.to) <= slack && value >= least && value <= greatest;
  }
  double with_digits(int digits) const { return round_towards(change.to, digits, change.to - change.from); }

  // The fewest digits that are precise enough; most_digits stands for the exact value.
  int first_digits() const {
    int digits = 1;
    while (digits < most_digits && !allows(with_digits(digits))) ++digits;
    return digits;
  }
  double at(int digits) const {
    if (!is_number || digits >= most_digits) return change.to;
    const double value = with_digits(digits);
    return allows(value) ? value : change.to;
  }
};

RoundedValue rounded_value(const Model& model, const ValueChange& change) {
  const AttributeEncoder& encoder = model.encoder.attributes[change.attribute];
  RoundedValue value{.change = change};
  if (encoder.kind != AttributeKind::numeric) return value;
  value.is_number = true;
  value.least = encoder.knots.front();
  value.greatest = encoder.knots.back();
  value.slack =
      std::max(share_of_change * std::abs(change.to - change.from), share_of_range * (value.greatest - value.least));
  return value;
}

}  // namespace

Counterfactual round_outwards(const Model& model, const Dataset& rows, std::size_t row, const Counterfactual& change) {
  const Dataset object = detail::one_row(rows, row);
  detail::ChangeTrial trial(model, object, {change.label, change.label});
  std::vector<RoundedValue> values;
  std::vector<int> digits;
  for (const ValueChange& value : change.changes) {
    values.push_back(rounded_value(model, value));
    digits.push_back(values.back().is_number ? values.back().first_digits() : most_digits);
  }
  // The score need not go on in one direction, so every rounding is tried on the model.
  while (std::any_of(digits.begin(), digits.end(), [](int count) { return count < most_digits; })) {
    std::vector<detail::Setting> settings;
    for (std::size_t i = 0; i < values.size(); ++i) {
      settings.push_back({values[i].change.attribute, values[i].at(digits[i])});
    }
    if (auto found = trial.attempt(settings)) return *std::move(found);
    for (int& count : digits) ++count;
  }
  return change;
}

}  // namespace xofm
