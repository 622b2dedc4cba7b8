#include "heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "terminal.hpp"
#include "xofm/explain.hpp"

namespace xofm::app {

namespace {

std::optional<std::size_t> find_attribute(const Model& model, const std::string& name) {
  const auto& attributes = model.schema.attributes;
  const auto found =
      std::find_if(attributes.begin(), attributes.end(), [&](const Attribute& a) { return a.name == name; });
  if (found == attributes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - attributes.begin());
}

std::optional<PairGrid> find_surface(const Model& model, const std::string& first, const std::string& second) {
  const auto a = find_attribute(model, first);
  const auto b = find_attribute(model, second);
  if (!a || !b) return std::nullopt;
  return purified_surface(model, *a, *b);
}

// Of a line or column of the surface.
std::string place_name(const Model& model, std::size_t attribute, std::size_t index) {
  const AttributeEncoder& encoder = model.encoder.attributes[attribute];
  const auto& levels = model.schema.attributes[attribute].levels;
  if (encoder.kind == AttributeKind::numeric && index < encoder.knots.size()) {
    return fmt::format("{:g}", encoder.knots[index]);
  }
  const std::size_t behind = index - (encoder.kind == AttributeKind::numeric ? encoder.knots.size() : 0);
  if (encoder.kind == AttributeKind::numeric && behind < encoder.special.size()) {
    return fmt::format("{:g}", encoder.special[behind]);
  }
  return encoder.kind == AttributeKind::categorical && index < levels.size() ? levels[index] : "missing";
}

const char* mark(double value, double scale) {
  const double share = scale > 0 ? value / scale : 0.0;
  if (share > 0.6) return "++";
  if (share > 0.2) return " +";
  if (share >= -0.2) return " .";
  return share >= -0.6 ? " -" : "--";
}

}  // namespace

double surface_size(const Model& model, const std::string& first, const std::string& second) {
  double size = 0;
  if (const auto grid = find_surface(model, first, second)) {
    for (const auto& row : grid->values) {
      for (const double value : row) size = std::max(size, std::abs(value));
    }
  }
  return size;
}

std::string heat_map_text(const Model& model, const std::string& first, const std::string& second, double scale) {
  const auto grid = find_surface(model, first, second);
  if (!grid) return "";
  constexpr std::size_t width = 12;
  std::string text;
  for (std::size_t i = 0; i < grid->values.size(); ++i) {
    text += "    " + fit_width(place_name(model, grid->first, i), width);
    for (const double value : grid->values[i]) text += fmt::format(" {}", mark(value, scale));
    text += '\n';
  }
  const std::size_t last = grid->values.empty() ? 0 : grid->values.front().size() - 1;
  text += fmt::format("    {} from {} to {}\n", std::string(width, ' '), printable(place_name(model, grid->second, 0)),
                      printable(place_name(model, grid->second, last)));
  return text;
}

}  // namespace xofm::app
