// The parts of a model file that it may have or not: bands of the curves, and the path over penalties.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "io/json_view.hpp"
#include "xofm/model.hpp"

namespace xofm::detail {

nlohmann::ordered_json bands_to_json(const CurveBands& bands, const Schema& schema);
nlohmann::ordered_json path_to_json(const PenaltyPath& path);

// Refuse what does not fit the knots, levels and missing values of the encoder.
CurveBands read_bands(const JsonView& json, const Encoder& encoder);
PenaltyPath read_path(const JsonView& json, const Encoder& encoder);

}  // namespace xofm::detail
