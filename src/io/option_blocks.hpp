// The options of training in a model file, made from the table of option fields.
#pragma once

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

#include "core/options/fields.hpp"
#include "io/json_view.hpp"

namespace xofm::detail {

// The fields of one struct of options by name.
template <class Options>
nlohmann::ordered_json fields_to_json(const Options& options) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for_each_field<Options>([&](const auto& field) {
    const auto& value = options.*field.member;
    if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>) {
      json[std::string(field.name)] = name_of(value);
    } else {
      json[std::string(field.name)] = value;
    }
  });
  return json;
}

template <class Value>
Value read_value(const JsonView& json, const Bounds& bounds) {
  if constexpr (std::is_enum_v<Value>) {
    return json.choice<Value>();
  } else if constexpr (std::is_integral_v<Value>) {
    using Limits = std::numeric_limits<Value>;
    const auto low =
        bounds.least > static_cast<double>(Limits::min()) ? static_cast<Value>(bounds.least) : Limits::min();
    const auto high =
        bounds.most < static_cast<double>(Limits::max()) ? static_cast<Value>(bounds.most) : Limits::max();
    return json.integer(low, high);
  } else {
    const Value value = json.number();
    if (!bounds.contain(value)) json.fail(fmt::format("must be {}", text_of(bounds)));
    return value;
  }
}

// What the file does not have keeps its default: files of an earlier program lack the newer options.
template <class Options>
void read_fields(const JsonView& json, Options& options) {
  for_each_field<Options>([&](const auto& field) {
    const std::string name(field.name);
    if (!json.has(name.c_str())) return;
    using Value = std::remove_cvref_t<decltype(options.*field.member)>;
    options.*field.member = read_value<Value>(json[name.c_str()], field.bounds);
  });
}

// Without those of the assignment, which have a block of their own.
nlohmann::ordered_json options_to_json(const TrainOptions& options);
TrainOptions read_options(const JsonView& json);

Recipe read_recipe(const JsonView& json);

}  // namespace xofm::detail
