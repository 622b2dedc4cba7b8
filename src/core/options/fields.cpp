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
  need(std::adjacent_find(space.max_epochs.begin(), space.max_epochs.end(), std::greater_equal<>()) ==
           space.max_epochs.end(),
       "max_epochs of the search space must ascend");
}

}  // namespace xofm::detail
