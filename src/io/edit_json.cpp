#include "io/edit_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "io/model_text.hpp"
#include "xofm/edit_file.hpp"
#include "xofm/error.hpp"
#include "xofm/names.hpp"

namespace xofm {

namespace detail {

namespace {

using Json = nlohmann::ordered_json;

// A number is a knot or a special value, a text a level, null missing, {"other": true} a level that training has not
// seen.
Json place_to_json(const EditPlace& place) {
  switch (place.kind) {
    case EditPlace::Kind::number:
      return place.number;
    case EditPlace::Kind::level:
      return place.level;
    case EditPlace::Kind::missing:
      return nullptr;
    case EditPlace::Kind::other:
      break;
  }
  return {{"other", true}};
}

EditPlace place_from_json(const JsonView& json) {
  if (json.is_null()) return {EditPlace::Kind::missing};
  if (json.is_text()) return {EditPlace::Kind::level, 0, json.text()};
  if (json.has("other")) {
    json["other"].need(json["other"].boolean(), "must be true");
    return {EditPlace::Kind::other};
  }
  return {EditPlace::Kind::number, json.number()};
}

std::string place_text(const EditPlace& place) {
  switch (place.kind) {
    case EditPlace::Kind::number:
      return fmt::format("{}", place.number);
    case EditPlace::Kind::level:
      return fmt::format("'{}'", place.level);
    case EditPlace::Kind::missing:
      return "missing";
    case EditPlace::Kind::other:
      break;
  }
  return "other levels";
}

// A member that nobody reads is a mistake in writing.
void allow_members(const JsonView& json, std::initializer_list<std::string_view> names) {
  for (const auto& [name, view] : json.members()) {
    if (name == "edit" || std::find(names.begin(), names.end(), name) != names.end()) continue;
    view.fail(fmt::format("is not a member of this edit, which has {}", fmt::join(names, ", ")));
  }
}

struct ToJson {
  Json operator()(const SetValue& e) const {
    return {{"edit", "set"}, {"attribute", e.attribute}, {"at", place_to_json(e.at)}, {"value", e.value}};
  }
  Json operator()(const DrawCurve& e) const {
    Json points = Json::array();
    for (const auto& [x, y] : e.points) points.push_back({x, y});
    return {{"edit", "draw"}, {"attribute", e.attribute}, {"points", points}};
  }
  Json operator()(const FlattenCurve& e) const {
    return {{"edit", "flatten"}, {"attribute", e.attribute}, {"from", e.from}, {"to", e.to}};
  }
  Json operator()(const MakeMonotone& e) const {
    return {{"edit", "monotone"}, {"attribute", e.attribute}, {"direction", name_of(e.direction)}};
  }
  Json operator()(const SmoothCurve& e) const {
    return {{"edit", "smooth"}, {"attribute", e.attribute}, {"strength", e.strength}};
  }
  Json operator()(const MergeLevels& e) const {
    return {{"edit", "merge"}, {"attribute", e.attribute}, {"levels", e.levels}};
  }
  Json operator()(const AddPair& e) const {
    return {{"edit", "add_pair"}, {"first", e.first}, {"second", e.second}, {"grid", e.grid}};
  }
  Json operator()(const SetCell& e) const {
    Json at = Json::array();
    at.push_back(place_to_json(e.at_first));
    at.push_back(place_to_json(e.at_second));
    return {{"edit", "cell"}, {"first", e.first}, {"second", e.second}, {"at", at}, {"value", e.value}};
  }
  Json operator()(const RemovePair& e) const {
    return {{"edit", "remove_pair"}, {"first", e.first}, {"second", e.second}};
  }
};

struct ToText {
  std::string operator()(const SetValue& e) const {
    return fmt::format("set {} at {} to {}", e.attribute, place_text(e.at), e.value);
  }
  std::string operator()(const DrawCurve& e) const {
    return fmt::format("draw {} from {} to {} through {} points", e.attribute, e.points.front().first,
                       e.points.back().first, e.points.size());
  }
  std::string operator()(const FlattenCurve& e) const {
    return fmt::format("flatten {} from {} to {}", e.attribute, e.from, e.to);
  }
  std::string operator()(const MakeMonotone& e) const {
    return fmt::format("make {} {}", e.attribute, name_of(e.direction));
  }
  std::string operator()(const SmoothCurve& e) const { return fmt::format("smooth {} by {}", e.attribute, e.strength); }
  std::string operator()(const MergeLevels& e) const {
    return fmt::format("merge levels {} of {}", fmt::join(e.levels, ", "), e.attribute);
  }
  std::string operator()(const AddPair& e) const { return fmt::format("add the pair {} x {}", e.first, e.second); }
  std::string operator()(const SetCell& e) const {
    return fmt::format("set {} x {} at {}, {} to {}", e.first, e.second, place_text(e.at_first),
                       place_text(e.at_second), e.value);
  }
  std::string operator()(const RemovePair& e) const {
    return fmt::format("remove the pair {} x {}", e.first, e.second);
  }
};

Edit draw_from_json(const JsonView& json) {
  allow_members(json, {"attribute", "points"});
  DrawCurve draw{json["attribute"].text(), {}};
  const JsonView points = json["points"];
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].need(points[i].size() == 2, "must be [value of the attribute, value of the curve]");
    draw.points.emplace_back(points[i][std::size_t{0}].number(), points[i][std::size_t{1}].number());
  }
  json["points"].need(draw.points.size() >= 2, "must be at least two");
  return draw;
}

Edit cell_from_json(const JsonView& json) {
  allow_members(json, {"first", "second", "at", "value"});
  const JsonView at = json["at"];
  at.need(at.size() == 2, "must be [place of the first, place of the second]");
  return SetCell{json["first"].text(), json["second"].text(), place_from_json(at[std::size_t{0}]),
                 place_from_json(at[std::size_t{1}]), json["value"].number()};
}

}  // namespace

