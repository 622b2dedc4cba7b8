#include "c_api/export_options.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>

namespace xofm::c_api {

namespace {

template <class Enum>
Enum choice(const std::string& option, const std::string& name) {
  if (const auto found = from_name<Enum>(name)) return *found;
  std::string names;
  for (const auto& [value, known] : enum_names<Enum>) names += fmt::format("{}{}", names.empty() ? "" : ", ", known);
  throw Error(ErrorCode::invalid_option, fmt::format("{} is '{}'; it must be one of {}", option, name, names));
}

}  // namespace

ExportOptions export_options(const detail::JsonView& json, const nlohmann::json& document) {
  ExportOptions options;
  const std::map<std::string, std::function<void(const std::string&)>> members = {
      {"to", [&](const std::string& text) { options.target = choice<ExportTarget>("to", text); }},
      {"dialect", [&](const std::string& text) { options.dialect = choice<SqlDialect>("dialect", text); }},
      {"name", [&](const std::string& text) { options.name = text; }},
      {"table", [&](const std::string& text) { options.table = text; }},
      {"id", [&](const std::string& text) { options.id = text; }},
      {"reasons", [&](const std::string& text) {
         if (text != "low" && text != "high") {
           throw Error(ErrorCode::invalid_option, fmt::format("reasons is '{}'; it must be low or high", text));
         }
         options.highest_reasons = text == "high";
       }}};
  std::vector<std::string> known = {"points", "pdo"};
  for (const auto& [name, set] : members) known.push_back(name);
  check_option_names(json, known);
  if (!json.has("to")) throw Error(ErrorCode::invalid_option, "to is missing: it says what to export to");
  for (const auto& [name, value] : document.items()) {
    const auto member = members.find(name);
    if (member == members.end()) {
      (name == "points" ? options.points : options.pdo) = json[name.c_str()].number();
    } else {
      member->second(json[name.c_str()].text());
    }
  }
  return options;
}

}  // namespace xofm::c_api
