#include <algorithm>
#include <functional>

#include "core/explain/effects.hpp"
#include "core/explain/pair_range.hpp"
#include "xofm/explain.hpp"

namespace xofm {

namespace {

using detail::Effect;
using detail::Effects;

AttributeCurve make_curve(const Model& model, std::size_t attribute,
                          const std::function<double(const Effects&, const Effect&)>& part) {
  const Effects effects(model);
  AttributeCurve curve;
  for (const Effect& stop : effects.stops(attribute)) curve.values.push_back(part(effects, stop));
  if (model.encoder.attributes[attribute].has_missing) {
    curve.missing = curve.values.back();
    curve.values.pop_back();
  }
  return curve;
}

}  // namespace

double AttributeCurve::range() const {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return values.empty() ? 0.0 : *greatest - *least;
}

AttributeCurve raw_curve(const Model& model, std::size_t attribute) {
  detail::need_parameters(model);
  return make_curve(model, attribute, [](const Effects&, const Effect& effect) { return effect.raw; });
}

AttributeCurve self_curve(const Model& model, std::size_t attribute) {
  detail::need_parameters(model);
  return make_curve(model, attribute, [](const Effects&, const Effect& effect) { return effect.own - effect.raw; });
}

AttributeCurve purified_curve(const Model& model, std::size_t attribute) {
  return make_curve(model, attribute,
                    [&](const Effects& effects, const Effect& effect) { return effects.curve(attribute, effect); });
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
