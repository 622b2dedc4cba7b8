#include "io/option_blocks.hpp"

namespace xofm::detail {

namespace {

using Json = nlohmann::ordered_json;

Json attributes_to_json(const AttributeOptions& attributes) {
  Json json = {{"segment_counts", Json(attributes.segment_counts)},
               {"given_knots", Json(attributes.given_knots)},
               {"directions", Json::object()}};
  for (const auto& [name, direction] : attributes.directions) json["directions"][name] = name_of(direction);
  return json;
}

AttributeOptions read_attributes(const JsonView& json) {
  constexpr int most = std::numeric_limits<int>::max();
  AttributeOptions attributes;
  const auto each = [&](const char* key, auto read) {
    if (!json.has(key)) return;
    for (const auto& [name, value] : json[key].members()) read(name, value);
  };
  each("segment_counts",
       [&](const auto& name, const JsonView& count) { attributes.segment_counts[name] = count.integer(1, most); });
  each("given_knots", [&](const auto& name, const JsonView& knots) { attributes.given_knots[name] = knots.numbers(); });
  each("directions", [&](const auto& name, const JsonView& direction) {
    attributes.directions[name] = direction.choice<Direction>();
  });
  return attributes;
}

Json terms_to_json(const TermOptions& terms) {
  Json json = fields_to_json(terms);
  json["listed"] = terms.listed;
  return json;
}

TermOptions read_terms(const JsonView& json) {
  TermOptions terms;
  read_fields(json, terms);
  if (!json.has("listed")) return terms;
  terms.listed = json["listed"].list([](const JsonView& pair) {
    pair.need(pair.size() == 2, "must have two names");
    return std::pair(pair[std::size_t{0}].text(), pair[std::size_t{1}].text());
  });
  return terms;
}

// Version 1, and the first files of version 2: the fields of a single recipe stand among the others, and a model that
// averages several lists them as its blend, each with its count.
std::vector<Recipe> read_earlier_parts(const JsonView& json, double& auto_direction) {
  if (!json.has("blend")) {
    Recipe recipe = read_recipe(json);
    for (const char* const block : {"encoder", "optimizer"}) read_fields(json[block], recipe);
    return {recipe};
  }
  return json["blend"].list([&](const JsonView& part) {
    Recipe recipe = read_recipe(part);
    recipe.weight = part["count"].integer(1, std::numeric_limits<int>::max());
    if (part.has("auto_direction")) auto_direction = part["auto_direction"].number();
    return recipe;
  });
}

}  // namespace

Recipe read_recipe(const JsonView& json) {
  Recipe recipe;
  read_fields(json, recipe);
  return recipe;
}

Json options_to_json(const TrainOptions& options) {
  Json json = {{"parts", Json::array()}};
  for (const Recipe& part : options.parts) json["parts"].push_back(fields_to_json(part));
  json.update(fields_to_json(options));
  json["terms"] = terms_to_json(options.terms);
  json["attributes"] = attributes_to_json(options.attributes);
  json["class_weights"] = Json(options.class_weights);
  json["optimizer"] = fields_to_json(options.optimizer);
  return json;
}

TrainOptions read_options(const JsonView& json) {
  TrainOptions options;
  read_fields(json, options);
  if (json.has("parts")) {
    options.parts = json["parts"].list(read_recipe);
    json["parts"].need(!options.parts.empty(), "must not be empty");
    options.attributes = read_attributes(json["attributes"]);
  } else {
    options.parts = read_earlier_parts(json, options.auto_direction);
    options.attributes = read_attributes(json["encoder"]);
  }
  if (json.has("terms")) options.terms = read_terms(json["terms"]);
  for (const auto& [name, weight] : json["class_weights"].members()) options.class_weights[name] = weight.number();
  read_fields(json["optimizer"], options.optimizer);
  return options;
}

}  // namespace xofm::detail
