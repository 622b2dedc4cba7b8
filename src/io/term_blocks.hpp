// The blocks of a model file that belong to curves and surfaces.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "io/json_view.hpp"
#include "xofm/model.hpp"

namespace xofm::detail {

// Values of one attribute's curve: at the knots or levels, of a missing value, of a level that training has not seen.
void add_curve_json(const Model& model, std::size_t attribute, nlohmann::ordered_json& json);
std::vector<double> read_curve(const JsonView& json, const AttributeEncoder& attribute);

nlohmann::ordered_json surfaces_to_json(const Model& model);
// Into model.terms; schema and encoder are there already.
void read_surfaces(const JsonView& json, Model& model);

// Of all members but the checksum itself, whatever their order and the blanks between them.
std::string checksum(const nlohmann::json& document);

}  // namespace xofm::detail
