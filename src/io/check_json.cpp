#include "io/check_json.hpp"

#include "xofm/names.hpp"

namespace xofm::detail {

namespace {

using Json = nlohmann::ordered_json;

Json attribute_json(const Attribute& attribute, const AttributeCheck& check, const AloneAccuracy& alone) {
  Json json = {{"name", attribute.name},
               {"kind", name_of(attribute.kind)},
               {"why", check.why},
               {"missing_count", check.missing_count},
               {"distinct_count", check.distinct_count}};
  if (attribute.time != TimePart::none) json["time"] = name_of(attribute.time);
  if (attribute.kind == AttributeKind::numeric) {
    json["least"] = check.least;
    json["median"] = check.median;
    json["greatest"] = check.greatest;
    json["outlier_count"] = check.outlier_count;
    json["special_candidates"] = Json::array();
    for (const SpecialCandidate& candidate : check.candidates) {
      json["special_candidates"].push_back(
          {{"value", candidate.value}, {"count", candidate.count}, {"why", candidate.why}});
    }
  }
  json["accuracy_alone"] = alone.accuracy;
  return json;
}

}  // namespace

Json check_to_json(const Dataset& data, const DataCheck& check) {
  Json json = {{"row_count", check.row_count}, {"label", data.schema.label_name}, {"classes", Json::array()}};
  for (std::size_t h = 0; h < check.class_counts.size(); ++h) {
    json["classes"].push_back({{"name", data.schema.class_names[h]}, {"count", check.class_counts[h]}});
  }
  json["remarks"] = data.remarks;
  json["attributes"] = Json::array();
  for (std::size_t j = 0; j < check.attributes.size(); ++j) {
    json["attributes"].push_back(attribute_json(data.schema.attributes[j], check.attributes[j], check.alone[j]));
  }
  json["duplicate_count"] = check.repeats.duplicate_count;
  json["contradictory_count"] = check.repeats.contradictory_count;
  json["best_accuracy"] = check.repeats.best_accuracy;
  json["best_mae"] = check.repeats.best_mae;
  json["leaks"] = Json::array();
  for (const AloneAccuracy& leak : check.leaks) {
    json["leaks"].push_back({{"attribute", data.schema.attributes[leak.attribute].name},
                             {"accuracy", leak.accuracy},
                             {"base", leak.base},
                             {"skill", leak.skill()}});
  }
  json["findings"] = findings(data, check);
  return json;
}

}  // namespace xofm::detail
