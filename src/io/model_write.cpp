#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/json_text.hpp"
#include "io/metrics_json.hpp"
#include "io/model_blocks.hpp"
#include "io/model_text.hpp"
#include "io/option_blocks.hpp"
#include "io/output_file.hpp"
#include "io/record_blocks.hpp"
#include "io/term_blocks.hpp"
#include "xofm/error.hpp"
#include "xofm/model_file.hpp"
#include "xofm/names.hpp"

namespace xofm {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json slice(const std::vector<T>& values, std::size_t begin, std::size_t end) {
  return std::vector<T>(values.begin() + static_cast<std::ptrdiff_t>(begin),
                        values.begin() + static_cast<std::ptrdiff_t>(end));
}

// One attribute with all that belongs to it: scale, score function, factors, what training saw.
Json attribute_json(const Model& model, std::size_t j) {
  const Attribute& attribute = model.schema.attributes[j];
  const AttributeEncoder& encoder = model.encoder.attributes[j];
  const std::size_t begin = model.encoder.offsets[j];
  const std::size_t end = model.encoder.offsets[j + 1];
  const auto k = static_cast<std::size_t>(model.parameters.factor_count);

  Json json = {{"name", attribute.name}, {"kind", name_of(attribute.kind)}};
  if (!attribute.description.empty()) json["description"] = attribute.description;
  if (!attribute.unit.empty()) json["unit"] = attribute.unit;
  if (attribute.time != TimePart::none) json["time"] = name_of(attribute.time);
  if (attribute.month_first) json["month_first"] = true;
  if (!attribute.column.empty()) json["column"] = attribute.column;
  if (attribute.kind == AttributeKind::numeric) {
    json["direction"] = name_of(encoder.direction);
    json["knots"] = encoder.knots;
    if (!encoder.special.empty()) json["special"] = encoder.special;
    if (!encoder.absent_special.empty()) json["absent_special"] = encoder.absent_special;
  } else {
    json["levels"] = attribute.levels;
    if (!attribute.indicators.empty()) json["indicators"] = attribute.indicators;
  }
  json["has_missing"] = encoder.has_missing;
  json["typical"] = {{"coordinate", encoder.typical.coordinate}, {"fraction", encoder.typical.fraction}};
  if (model.terms) {
    detail::add_curve_json(model, j, json);
  } else {
    json["increments"] = slice(model.parameters.increments, begin, end);
    json["factors"] = Json::array();
    for (std::size_t n = begin; n < end; ++n) {
      json["factors"].push_back(slice(model.parameters.factors, n * k, (n + 1) * k));
    }
  }
  json["mean_encoding"] = slice(model.distribution.mean_encoding, begin, end);
  if (!model.distribution.bins.empty() && attribute.kind == AttributeKind::numeric) {
    const TrainingBins& bins = model.distribution.bins[j];
    json["bins"] = {{"edges", bins.edges}, {"weights", bins.weights}};
  }
  json["class_histogram"] = slice(model.distribution.class_histogram, begin, end);
  const Certificate::Entry& entry = model.certificate.attributes[j];
  if (entry.direction != Direction::none) {
    json["certificate"] = {{"least_slope", entry.least_slope}, {"holds", entry.holds}};
  }
  return json;
}

Json reference_json(const Model& model) {
  Json json = Json::array();
  for (std::size_t h = 0; h < model.assignment.reference.classes.size(); ++h) {
    std::vector<double> scores;
    std::vector<double> weights;
    std::vector<std::size_t> rows;
    for (const auto& point : model.assignment.reference.classes[h]) {
      scores.push_back(point.score);
      weights.push_back(point.weight);
      rows.push_back(point.row);
    }
    json.push_back({{"class", model.schema.class_names[h]}, {"scores", scores}, {"weights", weights}, {"rows", rows}});
    const auto& ids = model.assignment.reference.ids;
    if (!ids.empty()) json.back()["ids"] = ids[h];
  }
  return json;
}

}  // namespace

