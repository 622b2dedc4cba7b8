// What a model says of itself, as JSON for other languages.
#pragma once

#include <string>
#include <vector>

#include "xofm/dataset.hpp"
#include "xofm/explain.hpp"
#include "xofm/model.hpp"

namespace xofm::c_api {

std::string describe_json(const Model& model);

// Importance over `rows`, or null: over the training rows.
std::string global_json(const Model& model, const Dataset* rows);

// One entry per row.
std::string recourse_json(const Model& model, const Dataset& rows, ClassInterval target,
                          const CounterfactualOptions& options, bool is_rounded);

std::string metrics_json(const Metrics& metrics);

}  // namespace xofm::c_api
