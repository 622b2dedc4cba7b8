// A model as PMML 4.4: a Scorecard, whose parts are its characteristics; class and probabilities by its Output.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "io/export/pmml_fields.hpp"
#include "io/export/writers.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

using Numbers = std::vector<double>;
using Elements = PmmlElements;

Xml is_missing(const std::string& name) {
  return {.name = "SimplePredicate", .attributes = {{"field", name}, {"operator", "isMissing"}}};
}
Xml is_equal(const std::string& name, const std::string& value) {
  return {.name = "SimplePredicate", .attributes = {{"field", name}, {"operator", "equal"}, {"value", value}}};
}

// The first of these that holds is taken.
Xml scored(Xml predicate, double points) {
  return {
      .name = "Attribute", .attributes = {{"partialScore", pmml_number(points)}}, .children = {std::move(predicate)}};
}
Xml scored(Xml predicate, Xml expression) {
  Xml points{.name = "ComplexPartialScore", .children = {std::move(expression)}};
  return {.name = "Attribute", .children = {std::move(predicate), std::move(points)}};
}
Xml otherwise() { return {.name = "True"}; }

// `values` at `knots`, straight lines between them, constant beyond.
Xml curve(const std::string& name, const Numbers& knots, const double* values, double at_missing) {
  Xml made{.name = "NormContinuous",
           .attributes = {{"field", name}, {"outliers", "asExtremeValues"}, {"mapMissingTo", pmml_number(at_missing)}}};
  for (std::size_t k = 0; k < knots.size(); ++k) {
    made.children.push_back(
        {.name = "LinearNorm", .attributes = {{"orig", pmml_number(knots[k])}, {"norm", pmml_number(values[k])}}});
  }
  if (knots.size() > 1) return made;
  return pmml_call("if",
                   {pmml_call("isMissing", {pmml_field(name)}), pmml_constant(at_missing), pmml_constant(values[0])});
}

class Pmml {
 public:
  explicit Pmml(const ExportModel& made) : made_(made), fields_(made) {}

  std::string text() const {
    const std::string note = "score, class, probabilities and reasons of one row, by xofm";
    return xml_document({.name = "PMML",
                         .attributes = {{"version", "4.4"}, {"xmlns", "http://www.dmg.org/PMML-4_4"}},
                         .children = {{.name = "Header",
                                       .attributes = {{"description", note}},
                                       .children = {{.name = "Application", .attributes = {{"name", "xofm"}}}}},
                                      fields_.dictionary(),
                                      logistic(),
                                      scorecard()}});
  }

 private:
  // 1 / (1 + exp(-x)), as far as exp(-x) is a number.
  static Xml logistic() {
    constexpr double least = -700;
    Xml exponent = pmml_call("-", {pmml_constant(0), pmml_call("max", {pmml_field("x"), pmml_constant(least)})});
    Xml sum = pmml_call("+", {pmml_constant(1), pmml_call("exp", {std::move(exponent)})});
    Xml parameter{.name = "ParameterField", .attributes = {{"name", "x"}, {"dataType", "double"}}};
    Xml function{.name = "DefineFunction",
                 .attributes = {{"name", "logistic"}, {"optype", "continuous"}, {"dataType", "double"}},
                 .children = {std::move(parameter), pmml_call("/", {pmml_constant(1), std::move(sum)})}};
    return {.name = "TransformationDictionary", .children = {std::move(function)}};
  }

  // PMML ranks reasons by their distance from a baseline, and leaves out those on its other side. With the greatest (or
  // least) contribution that there is as the baseline of all of them, the order is ours and none is left out.
  double baseline() const {
    double extreme = 0;
    const double sign = made_.highest_reasons ? -1 : 1;
    for (const ExportPart& part : made_.parts) {
      for (const double value : part.values) extreme = std::max(extreme, sign * value);
    }
    return sign * extreme;
  }

  Xml scorecard() const {
    Xml card{.name = "Scorecard",
             .attributes = {{"functionName", "regression"},
                            {"initialScore", pmml_number(made_.base)},
                            {"useReasonCodes", "true"},
                            {"reasonCodeAlgorithm", made_.highest_reasons ? "pointsAbove" : "pointsBelow"},
                            {"baselineScore", pmml_number(baseline())}}};
    Xml characteristics{.name = "Characteristics"};
    std::set<std::string> codes;
    for (const ExportPart& part : made_.parts) {
      std::string code = part.name;
      while (!codes.insert(code).second) code += '_';
      characteristics.children.push_back(
          {.name = "Characteristic",
           .attributes = {{"name", code}, {"reasonCode", code}},
           .children = part.kind == PartKind::curve ? curve_lines(part) : surface_lines(part)});
    }
    card.children = {fields_.mining_schema(), output()};
    if (Elements derived = fields_.derived(); !derived.empty()) {
      card.children.push_back({.name = "LocalTransformations", .children = std::move(derived)});
    }
    card.children.push_back(std::move(characteristics));
    return card;
  }

