#include "core/options/fields.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

void need(bool condition, const std::string& message) {
  if (!condition) throw Error(ErrorCode::invalid_option, message);
}

template <class Field, class Value>
void check_value(const Field& field, const Value& value) {
  need(field.bounds.contain(value),
       fmt::format("{} is {}; it must be {}", field.name, value_text(value), text_of(field.bounds)));
}

template <class Options>
void check_fields(const Options& options) {
  for_each_field<Options>([&](const auto& field) { check_value(field, options.*field.member); });
}

// Bound like the field of this name.
template <class Value>
void check_named(std::string_view name, const Value& value) {
  for_each_train_field([&](const auto& field) {
    if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(field)>::Value, Value>) {
      if (field.name == name) check_value(field, value);
    }
  });
}

// No list may be empty, and its values are bound like the field's.
template <class Options>
void check_lists(const SearchSpace& space) {
  for_each_field<Options>([&](const auto& field) {
    if (field.list == nullptr) return;
    const auto& values = space.*field.list;
    need(!values.empty(), fmt::format("the search space has no value for {}; give at least one", field.name));
    for (const auto& value : values) check_value(field, value);
  });
}

}  // namespace

std::string text_of(const Bounds& bounds) {
  constexpr Bounds none;
  if (bounds.most < none.most) return fmt::format("{} to {}", bounds.least, bounds.most);
  if (bounds.least == none.least) return "";
  if (bounds.least == 0) return bounds.is_open ? "a positive number" : "0 or more";
  return fmt::format("{} {}", bounds.is_open ? "above" : "at least", bounds.least);
}

void check(const Recipe& recipe) { check_fields(recipe); }

void check(const TrainOptions& options) {
  need(!options.parts.empty(), "parts is empty; training needs at least one recipe");
  double sum = 0;
  for (const Recipe& part : options.parts) {
    check_fields(part);
    sum += part.weight;
  }
  need(sum > 0 && std::isfinite(sum),
       fmt::format("the weights of the parts add up to {}; the sum must be a positive number", sum));
  check_fields(options.terms);
  check_fields(options);
  check_fields(options.optimizer);
  check_fields(options.assignment);
}

void check(const SearchOptions& options) {
  check_fields(options);
  const SearchSpace& space = options.space;
  check_lists<Recipe>(space);
  if (options.paper) {
    need(!options.paper->segment_counts.empty() && !options.paper->margins.empty(),
         "the paper's choice needs at least one segment_count and one margin");
    for (const int count : options.paper->segment_counts) check_named("segment_count", count);
    for (const double margin : options.paper->margins) check_named("margin", margin);
  }
  need(std::adjacent_find(space.max_epochs.begin(), space.max_epochs.end(), std::greater_equal<>()) ==
           space.max_epochs.end(),
       "max_epochs of the search space must ascend");
}

}  // namespace xofm::detail
