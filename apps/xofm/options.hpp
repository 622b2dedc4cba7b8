// Options that several commands share, and the way all of them are declared: the default shown in the help is the
// one in the library's own struct, and only what the user gave is set.
#pragma once

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/options/fields.hpp"
#include "xofm/csv.hpp"
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

// Refuses a text that is not wholly a finite number of this type: CLI11 would take "" for 0 and a seed of -1 for
// 2^64-1.
template <class Number>
std::string number_problem(const std::string& text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const bool good = error == std::errc() && stop == end;
  if constexpr (std::is_floating_point_v<Number>) {
    return good && std::isfinite(number) ? "" : fmt::format("'{}' is not a finite number", text);
  }
  if (good) return "";
  if (error == std::errc::result_out_of_range) return fmt::format("'{}' is too large", text);
  return fmt::format("'{}' is not a whole number{}", text, std::is_unsigned_v<Number> ? ", 0 or more" : "");
}

// A number that goes straight to a variable, whose value is the default.
template <class Number>
CLI::Option* add_number(CLI::App& app, const std::string& flag, Number& variable, const std::string& text) {
  return app.add_option(flag, variable, text)->check(number_problem<Number>)->capture_default_str();
}

// A number that overrides a field.
template <class Number>
CLI::Option* add_value(CLI::App& app, const std::string& flag, Number default_value, const std::string& text,
                       std::function<void(Number)> set) {
  return app.add_option_function<Number>(flag, set, text)
      ->check(number_problem<Number>)
      ->default_str(fmt::format("{}", default_value))
      ->run_callback_for_default(false);
}

// "--segment-count" of segment_count, unless the table of options has another name for the command line.
template <class Field>
std::string flag_of(const Field& field) {
  std::string flag = fmt::format("--{}", field.flag.empty() ? field.name : field.flag);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

// A line of the table of options.
template <class Field>
void add_field(CLI::App& app, const Field& field, const typename Field::Value& default_value,
               std::function<void(typename Field::Value)> set) {
  if (!field.has_flag) return;
  const std::string help(field.help);
  CLI::Option* option = nullptr;
  if constexpr (std::is_enum_v<typename Field::Value>) {
    option = add_choice<typename Field::Value>(app, flag_of(field), default_value, help, std::move(set));
  } else {
    option = add_value<typename Field::Value>(app, flag_of(field), default_value, help, std::move(set));
  }
  option->group(std::string(field.group));
}

// A list separated by commas; the option may be repeated. It takes one word: the next may be the data file.
inline CLI::Option* as_list(CLI::Option* option, const std::string& type_name = "NAME,...") {
  return option->delimiter(',')->allow_extra_args(false)->type_name(type_name);
}
inline CLI::Option* add_list(CLI::App& app, const std::string& flag, std::vector<std::string>& values,
                             const std::string& text) {
  return as_list(app.add_option(flag, values, text));
}

// How a file is written: --separator, --encoding and --decimal of every command that reads rows.
struct Dialect {
  char separator = '\0';
  Encoding encoding = Encoding::automatic;
  char decimal = '\0';

  // Of reading by a schema or of training rows.
  template <class Options>
  Options in(Options options) const {
    options.separator = separator;
    options.encoding = encoding;
    options.decimal = decimal;
    return options;
  }
};
void add_dialect(CLI::App& app, Dialect& dialect, const std::string& group = "");

// NAME=REST, split at the last '=' so that names may hold one.
std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& flag);

// --rule and --aim of predict and evaluate: another way to read the same model.
struct RuleOverride {
  std::function<void(Model&)> apply = [](Model&) {};
};
void add_rule(CLI::App& app, RuleOverride& rule);
// --costs, --prefer, --abstain and --abstain-wider: the user's knowledge settles the class.
void add_decision(CLI::App& app, RuleOverride& rule);
// --decisions: those taken by hand.
void add_decisions(CLI::App& app, std::string& path);

}  // namespace xofm::app