nlohmann::ordered_json detail::metrics_to_json(const Metrics& metrics) {
  Json json = {{"row_count", metrics.row_count}};
  for (const auto& field : metric_fields) {
    const double value = metrics.*field.value;
    json[std::string(field.name)] = std::isnan(value) ? Json() : Json(value);
  }
  json["confusion"] = metrics.confusion;
  return json;
}

std::string model_to_json(const Model& model) {
  Json json = {{"format", "xofm model"},
               {"version", model_file_version},
               {"checksum", ""},
               {"program", XOFM_VERSION},
               {"label", model.schema.label_name},
               {"classes", model.schema.class_names},
               {"missing", model.schema.missing_tokens}};
  if (!model.schema.id_name.empty()) json["id"] = model.schema.id_name;
  if (model.schema.decimal_comma) json["decimal_comma"] = true;
  if (!model.schema.label_bins.empty()) json["label_bins"] = model.schema.label_bins;
  if (model.terms) {
    json["base"] = model.terms->base;
  } else {
    json["factor_count"] = model.parameters.factor_count;
  }
  json["attributes"] = Json::array();
  for (std::size_t j = 0; j < model.schema.attributes.size(); ++j) {
    json["attributes"].push_back(attribute_json(model, j));
  }
  if (model.terms) json["pairs"] = detail::surfaces_to_json(model);
  json["options"] = detail::options_to_json(model.options);
  const Assignment& assignment = model.assignment;
  const Calibration& calibration = assignment.calibration;
  json["assignment"] = detail::fields_to_json(assignment.options);
  json["assignment"].update(
      Json{{"reference_source", name_of(assignment.reference_source)},
           {"margin", assignment.margin},
           {"accuracy_cuts", assignment.accuracy_cuts},
           {"mae_cuts", assignment.mae_cuts},
           {"calibration",
            {{"slope", calibration.slope}, {"thresholds", calibration.thresholds}, {"floor", calibration.floor}}},
           {"conformity", assignment.conformity}});
  json["reference"] = reference_json(model);
  const TrainingSummary& summary = model.summary;
  json["summary"] = {{"row_count", summary.row_count},
                     {"class_weights", summary.class_weights},
                     {"objective", summary.objective},
                     {"loss", summary.loss},
                     {"epochs", summary.epochs},
                     {"best_restart", summary.best_restart},
                     {"stop_reason", name_of(summary.stop_reason)},
                     {"data_fingerprint", fmt::format("{:016x}", summary.data_fingerprint)}};
  json["certificate"] = {{"holds", model.certificate.holds}};
  if (model.holdout) json["holdout"] = detail::metrics_to_json(*model.holdout);
  json["record"] = detail::record_to_json(model.record);
  if (model.validation) json["validation"] = detail::validation_to_json(*model.validation);
  if (model.bands) json["bands"] = detail::bands_to_json(*model.bands, model.schema);
  if (model.path) json["path"] = detail::path_to_json(*model.path);
  // Of the document as it will be read.
  json["checksum"] = detail::checksum(nlohmann::json::parse(detail::to_readable_text(json)));
  return detail::to_readable_text(json);
}

namespace {

// What could not be read back is of no use; and training that diverged leaves numbers out of all proportion.
void check_readable(const std::string& text) {
  try {
    static_cast<void>(model_from_json(text));
  } catch (const Error& error) {
    throw Error(ErrorCode::diverged,
                fmt::format("the model could not be read back, so it is not written ({}); if training diverged, try a "
                            "smaller --learning-rate, --init-stddev or --margin, or larger penalties",
                            error.what()));
  }
}

}  // namespace

void save_model(const Model& model, const std::string& path) {
  detail::OutputFile file(path);
  const std::string text = model_to_json(model);
  detail::check_model_text(text);
  check_readable(text);
  file.write(text);
  file.commit();
}

}  // namespace xofm
