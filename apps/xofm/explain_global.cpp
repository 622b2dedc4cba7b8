// A whole model in words: attributes and pairs by importance.
#include <fmt/format.h>

#include <algorithm>

#include "explain_views.hpp"
#include "terminal.hpp"
#include "wording.hpp"
#include "xofm/names.hpp"

namespace xofm::app {

namespace {

constexpr std::size_t curve_width = 32;

// "between -0.3 and +0.2": the band where it is widest.
std::string band_text(const CurveBand& band) {
  if (band.lower.empty()) return "";
  std::size_t widest = 0;
  for (std::size_t i = 0; i < band.lower.size(); ++i) {
    if (band.upper[i] - band.lower[i] > band.upper[widest] - band.lower[widest]) widest = i;
  }
  return fmt::format("     uncertain by up to {:.3f}\n", band.upper[widest] - band.lower[widest]);
}

std::string numeric_text(const Model& model, std::size_t j, const AttributeCurve& curve) {
  const Attribute& attribute = model.schema.attributes[j];
  const AttributeEncoder& encoder = model.encoder.attributes[j];
  std::string text = fmt::format("     {} {} {}   {}", value_text(attribute, encoder.knots.front()),
                                 sparkline(curve.values, curve_width), value_text(attribute, encoder.knots.back()),
                                 course_text(attribute, encoder.knots, curve));
  if (encoder.direction != Direction::none) {
    text += fmt::format("; required to be {}, {}", name_of(encoder.direction),
                        model.certificate.attributes[j].holds ? "certified" : "not certified");
  }
  return text + '\n';
}

// The levels with the greatest and the least values, or all if they are few.
std::string levels_text(const Attribute& attribute, const AttributeCurve& curve) {
  constexpr std::size_t most = 8;
  std::vector<std::size_t> order(curve.values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return curve.values[a] > curve.values[b]; });
  std::string text = "     ";
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order.size() > most && i == most / 2) {
      text += fmt::format("  … {} more …", order.size() - most);
      i = order.size() - most / 2;
    }
    text +=
        fmt::format("{}{} {:+.3f}", i == 0 ? "" : "   ", printable(attribute.levels[order[i]]), curve.values[order[i]]);
  }
  return text + '\n';
}

}  // namespace

std::string global_text(const Model& model, const GlobalView& view, std::size_t top) {
  const Schema& schema = model.schema;
  std::string text = fmt::format("What decides '{}': {} classes from {} to {}, learned from {} rows\n\n",
                                 printable(schema.label_name), schema.class_count(), class_text(schema, 0),
                                 class_text(schema, schema.class_count() - 1), model.summary.row_count);
  text += fmt::format(
      "A row starts from the score {:.3f}; every attribute and every pair of attributes adds its part.\n"
      "Range: greatest minus least part. Mean: mean size of the part over {}.\n\n",
      base_score(model), view.source);

  std::vector<AttributeImportance> attributes = view.importance.attributes;
  std::string unused;
  std::erase_if(attributes, [&](const AttributeImportance& attribute) {
    if (is_used(model, attribute.attribute)) return false;
    unused += (unused.empty() ? "" : ", ") + printable(schema.attributes[attribute.attribute].name);
    return true;
  });
  std::stable_sort(attributes.begin(), attributes.end(),
                   [](const auto& a, const auto& b) { return a.range > b.range; });
  const std::size_t shown = std::min(top, attributes.size());
  text += "Attributes, the most important first\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t j = attributes[i].attribute;
    const Attribute& attribute = schema.attributes[j];
    const AttributeCurve curve = purified_curve(model, j);
    const std::string about = description_text(attribute);
    text += fmt::format("{:>3}. {}: range {:.3f}, mean {:.3f}\n", i + 1, printable(attribute.name), attributes[i].range,
                        attributes[i].mean_absolute);
    if (!about.empty()) text += fmt::format("     {}\n", about);
    text += attribute.kind == AttributeKind::numeric ? numeric_text(model, j, curve) : levels_text(attribute, curve);
    const std::vector<double>& special = model.encoder.attributes[j].special;
    for (std::size_t k = 0; k < special.size(); ++k) {
      text += fmt::format("     {} (special) {:+.3f}\n", special[k], curve.special[k]);
    }
    if (curve.missing) text += fmt::format("     missing {:+.3f}\n", *curve.missing);
    if (model.bands) text += band_text(model.bands->attributes[j]);
  }
  if (shown < attributes.size()) text += fmt::format("     … and {} more (--top)\n", attributes.size() - shown);
  if (!unused.empty()) text += fmt::format("     Not used: {}\n", unused);

  std::vector<PairImportance> pairs = view.importance.pairs;
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.range > b.range; });
  if ((!model.terms && model.parameters.factor_count == 0) || pairs.empty())
    return text + "\nNo pair adds anything of its own.\n";
  text += "\nPairs, the strongest first: what two attributes do together beyond their own curves\n";
  for (std::size_t i = 0; i < std::min(top, pairs.size()); ++i) {
    text += fmt::format("{:>3}. {} and {}: range {:.3f}, mean {:.3f}\n", i + 1,
                        printable(schema.attributes[pairs[i].first].name),
                        printable(schema.attributes[pairs[i].second].name), pairs[i].range, pairs[i].mean_absolute);
  }
  const std::size_t listed = std::min(top, pairs.size());
  if (listed < pair_count(model)) text += fmt::format("     … and {} more (--top)\n", pair_count(model) - listed);
  return text;
}

}  // namespace xofm::app
