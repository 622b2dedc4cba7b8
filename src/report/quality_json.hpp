// How good the model is, as the page shows it.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>

#include "xofm/dataset.hpp"
#include "xofm/model.hpp"

namespace xofm::detail {

inline nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

// Best source first: cross-validation, rows kept out of training, the rows given if they are labelled. Of the latter
// also how often what was promised came true, and how good the model is on groups of them.
nlohmann::ordered_json quality_list(const Model& model, const Dataset* rows);

}  // namespace xofm::detail
