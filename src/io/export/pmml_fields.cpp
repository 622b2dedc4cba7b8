#include "io/export/pmml_fields.hpp"

#include <fmt/format.h>

namespace xofm::detail {

namespace {

// PMML has them with two arguments at least.
Xml all_of(const std::string& function, PmmlElements conditions) {
  return conditions.size() == 1 ? std::move(conditions.front()) : pmml_call(function, std::move(conditions));
}

}  // namespace

std::string pmml_number(double value) { return fmt::format("{}", value); }

Xml pmml_constant(double value) {
  return {.name = "Constant", .attributes = {{"dataType", "double"}}, .text = pmml_number(value)};
}
Xml pmml_text(const std::string& text) {
  return {.name = "Constant", .attributes = {{"dataType", "string"}}, .text = text};
}
Xml pmml_field(const std::string& name) { return {.name = "FieldRef", .attributes = {{"field", name}}}; }
Xml pmml_call(const std::string& function, PmmlElements arguments) {
  return {.name = "Apply", .attributes = {{"function", function}}, .children = std::move(arguments)};
}

PmmlFields::PmmlFields(const ExportModel& made) : made_(made) {
  for (const ExportAttribute& attribute : made.attributes) {
    all_.insert(attribute.columns.begin(), attribute.columns.end());
  }
  for (const ExportAttribute& attribute : made.attributes) {
    names_.push_back(attribute.from_indicators ? unused("level of " + attribute.name) : attribute.columns.front());
    within_.push_back(attribute.knots.size() > 1 ? unused(attribute.name + " within training") : names_.back());
  }
}

std::string PmmlFields::unused(std::string name) {
  while (!all_.insert(name).second) name += '_';
  return name;
}

PmmlElements PmmlFields::derived() const {
  PmmlElements fields;
  for (std::size_t j = 0; j < names_.size(); ++j) {
    if (made_.attributes[j].from_indicators) fields.push_back(indicator_level(j));
    if (within_[j] != names_[j]) fields.push_back(within_training(j));
  }
  return fields;
}

Xml PmmlFields::dictionary() const {
  Xml all{.name = "DataDictionary"};
  for (const ExportAttribute& attribute : made_.attributes) {
    for (const std::string& column : attribute.columns) {
      const bool is_number = attribute.reads_numbers();
      Xml& one = all.children.emplace_back(Xml{.name = "DataField", .attributes = {{"name", column}}});
      one.attributes.emplace_back("optype", is_number ? "continuous" : "categorical");
      one.attributes.emplace_back("dataType", is_number ? "double" : "string");
      const auto add_gap = [&](const std::string& value) {
        one.children.push_back({.name = "Value", .attributes = {{"value", value}, {"property", "missing"}}});
      };
      if (is_number) {
        for (const double gap : attribute.missing_numbers) add_gap(pmml_number(gap));
      } else {
        for (const std::string& gap : attribute.missing_texts) add_gap(gap);
      }
    }
  }
  return all;
}

Xml PmmlFields::mining_schema() const {
  Xml schema{.name = "MiningSchema"};
  for (const ExportAttribute& attribute : made_.attributes) {
    for (const std::string& column : attribute.columns) {
      schema.children.push_back(
          {.name = "MiningField", .attributes = {{"name", column}, {"invalidValueTreatment", "asIs"}}});
    }
  }
  return schema;
}

// The nearest number that training had. NormContinuous says the same by asExtremeValues, but jpmml-evaluator 1.6 then
// limits the number where it means the curve's value.
Xml PmmlFields::within_training(std::size_t j) const {
  const std::vector<double>& knots = made_.attributes[j].knots;
  Xml least = pmml_call("min", {pmml_field(names_[j]), pmml_constant(knots.back())});
  Xml within = pmml_call("max", {std::move(least), pmml_constant(knots.front())});
  return {.name = "DerivedField",
          .attributes = {{"name", within_[j]}, {"optype", "continuous"}, {"dataType", "double"}},
          .children = {pmml_call("if", {pmml_call("isNotMissing", {pmml_field(names_[j])}), std::move(within)})}};
}

// Columns of 0 and 1 as the number of their level: "none" unless exactly one is 1 and all others are 0; missing if
// all are.
Xml PmmlFields::indicator_level(std::size_t j) const {
  const ExportAttribute& attribute = made_.attributes[j];
  PmmlElements known;
  PmmlElements clear;
  PmmlElements cells;
  Xml which = pmml_text("none");
  for (std::size_t k = attribute.columns.size(); k-- > 0;) {
    const std::string& column = attribute.columns[k];
    Xml cell = pmml_call("if", {pmml_call("isMissing", {pmml_field(column)}), pmml_constant(0.5), pmml_field(column)});
    known.push_back(pmml_call("isNotMissing", {pmml_field(column)}));
    clear.push_back(
        pmml_call("or", {pmml_call("equal", {cell, pmml_constant(0)}), pmml_call("equal", {cell, pmml_constant(1)})}));
    cells.push_back(cell);
    which = pmml_call(
        "if", {pmml_call("equal", {cell, pmml_constant(1)}), pmml_text(fmt::format("{}", k)), std::move(which)});
  }
  clear.push_back(pmml_call("equal", {pmml_call("sum", std::move(cells)), pmml_constant(1)}));
  which = pmml_call("if", {all_of("and", std::move(clear)), std::move(which), pmml_text("none")});
  return {.name = "DerivedField",
          .attributes = {{"name", names_[j]}, {"optype", "categorical"}, {"dataType", "string"}},
          .children = {pmml_call("if", {all_of("or", std::move(known)), std::move(which)})}};
}

}  // namespace xofm::detail
