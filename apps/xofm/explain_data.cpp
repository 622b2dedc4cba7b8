// Explanations for other programs: JSON with everything, CSV with what fits a table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "explain_views.hpp"
#include "io/csv_write.hpp"
#include "terminal.hpp"
#include "wording.hpp"
#include "xofm/names.hpp"

namespace xofm::app {

namespace {

using Json = nlohmann::ordered_json;

// A number, the text of a level, null if missing or unknown.
Json value_json(const Attribute& attribute, double value) {
  if (std::isnan(value)) return {};
  if (attribute.kind == AttributeKind::numeric) return value;
  if (!(value >= 0 && value < static_cast<double>(attribute.levels.size()))) return {};
  return attribute.levels[static_cast<std::size_t>(value)];
}

std::string dump(const Json& json) { return json_text(json.dump(2)) + '\n'; }

Json curve_json(const Model& model, const AttributeCurves& curves, const AttributeImportance& importance) {
  const std::size_t j = importance.attribute;
  const Attribute& attribute = model.schema.attributes[j];
  const AttributeEncoder& encoder = model.encoder.attributes[j];
  const AttributeCurve& purified = curves.purified[j];
  Json json = {{"name", attribute.name}, {"kind", name_of(attribute.kind)}};
  if (!attribute.description.empty()) json["description"] = attribute.description;
  if (!attribute.unit.empty()) json["unit"] = attribute.unit;
  if (!model.terms) json["raw_range"] = importance.raw_range;
  json["range"] = importance.range;
  json["mean_absolute"] = importance.mean_absolute;
  if (attribute.kind == AttributeKind::numeric) {
    json["direction"] = name_of(encoder.direction);
    if (encoder.direction != Direction::none) json["certified"] = model.certificate.attributes[j].holds;
    json["knots"] = encoder.knots;
  } else {
    json["levels"] = attribute.levels;
  }
  if (!model.terms) {
    json["raw"] = curves.raw[j].values;
    json["self"] = curves.self[j].values;
  }
  json["purified"] = purified.values;
  if (model.bands) {
    json["lower"] = model.bands->attributes[j].lower;
    json["upper"] = model.bands->attributes[j].upper;
  }
  if (purified.missing) {
    json["missing"] = Json::object();
    if (!model.terms) {
      json["missing"]["raw"] = *curves.raw[j].missing;
      json["missing"]["self"] = *curves.self[j].missing;
    }
    json["missing"]["purified"] = *purified.missing;
    if (model.bands) {
      json["missing"]["lower"] = *model.bands->attributes[j].missing_lower;
      json["missing"]["upper"] = *model.bands->attributes[j].missing_upper;
    }
  }
  const std::vector<double>& special = model.encoder.attributes[j].special;
  for (std::size_t k = 0; k < special.size(); ++k) {
    Json entry = {{"value", special[k]}};
    if (!model.terms) {
      entry["raw"] = curves.raw[j].special[k];
      entry["self"] = curves.self[j].special[k];
    }
    entry["purified"] = purified.special[k];
    if (model.bands) {
      entry["lower"] = model.bands->attributes[j].special_lower[k];
      entry["upper"] = model.bands->attributes[j].special_upper[k];
    }
    json["special"].push_back(std::move(entry));
  }
  return json;
}

Json object_json(const Schema& schema, const ReferenceObject& object) {
  Json json = {{"row", object.row},
               {"class", schema.class_names[static_cast<std::size_t>(object.label)]},
               {"score", object.score},
               {"weight", object.weight}};
  if (!object.id.empty()) json["id"] = object.id;
  return json;
}

Json change_json(const Schema& schema, const std::optional<Counterfactual>& change) {
  if (!change) return {};
  Json changes = Json::array();
  for (const ValueChange& value : change->changes) {
    const Attribute& attribute = schema.attributes[value.attribute];
    changes.push_back({{"attribute", attribute.name},
                       {"from", value_json(attribute, value.from)},
                       {"to", value_json(attribute, value.to)}});
  }
  return {{"changes", changes},
          {"cost", change->cost},
          {"score", change->score},
          {"class", schema.class_names[static_cast<std::size_t>(change->label)]}};
}

Json next_json(const Schema& schema, const std::optional<int>& target, const Counterfactuals& found) {
  if (!target) return {};
  return {{"class", schema.class_names[static_cast<std::size_t>(*target)]},
          {"one", change_json(schema, found.one)},
          {"two", change_json(schema, found.two)}};
}

Json row_json(const Model& model, const LocalView& view) {
  const Schema& schema = model.schema;
  const LocalExplanation& local = view.local;
  const auto class_name = [&](int h) { return schema.class_names[static_cast<std::size_t>(h)]; };
  Json json = {{"row", view.row},
               {"class", local.label == no_class ? Json() : Json(class_name(local.label))},
               {"lowest", class_name(local.interval.lowest)},
               {"highest", class_name(local.interval.highest)},
               {"score", local.score},
               {"base", local.base},
               {"attributes", Json::array()},
               {"pairs", Json::array()},
               {"support", local.support},
               {"probabilities", local.probabilities},
               {"share_below", local.share_below},
               {"sets_best", local.sets_best ? object_json(schema, *local.sets_best) : Json()},
               {"sets_worst", local.sets_worst ? object_json(schema, *local.sets_worst) : Json()},
               {"nearest", Json::array()},
               {"better", next_json(schema, view.next.better, view.next.to_better)},
               {"worse", next_json(schema, view.next.worse, view.next.to_worse)},
               {"notes", Json::array()}};
  for (std::size_t j = 0; j < schema.attributes.size(); ++j) {
    json["attributes"].push_back({{"name", schema.attributes[j].name},
                                  {"value", value_json(schema.attributes[j], view.values[j])},
                                  {"contribution", local.attributes[j]}});
  }
  for (const PairContribution& pair : local.pairs) {
    json["pairs"].push_back({{"first", schema.attributes[pair.first].name},
                             {"second", schema.attributes[pair.second].name},
                             {"contribution", pair.value}});
  }
  if (local.other_pair_count > 0) {
    json["other_pairs"] = {{"count", local.other_pair_count}, {"contribution", local.other_pairs}};
  }
  for (const ReferenceObject& object : local.nearest) json["nearest"].push_back(object_json(schema, object));
  for (const RowNote& note : local.notes) {
    json["notes"].push_back({{"attribute", schema.attributes[note.attribute].name}, {"note", note_text(note.note)}});
  }
  return json;
}

std::string field(const std::string& text, bool raw) {
  std::string out;
  detail::append_csv_text(out, text, ',', raw);
  return out;
}

std::string value_cell(const Attribute& attribute, double value, bool raw) {
  const Json json = value_json(attribute, value);
  return json.is_string() ? field(json.get<std::string>(), raw) : json.is_null() ? "" : fmt::format("{}", value);
}

}  // namespace

std::string global_json(const Model& model, const GlobalView& view) {
  Json json = {{"label", model.schema.label_name}, {"classes", model.schema.class_names}, {"base", base_score(model)}};
  auto attributes = view.importance.attributes;
  auto pairs = view.importance.pairs;
  const auto by_range = [](const auto& a, const auto& b) { return a.range > b.range; };
  std::stable_sort(attributes.begin(), attributes.end(), by_range);
  std::stable_sort(pairs.begin(), pairs.end(), by_range);
  json["attributes"] = Json::array();
  json["pairs"] = Json::array();
  const AttributeCurves curves = attribute_curves(model);
  for (const auto& attribute : attributes) json["attributes"].push_back(curve_json(model, curves, attribute));
  std::vector<std::pair<std::size_t, std::size_t>> named;
  named.reserve(pairs.size());
  for (const auto& pair : pairs) named.emplace_back(pair.first, pair.second);
  const std::vector<PairGrid> surfaces = purified_surfaces(model, named);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    // One row per knot or level of the first, one column per knot or level of the second; a missing value comes last.
    json["pairs"].push_back({{"first", model.schema.attributes[pairs[p].first].name},
                             {"second", model.schema.attributes[pairs[p].second].name},
                             {"range", pairs[p].range},
                             {"mean_absolute", pairs[p].mean_absolute},
                             {"surface", surfaces[p].values}});
  }
  json["pair_count"] = pair_count(model);
  return dump(json);
}