Json edit_to_json(const Edit& edit) { return std::visit(ToJson{}, edit); }

std::string edit_text(const Edit& edit) { return std::visit(ToText{}, edit); }

Edit edit_from_json(const JsonView& json) {
  const std::string kind = json["edit"].text();
  if (kind == "set") {
    allow_members(json, {"attribute", "at", "value"});
    return SetValue{json["attribute"].text(), place_from_json(json["at"]), json["value"].number()};
  }
  if (kind == "draw") return draw_from_json(json);
  if (kind == "flatten") {
    allow_members(json, {"attribute", "from", "to"});
    return FlattenCurve{json["attribute"].text(), json["from"].number(), json["to"].number()};
  }
  if (kind == "monotone") {
    allow_members(json, {"attribute", "direction"});
    return MakeMonotone{json["attribute"].text(), json["direction"].choice<Direction>()};
  }
  if (kind == "smooth") {
    allow_members(json, {"attribute", "strength"});
    return SmoothCurve{json["attribute"].text(), json.has("strength") ? json["strength"].number() : 0.5};
  }
  if (kind == "merge") {
    allow_members(json, {"attribute", "levels"});
    return MergeLevels{json["attribute"].text(), json["levels"].texts()};
  }
  if (kind == "add_pair") {
    allow_members(json, {"first", "second", "grid"});
    const int grid = json.has("grid") ? json["grid"].integer(2, 100) : 5;
    return AddPair{json["first"].text(), json["second"].text(), grid};
  }
  if (kind == "cell") return cell_from_json(json);
  if (kind == "remove_pair") {
    allow_members(json, {"first", "second"});
    return RemovePair{json["first"].text(), json["second"].text()};
  }
  json["edit"].fail(
      fmt::format("'{}' is no edit; there are set, draw, flatten, monotone, smooth, merge, add_pair, cell and "
                  "remove_pair",
                  kind));
}

}  // namespace detail

EditFile edits_from_json(std::string_view text, const std::string& source) {
  const char* const problem = detail::text_problem(text);
  const auto document =
      problem == nullptr ? detail::JsonView::Json::parse(text, nullptr, false) : detail::JsonView::Json();
  if (!document.is_object()) {
    throw Error(ErrorCode::invalid_data,
                fmt::format(R"({}: edits are a JSON object: {{"who": ..., "why": ..., "edits": [...]}})", source));
  }
  try {
    const detail::JsonView json(document, source);
    for (const auto& [name, view] : json.members()) {
      if (name != "who" && name != "why" && name != "edits") view.fail("is none of who, why and edits");
    }
    return {json.has("who") ? json["who"].text() : "", json.has("why") ? json["why"].text() : "",
            json["edits"].list([](const detail::JsonView& edit) { return detail::edit_from_json(edit); })};
  } catch (const Error& error) {
    throw Error(ErrorCode::invalid_data, error.what());
  }
}

}  // namespace xofm
