// The parts of a model file that tell how the model was found and what such models are worth on unseen rows.
#pragma once

#include <limits>
#include <nlohmann/json_fwd.hpp>

#include "io/json_view.hpp"
#include "xofm/model.hpp"

namespace xofm::detail {

// Of the recipes that were tried, the file keeps those of the model and this many others.
inline constexpr std::size_t most_other_recipes = 40;

nlohmann::ordered_json search_to_json(const SearchRecord& record,
                                      std::size_t most_others = std::numeric_limits<std::size_t>::max());
nlohmann::ordered_json record_to_json(const Record& record);  // as in the file
nlohmann::ordered_json validation_to_json(const ValidationSummary& validation);

// From the whole document: earlier files have the record's parts in other places.
Record read_record(const JsonView& document);
ValidationSummary read_validation(const JsonView& json, std::size_t class_count);

}  // namespace xofm::detail
