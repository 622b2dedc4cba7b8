// The parts of a model file that tell by which recipes it was trained, how they were chosen and what such models are
// worth on unseen rows.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "io/json_view.hpp"
#include "xofm/model.hpp"

namespace xofm::detail {

nlohmann::ordered_json tuning_to_json(const TuningRecord& tuning);
nlohmann::ordered_json recipe_to_json(const Recipe& recipe);
nlohmann::ordered_json validation_to_json(const ValidationSummary& validation);

Recipe read_recipe(const JsonView& json);
TuningRecord read_tuning(const JsonView& json);
ValidationSummary read_validation(const JsonView& json, std::size_t class_count);

}  // namespace xofm::detail
