#include "core/data/truth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include "xofm/error.hpp"

namespace xofm {

namespace {

constexpr std::array<std::string_view, 8> names = {"flat", "linear", "falling",    "step",
                                                   "hump", "valley", "saturating", "wave"};

constexpr int step_count = 1'000'000;  // even steps of t, so that unit values print with six decimals
constexpr double decimals = 1e6;

// Six decimals: short in a file, and the nearest double to what is printed, so that reading it back changes nothing.
double rounded(double x) { return std::round(x * decimals) / decimals; }

// Reads a number from the front of `text` and drops it; false if there is none.
template <class T>
bool take_number(std::string_view& text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::span<const std::string_view> curve_names() { return names; }

std::string_view name_of(Curve curve) { return names[static_cast<std::size_t>(curve)]; }

std::string_view name_of(Scale scale) {
  switch (scale) {
    case Scale::unit:
      return "unit";
    case Scale::cubic:
      return "cubic";
    case Scale::exponential:
      return "exponential";
    case Scale::centred:
      return "centred";
    case Scale::levels:
      break;
  }
  return "levels";
}

std::optional<Curve> curve_from(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Curve>(found - names.begin());
}

double curve_value(Curve curve, double t) {
  switch (curve) {
    case Curve::flat:
      break;
    case Curve::linear:
      return t;
    case Curve::falling:
      return 1 - t;
    case Curve::step:
      return std::clamp((t - 0.4) / 0.2, 0.0, 1.0);
    case Curve::hump:
      return 1 - (2 * t - 1) * (2 * t - 1);
    case Curve::valley:
      return (2 * t - 1) * (2 * t - 1);
    case Curve::saturating:
      return 5 * t / (1 + 4 * t);
    case Curve::wave:
      return (1 + std::sin(2 * std::numbers::pi * t)) / 2;
  }
  return 0;
}

double curve_mean(Curve curve) {
  switch (curve) {
    case Curve::flat:
      return 0;
    case Curve::hump:
      return 2.0 / 3;
    case Curve::valley:
      return 1.0 / 3;
    case Curve::saturating:
      return 1.25 * (1 - std::log(5.0) / 4);
    case Curve::linear:
    case Curve::falling:
    case Curve::step:
    case Curve::wave:
      break;  // symmetric about 1/2
  }
  return 0.5;
}

Product product_from(std::string_view text) {
  std::string_view rest = text;
  Product product;
  const bool read = take(rest, "x") && take_number(rest, product.first) && take(rest, "*x") &&
                    take_number(rest, product.second) && take(rest, ":") && take_number(rest, product.strength) &&
                    rest.empty();
  if (!(read && product.first >= 1 && product.second >= 1 && std::isfinite(product.strength))) {
    throw Error(
        ErrorCode::invalid_option,
        fmt::format("product \"{}\" cannot be read; write two attributes and a strength, as in x1*x2:0.5", text));
  }
  --product.first;
  --product.second;
  return product;
}

std::string text_of(const Product& product) {
  return fmt::format("x{}*x{}:{}", product.first + 1, product.second + 1, product.strength);
}

namespace detail {

Scale scale_for(int attribute, int attribute_count, int categorical_count) {
  constexpr int plain_count = 4;
  constexpr std::array turn = {Scale::cubic, Scale::exponential, Scale::centred, Scale::unit};
  if (attribute >= attribute_count - categorical_count) return Scale::levels;
  if (attribute < plain_count) return Scale::unit;
  return turn[static_cast<std::size_t>(attribute - plain_count) % turn.size()];
}

double draw_value(Scale scale, Random& random) {
  if (scale == Scale::levels) return static_cast<double>(random.below(level_count));
  const double t = static_cast<double>(random.below(step_count + 1)) / step_count;
  switch (scale) {
    case Scale::cubic:
      return rounded(1000 * t * t * t);
    case Scale::exponential:
      return rounded(std::exp(t * std::log(1000.0)));
    case Scale::centred:
      return rounded(200 * t - 100);
    case Scale::unit:
    case Scale::levels:
      break;
  }
  return t;
}

double share_below(Scale scale, double x) {
  constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  if (std::isnan(x)) return missing;
  switch (scale) {
    case Scale::unit:
      break;
    case Scale::cubic:
      return std::clamp(std::cbrt(x / 1000), 0.0, 1.0);
    case Scale::exponential:
      return x <= 1 ? 0 : std::clamp(std::log(x) / std::log(1000.0), 0.0, 1.0);
    case Scale::centred:
      return std::clamp((x + 100) / 200, 0.0, 1.0);
    case Scale::levels:
      if (!(x >= 0 && x < level_count)) return missing;
      return level_shares[static_cast<int>(x)];
  }
  return std::clamp(x, 0.0, 1.0);
}

}  // namespace detail

}  // namespace xofm