  std::string level_name(std::size_t j, std::size_t level) const {
    return made_.attributes[j].from_indicators ? fmt::format("{}", level) : made_.attributes[j].levels[level];
  }

  // What lies beside the curve, and the levels, each with its node.
  struct Stop {
    std::string value;
    std::size_t node;
  };
  std::vector<Stop> named_stops(std::size_t j, std::size_t plain_count) const {
    const ExportAttribute& attribute = made_.attributes[j];
    std::vector<Stop> stops;
    if (attribute.is_numeric) {
      for (std::size_t k = 0; k < attribute.special.size(); ++k) {
        stops.push_back({pmml_number(attribute.special[k]), plain_count + k});
      }
    } else {
      for (std::size_t k = 0; k < attribute.levels.size(); ++k) stops.push_back({level_name(j, k), k});
    }
    return stops;
  }

  Elements curve_lines(const ExportPart& part) const {
    const ExportAttribute& attribute = made_.attributes[part.first];
    const std::string& name = fields_.name(part.first);
    const StopPlace missing = place_of(attribute, std::nan(""));
    double at_missing = part.values[missing.low];
    if (missing.fraction > 0) at_missing += missing.fraction * (part.values[missing.low + 1] - at_missing);
    Elements lines;
    if (!attribute.is_numeric) lines.push_back(scored(is_missing(name), at_missing));
    for (const Stop& stop : named_stops(part.first, attribute.knots.size())) {
      lines.push_back(scored(is_equal(name, stop.value), part.values[stop.node]));
    }
    lines.push_back(attribute.is_numeric ? scored(otherwise(), curve(fields_.within(part.first), attribute.knots,
                                                                     part.values.data(), at_missing))
                                         : scored(otherwise(), part.values.back()));
    return lines;
  }

  Numbers knots_of(const ExportAxis& axis) const {
    Numbers knots;
    for (std::size_t node = 0; node < axis.plain_count; ++node) {
      knots.push_back(made_.attributes[axis.attribute].knots[axis.stops[node]]);
    }
    return knots;
  }

  // Where a missing value lies among an axis's nodes.
  StopPlace missing_on(const ExportAxis& axis) const {
    const StopPlace stop = place_of(made_.attributes[axis.attribute], std::nan(""));
    double at = axis.places[stop.low];
    if (stop.fraction > 0) at += stop.fraction * (axis.places[stop.low + 1] - at);
    const auto node = static_cast<std::size_t>(at);
    return {node, at - static_cast<double>(node)};
  }

  // A line of a surface along its second axis.
  Xml along(const ExportAxis& axis, const Numbers& values) const {
    const ExportAttribute& attribute = made_.attributes[axis.attribute];
    const std::string& name = fields_.name(axis.attribute);
    const StopPlace missing = missing_on(axis);
    double at_missing = values[missing.low];
    if (missing.fraction > 0) at_missing += missing.fraction * (values[missing.low + 1] - at_missing);
    Xml made = attribute.is_numeric ? curve(fields_.within(axis.attribute), knots_of(axis), values.data(), at_missing)
                                    : pmml_constant(values.back());
    const std::vector<Stop> stops = named_stops(axis.attribute, axis.plain_count);
    for (const Stop& stop : stops) {
      Xml value =
          attribute.is_numeric ? pmml_constant(attribute.special[stop.node - axis.plain_count]) : pmml_text(stop.value);
      made = pmml_call("if", {pmml_call("equal", {pmml_field(name), std::move(value)}),
                              pmml_constant(values[stop.node]), std::move(made)});
    }
    if (stops.empty() && attribute.is_numeric) return made;
    return pmml_call("if", {pmml_call("isMissing", {pmml_field(name)}), pmml_constant(at_missing), std::move(made)});
  }

