// The interaction of two attributes as text.
#pragma once

#include <string>

#include "xofm/model.hpp"

namespace xofm::app {

// The greatest size of the purified surface; 0 if the model lacks one of the attributes.
double surface_size(const Model& model, const std::string& first, const std::string& second);

// One line per knot or level of the first attribute (missing values last), one mark per knot or level of the second:
// "++", "+", ".", "-", "--" in fifths from scale down to -scale. Nothing if the model lacks one of the attributes.
std::string heat_map_text(const Model& model, const std::string& first, const std::string& second, double scale);

}  // namespace xofm::app
