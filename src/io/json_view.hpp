// A JSON value with the path that leads to it, so that every complaint names its place.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "xofm/error.hpp"
#include "xofm/names.hpp"

namespace xofm::detail {

// Of rows: sums of such weights are finite.
inline constexpr double greatest_weight = 1e100;
// Counts of rows and trials: whole numbers that every program reads alike.
inline constexpr std::size_t greatest_count = std::size_t{1} << 53;

class JsonView {
 public:
  using Json = nlohmann::json;  // not the ordered one, whose search by name makes large objects quadratic

  JsonView(const Json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::invalid_model, fmt::format("{}: {}", path_, what));
  }
  void need(bool condition, const char* what) const {
    if (!condition) fail(what);
  }

  bool is_null() const { return value_->is_null(); }
  bool is_text() const { return value_->is_string(); }
  bool has(const char* key) const { return value_->is_object() && value_->contains(key); }
  JsonView operator[](const char* key) const {
    need(value_->is_object(), "must be an object");
    const auto found = value_->find(key);
    if (found == value_->end()) fail(fmt::format("'{}' is missing", key));
    return {*found, fmt::format("{}.{}", path_, key)};
  }
  JsonView operator[](std::size_t index) const { return {(*value_)[index], fmt::format("{}[{}]", path_, index)}; }
  std::size_t size() const {
    need(value_->is_array(), "must be a list");
    return value_->size();
  }
  // The members of an object, name by name.
  std::vector<std::pair<std::string, JsonView>> members() const {
    need(value_->is_object(), "must be an object");
    std::vector<std::pair<std::string, JsonView>> members;
    for (auto item = value_->begin(); item != value_->end(); ++item) {
      members.emplace_back(item.key(), JsonView(*item, fmt::format("{}.{}", path_, item.key())));
    }
    return members;
  }

  std::string text() const {
    need(value_->is_string(), "must be a text");
    return value_->get<std::string>();
  }
  bool boolean() const {
    need(value_->is_boolean(), "must be true or false");
    return value_->get<bool>();
  }
  double number() const {
    need(value_->is_number(), "must be a number");
    const auto number = value_->get<double>();
    need(std::isfinite(number), "must be finite");
    return number;
  }
  // A number in low .. high.
  double number(double low, double high) const {
    const double value = number();
    if (!(value >= low && value <= high)) fail(fmt::format("must be in {:g} to {:g}; it is {:g}", low, high, value));
    return value;
  }
  double number_or_nan() const { return value_->is_null() ? std::nan("") : number(); }
  // A whole number in low .. high.
  template <class Integer>
  Integer integer(Integer low, Integer high) const {
    if (value_->is_number_unsigned()) {
      const auto number = value_->get<std::uint64_t>();
      if (std::cmp_less_equal(low, number) && std::cmp_less_equal(number, high)) return static_cast<Integer>(number);
    } else if (value_->is_number_integer()) {
      const auto number = value_->get<std::int64_t>();
      if (std::cmp_less_equal(low, number) && std::cmp_less_equal(number, high)) return static_cast<Integer>(number);
    }
    fail(fmt::format("must be a whole number from {} to {}", low, high));
  }
  template <class Enum>
  Enum choice() const {
    const auto value = from_name<Enum>(text());
    if (!value) fail(fmt::format("'{}' is not known", text()));
    return *value;
  }

  template <class Read>
  auto list(Read read) const {
    std::vector<decltype(read(*this))> values;
    const std::size_t count = size();
    values.reserve(count);
    for (std::size_t i = 0; i < count; ++i) values.push_back(read((*this)[i]));
    return values;
  }
  std::vector<double> numbers() const {
    return list([](const JsonView& item) { return item.number(); });
  }
  std::vector<double> numbers(std::size_t count, double low, double high) const {
    std::vector<double> values = numbers(count);
    for (std::size_t i = 0; i < count; ++i) {
      if (!(values[i] >= low && values[i] <= high)) static_cast<void>((*this)[i].number(low, high));  // says where
    }
    return values;
  }
  std::vector<double> numbers(std::size_t count) const {
    std::vector<double> values = numbers();
    if (values.size() != count) fail(fmt::format("must have {} numbers; it has {}", count, values.size()));
    return values;
  }
  std::vector<std::string> texts() const {
    return list([](const JsonView& item) { return item.text(); });
  }

 private:
  const Json* value_;
  std::string path_;
};

}  // namespace xofm::detail