  Elements surface_lines(const ExportPart& part) const {
    const ExportAttribute& attribute = made_.attributes[part.first];
    const std::string& name = fields_.name(part.first);
    const std::size_t width = part.second_axis.stops.size();
    const auto row = [&](std::size_t node) {
      const auto begin = part.values.begin() + static_cast<std::ptrdiff_t>(node * width);
      return Numbers(begin, begin + static_cast<std::ptrdiff_t>(width));
    };
    Elements lines;
    const StopPlace missing = missing_on(part.first_axis);
    Numbers at_missing = row(missing.low);
    if (missing.fraction > 0) {
      const Numbers next = row(missing.low + 1);
      for (std::size_t k = 0; k < width; ++k) at_missing[k] += missing.fraction * (next[k] - at_missing[k]);
    }
    lines.push_back(scored(is_missing(name), along(part.second_axis, at_missing)));
    for (const Stop& stop : named_stops(part.first, part.first_axis.plain_count)) {
      lines.push_back(scored(is_equal(name, stop.value), along(part.second_axis, row(stop.node))));
    }
    if (!attribute.is_numeric) {
      lines.push_back(scored(otherwise(), along(part.second_axis, row(part.first_axis.stops.size() - 1))));
      return lines;
    }
    // Of the nodes on either side of a value, their shares: hats of height 1.
    const Numbers knots = knots_of(part.first_axis);
    Elements sum;
    for (std::size_t node = 0; node < knots.size(); ++node) {
      Numbers hat(knots.size());
      hat[node] = 1;
      sum.push_back(pmml_call(
          "*", {curve(fields_.within(part.first), knots, hat.data(), 0), along(part.second_axis, row(node))}));
    }
    lines.push_back(scored(otherwise(), sum.size() == 1 ? std::move(sum.front()) : pmml_call("sum", std::move(sum))));
    return lines;
  }

  Xml output() const {
    std::set<std::string> taken = fields_.all();
    const auto named = [&](std::string name) {
      while (!taken.insert(name).second) name += '_';
      return name;
    };
    Xml all{.name = "Output"};
    const std::string score = named("score");
    const auto add = [&](const std::string& name, bool is_text, const char* feature, Elements children) -> Xml& {
      return all.children.emplace_back(Xml{.name = "OutputField",
                                           .attributes = {{"name", name},
                                                          {"optype", is_text ? "categorical" : "continuous"},
                                                          {"dataType", is_text ? "string" : "double"},
                                                          {"feature", feature}},
                                           .children = std::move(children)});
    };
    add(score, false, "predictedValue", {});
    add(named("class"), true, "transformedValue", {class_of(score)});
    for (std::size_t h = 0; h < made_.class_count(); ++h) {
      add(named("probability_" + made_.class_names[h]), false, "transformedValue", {probability(score, h)});
    }
    for (std::size_t r = 1; r <= export_reason_count; ++r) {
      add(named(fmt::format("reason_{}", r)), true, "reasonCode", {})
          .attributes.emplace_back("rank", fmt::format("{}", r));
    }
    return all;
  }

  Xml class_of(const std::string& score) const {
    const auto& starts = made_.steps.starts;
    const auto& classes = made_.steps.classes;
    const auto name = [&](std::size_t step) { return made_.class_names[static_cast<std::size_t>(classes[step])]; };
    if (starts.empty()) return pmml_text(name(0));
    Xml steps{.name = "Discretize", .attributes = {{"field", score}, {"dataType", "string"}}};
    for (std::size_t s = 0; s <= starts.size(); ++s) {
      Xml interval{.name = "Interval", .attributes = {{"closure", s == 0 ? "openOpen" : "closedOpen"}}};
      if (s > 0) interval.attributes.emplace_back("leftMargin", pmml_number(starts[s - 1]));
      if (s < starts.size()) interval.attributes.emplace_back("rightMargin", pmml_number(starts[s]));
      steps.children.push_back(
          {.name = "DiscretizeBin", .attributes = {{"binValue", name(s)}}, .children = {std::move(interval)}});
    }
    return steps;
  }

  Xml probability(const std::string& score, std::size_t h) const {
    // Of class h or a better one.
    const auto at_least = [&](std::size_t of) {
      if (of == 0) return pmml_constant(1);
      if (of == made_.class_count()) return pmml_constant(0);
      Xml product = pmml_call("*", {pmml_constant(made_.calibration.slope), pmml_field(score)});
      return pmml_call("logistic",
                       {pmml_call("-", {std::move(product), pmml_constant(made_.calibration.thresholds[of - 1])})});
    };
    Xml share = pmml_call("-", {at_least(h), at_least(h + 1)});
    return pmml_call(
        "+", {pmml_call("*", {pmml_constant(made_.logistic_share), std::move(share)}), pmml_constant(made_.floor[h])});
  }

  const ExportModel& made_;
  PmmlFields fields_;
};

}  // namespace

std::string pmml_model(const ExportModel& made) {
  refuse_products(made, "no scorecard of PMML");
  if (made.parts.empty()) {
    throw Error(ErrorCode::invalid_option,
                "the model gives all rows the same score: there is nothing that PMML could compute");
  }
  return Pmml(made).text();
}

}  // namespace xofm::detail
