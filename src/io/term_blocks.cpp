#include "io/term_blocks.hpp"

#include <algorithm>
#include <iterator>

#include "core/base/random.hpp"

namespace xofm::detail {

namespace {

using Json = nlohmann::ordered_json;

Json knot_values(const AttributeEncoder& attribute, const std::vector<std::size_t>& knots) {
  Json json = Json::array();
  for (const std::size_t knot : knots) json.push_back(attribute.knots[knot]);
  return json;
}

Json table(const std::vector<double>& values, std::size_t columns) {
  Json json = Json::array();
  for (std::size_t begin = 0; begin < values.size(); begin += columns) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(begin);
    json.push_back(std::vector<double>(at, at + static_cast<std::ptrdiff_t>(columns)));
  }
  return json;
}

std::vector<double> read_table(const JsonView& json, std::size_t rows, std::size_t columns) {
  json.need(json.size() == rows,
            "must have one row per knot, level, special, missing and other value of the first attribute");
  std::vector<double> values;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::vector<double> own = json[row].numbers(columns);
    values.insert(values.end(), own.begin(), own.end());
  }
  return values;
}

std::size_t read_name(const JsonView& json, const Schema& schema) {
  const std::string name = json.text();
  const auto& attributes = schema.attributes;
  const auto at = std::find_if(attributes.begin(), attributes.end(), [&](const auto& a) { return a.name == name; });
  json.need(at != attributes.end(), "is not the name of an attribute");
  return static_cast<std::size_t>(at - attributes.begin());
}

std::vector<std::size_t> read_knots(const JsonView& json, const AttributeEncoder& attribute) {
  std::vector<std::size_t> knots;
  for (const double value : json.numbers()) {
    const auto at = std::lower_bound(attribute.knots.begin(), attribute.knots.end(), value);
    json.need(at != attribute.knots.end() && *at == value, "must be knots of the attribute's curve");
    knots.push_back(static_cast<std::size_t>(at - attribute.knots.begin()));
  }
  const bool is_ascending = std::adjacent_find(knots.begin(), knots.end(), std::greater_equal<>()) == knots.end();
  const bool has_ends = attribute.kind == AttributeKind::categorical
                            ? knots.empty()
                            : !knots.empty() && knots.front() == 0 && knots.back() + 1 == attribute.knots.size();
  json.need(is_ascending && has_ends, "must be ascending, from the first knot of the curve to its last");
  return knots;
}

}  // namespace

void add_curve_json(const Model& model, std::size_t attribute, Json& json) {
  const AttributeEncoder& encoder = model.encoder.attributes[attribute];
  std::vector<double> values = model.terms->curves[attribute];
  std::optional<double> other;
  if (encoder.kind == AttributeKind::categorical) {
    other = values.back();
    values.pop_back();
  }
  std::optional<double> missing;
  if (encoder.has_missing) {
    missing = values.back();
    values.pop_back();
  }
  if (!encoder.special.empty()) {
    const auto first = values.end() - std::ssize(encoder.special);
    json["special_values"] = std::vector<double>(first, values.end());
    values.erase(first, values.end());
  }
  json["values"] = values;
  if (missing) json["missing_value"] = *missing;
  if (other) json["other_value"] = *other;
}

std::vector<double> read_curve(const JsonView& json, const AttributeEncoder& attribute) {
  const bool has_other = attribute.kind == AttributeKind::categorical;
  const std::size_t extra = attribute.special.size() + (attribute.has_missing ? 1 : 0) + (has_other ? 1 : 0);
  std::vector<double> values = json["values"].numbers(stop_count(attribute) - extra);
  if (!attribute.special.empty()) {
    const std::vector<double> special = json["special_values"].numbers(attribute.special.size());
    values.insert(values.end(), special.begin(), special.end());
  }
  if (attribute.has_missing) values.push_back(json["missing_value"].number());
  if (has_other) values.push_back(json["other_value"].number());
  return values;
}

Json surfaces_to_json(const Model& model) {
  Json list = Json::array();
  for (const Surface& surface : model.terms->surfaces) {
    const AttributeEncoder& first = model.encoder.attributes[surface.first];
    const AttributeEncoder& second = model.encoder.attributes[surface.second];
    const std::size_t columns = node_count(second, surface.second_knots);
    list.push_back({{"first", model.schema.attributes[surface.first].name},
                    {"second", model.schema.attributes[surface.second].name},
                    {"first_knots", knot_values(first, surface.first_knots)},
                    {"second_knots", knot_values(second, surface.second_knots)},
                    {"values", table(surface.values, columns)},
                    {"row_weights", table(surface.row_weights, columns)}});
  }
  return list;
}

void read_surfaces(const JsonView& json, Model& model) {
  for (std::size_t s = 0; s < json.size(); ++s) {
    const JsonView entry = json[s];
    Surface surface;
    surface.first = read_name(entry["first"], model.schema);
    surface.second = read_name(entry["second"], model.schema);
    entry.need(surface.first < surface.second, "must name two attributes in their order");
    for (const Surface& other : model.terms->surfaces) {
      entry.need(other.first != surface.first || other.second != surface.second, "is a pair that came before");
    }
    const AttributeEncoder& first = model.encoder.attributes[surface.first];
    const AttributeEncoder& second = model.encoder.attributes[surface.second];
    surface.first_knots = read_knots(entry["first_knots"], first);
    surface.second_knots = read_knots(entry["second_knots"], second);
    const std::size_t rows = node_count(first, surface.first_knots);
    const std::size_t columns = node_count(second, surface.second_knots);
    surface.values = read_table(entry["values"], rows, columns);
    surface.row_weights = read_table(entry["row_weights"], rows, columns);
    entry["row_weights"].need(
        std::all_of(surface.row_weights.begin(), surface.row_weights.end(), [](double w) { return w >= 0; }),
        "must not be negative");
    model.terms->surfaces.push_back(std::move(surface));
  }
}

std::string checksum(const nlohmann::json& document) {
  std::string text = "{";  // as dump() writes it, without a second document in memory
  for (auto item = document.begin(); item != document.end(); ++item) {
    if (item.key() == "checksum") continue;
    if (text.size() > 1) text += ',';
    text.append(nlohmann::json(item.key()).dump()).append(":").append(item->dump());
  }
  text += '}';
  std::uint64_t hash = mix(text.size());
  for (std::size_t begin = 0; begin < text.size(); begin += 8) {
    std::uint64_t word = 0;
    for (std::size_t i = begin; i < std::min(begin + 8, text.size()); ++i) {
      word = (word << 8) | static_cast<unsigned char>(text[i]);
    }
    hash = mix(hash ^ word);
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace xofm::detail