std::string local_json(const Model& model, const std::vector<LocalView>& views) {
  Json json = {{"label", model.schema.label_name}, {"classes", model.schema.class_names}, {"rows", Json::array()}};
  for (const LocalView& view : views) json["rows"].push_back(row_json(model, view));
  return dump(json);
}

std::string global_csv(const Model& model, bool raw_cells) {
  std::string text = "attribute,kind,value,raw,self,purified,lower,upper\n";
  const AttributeCurves curves = attribute_curves(model);
  const auto out = std::back_inserter(text);
  for (std::size_t j = 0; j < model.schema.attributes.size(); ++j) {
    const Attribute& attribute = model.schema.attributes[j];
    // Curves and surfaces have no raw view: empty cells.
    const AttributeCurve raw = model.terms ? AttributeCurve{} : curves.raw[j];
    const AttributeCurve own = model.terms ? AttributeCurve{} : curves.self[j];
    const AttributeCurve& purified = curves.purified[j];
    const auto cell = [](const std::vector<double>& values, std::size_t i) {
      return i < values.size() ? fmt::format("{}", values[i]) : std::string();
    };
    const auto missing_cell = [](const AttributeCurve& curve) {
      return curve.missing ? fmt::format("{}", *curve.missing) : std::string();
    };
    const CurveBand* const band = model.bands ? &model.bands->attributes[j] : nullptr;
    const bool numeric = attribute.kind == AttributeKind::numeric;
    for (std::size_t i = 0; i < purified.values.size(); ++i) {
      const double value = numeric ? model.encoder.attributes[j].knots[i] : static_cast<double>(i);
      fmt::format_to(out, "{},{},{},{},{},{},", field(attribute.name, raw_cells), numeric ? "knot" : "level",
                     value_cell(attribute, value, raw_cells), cell(raw.values, i), cell(own.values, i),
                     purified.values[i]);
      text += band != nullptr ? fmt::format("{},{}\n", band->lower[i], band->upper[i]) : ",\n";
    }
    const std::vector<double>& special = model.encoder.attributes[j].special;
    for (std::size_t k = 0; k < special.size(); ++k) {
      fmt::format_to(out, "{},special,{},{},{},{},", field(attribute.name, raw_cells), special[k], cell(raw.special, k),
                     cell(own.special, k), purified.special[k]);
      text += band != nullptr ? fmt::format("{},{}\n", band->special_lower[k], band->special_upper[k]) : ",\n";
    }
    if (!purified.missing) continue;
    fmt::format_to(out, "{},missing,,{},{},{},", field(attribute.name, raw_cells), missing_cell(raw), missing_cell(own),
                   *purified.missing);
    text += band != nullptr ? fmt::format("{},{}\n", *band->missing_lower, *band->missing_upper) : ",\n";
  }
  return text;
}

std::string local_csv(const Model& model, const std::vector<LocalView>& views, bool raw_cells) {
  const auto& attributes = model.schema.attributes;
  std::string text = "row,part,attribute,second,value,contribution\n";
  const auto out = std::back_inserter(text);
  for (const LocalView& view : views) {
    fmt::format_to(out, "{},base,,,,{}\n", view.row, view.local.base);
    for (std::size_t j = 0; j < attributes.size(); ++j) {
      fmt::format_to(out, "{},attribute,{},,{},{}\n", view.row, field(attributes[j].name, raw_cells),
                     value_cell(attributes[j], view.values[j], raw_cells), view.local.attributes[j]);
    }
    for (const PairContribution& pair : view.local.pairs) {
      fmt::format_to(out, "{},pair,{},{},,{}\n", view.row, field(attributes[pair.first].name, raw_cells),
                     field(attributes[pair.second].name, raw_cells), pair.value);
    }
    if (view.local.other_pair_count > 0)
      fmt::format_to(out, "{},other_pairs,,,,{}\n", view.row, view.local.other_pairs);
    fmt::format_to(out, "{},score,,,,{}\n", view.row, view.local.score);
  }
  return text;
}

}  // namespace xofm::app
