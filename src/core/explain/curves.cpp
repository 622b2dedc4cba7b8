#include <algorithm>
#include <functional>
#include <iterator>

#include "core/explain/effects.hpp"
#include "core/explain/pair_range.hpp"
#include "xofm/explain.hpp"

namespace xofm {

namespace {

using detail::Effect;
using detail::Effects;

AttributeCurve make_curve(const Model& model, const Effects& effects, std::size_t attribute,
                          const std::function<double(const Effects&, const Effect&)>& part) {
  AttributeCurve curve;
  for (const Effect& stop : effects.stops(attribute)) curve.values.push_back(part(effects, stop));
  if (model.encoder.attributes[attribute].has_missing) {
    curve.missing = curve.values.back();
    curve.values.pop_back();
  }
  const auto special = curve.values.end() - std::ssize(model.encoder.attributes[attribute].special);
  curve.special.assign(special, curve.values.end());
  curve.values.erase(special, curve.values.end());
  return curve;
}

AttributeCurve raw_curve(const Model& model, const Effects& effects, std::size_t attribute) {
  return make_curve(model, effects, attribute, [](const Effects&, const Effect& effect) { return effect.raw; });
}

AttributeCurve self_curve(const Model& model, const Effects& effects, std::size_t attribute) {
  return make_curve(model, effects, attribute,
                    [](const Effects&, const Effect& effect) { return effect.own - effect.raw; });
}

AttributeCurve purified_curve(const Model& model, const Effects& effects, std::size_t attribute) {
  return make_curve(model, effects, attribute,
                    [&](const Effects& all, const Effect& effect) { return all.curve(attribute, effect); });
}

}  // namespace

double AttributeCurve::range() const {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return values.empty() ? 0.0 : *greatest - *least;
}

AttributeCurve raw_curve(const Model& model, std::size_t attribute) {
  detail::need_parameters(model);
  return raw_curve(model, Effects(model), attribute);
}

AttributeCurve self_curve(const Model& model, std::size_t attribute) {
  detail::need_parameters(model);
  return self_curve(model, Effects(model), attribute);
}

AttributeCurve purified_curve(const Model& model, std::size_t attribute) {
  return purified_curve(model, Effects(model), attribute);
}

AttributeCurves attribute_curves(const Model& model) {
  const Effects effects(model);
  AttributeCurves curves;
  for (std::size_t j = 0; j < effects.attribute_count(); ++j) {
    curves.purified.push_back(purified_curve(model, effects, j));
    if (model.terms) continue;
    curves.raw.push_back(raw_curve(model, effects, j));
    curves.self.push_back(self_curve(model, effects, j));
  }
  return curves;
}

bool is_used(const Model& model, std::size_t attribute) {
  if (!model.terms) return true;
  const auto& curve = model.terms->curves[attribute];
  const auto& surfaces = model.terms->surfaces;
  return std::any_of(curve.begin(), curve.end(), [](double value) { return value != 0; }) ||
         std::any_of(surfaces.begin(), surfaces.end(),
                     [&](const Surface& surface) { return surface.first == attribute || surface.second == attribute; });
}

double base_score(const Model& model) { return Effects(model).base(); }

}  // namespace xofm
