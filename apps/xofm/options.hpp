// Options that several commands share, and the way all of them are declared: the default shown in the help is the
// one in the library's own struct, and only what the user gave is set.
#pragma once

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "xofm/error.hpp"
#include "xofm/model.hpp"
#include "xofm/names.hpp"

namespace xofm::app {

// "a|b|c" of an enumeration, for the help.
template <class Enum>
std::string names_of() {
  std::string names;
  for (const auto& [value, name] : enum_names<Enum>) names += fmt::format("{}{}", names.empty() ? "" : "|", name);
  return names;
}

// A choice by name; what is not known is refused with the list of what is.
template <class Enum>
CLI::Option* add_choice(CLI::App& app, const std::string& flag, Enum default_value, const std::string& text,
                        std::function<void(Enum)> set) {
  return app
      .add_option_function<std::string>(
          flag,
          [flag, set](const std::string& name) {
            const auto value = from_name<Enum>(name);
            if (!value) {
              throw CLI::ValidationError(fmt::format("{} is '{}'; it must be one of {}", flag, name, names_of<Enum>()));
            }
            set(*value);
          },
          text)
      ->type_name(names_of<Enum>())
      ->default_str(name_of(default_value))
      ->run_callback_for_default(false);
}

// A number (or text) that overrides a field.
template <class Value>
CLI::Option* add_value(CLI::App& app, const std::string& flag, const Value& default_value, const std::string& text,
                       std::function<void(Value)> set) {
  return app.add_option_function<Value>(flag, [set](const Value& value) { set(value); }, text)
      ->default_str(fmt::format("{}", default_value))
      ->run_callback_for_default(false);
}

// A list separated by commas; the option may be repeated.
inline CLI::Option* add_list(CLI::App& app, const std::string& flag, std::vector<std::string>& values,
                             const std::string& text) {
  return app.add_option(flag, values, text)->delimiter(',')->type_name("NAME,...");
}

// ',', ';', 'tab' or an actual tab.
CLI::Option* add_separator(CLI::App& app, char& separator);

// --rule and --aim of predict and evaluate: another way to read the same model.
struct RuleOverride {
  std::function<void(Model&)> apply = [](Model&) {};
};
void add_rule(CLI::App& app, RuleOverride& rule);

}  // namespace xofm::app
