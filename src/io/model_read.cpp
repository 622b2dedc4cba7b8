#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>

#include "core/terms/tidy.hpp"
#include "io/json_view.hpp"
#include "io/model_blocks.hpp"
#include "io/model_text.hpp"
#include "io/option_blocks.hpp"
#include "io/record_blocks.hpp"
#include "io/term_blocks.hpp"
#include "xofm/model_file.hpp"
#include "xofm/train.hpp"

namespace xofm {

namespace {

using detail::greatest_count;
using detail::greatest_weight;
using detail::JsonView;

constexpr int int_max = std::numeric_limits<int>::max();

bool ascending(const std::vector<double>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}

AttributeEncoder read_encoder(const JsonView& json, const Attribute& attribute) {
  AttributeEncoder encoder;
  encoder.kind = attribute.kind;
  encoder.has_missing = json["has_missing"].boolean();
  if (attribute.kind == AttributeKind::numeric) {
    encoder.direction = json["direction"].choice<Direction>();
    encoder.knots = json["knots"].numbers();
    json["knots"].need(!encoder.knots.empty() && ascending(encoder.knots), "must be ascending, and at least one");
    for (const auto& [key, member] : {std::pair("special", &AttributeEncoder::special),
                                      std::pair("absent_special", &AttributeEncoder::absent_special)}) {
      if (!json.has(key)) continue;
      encoder.*member = json[key].numbers();
      json[key].need(ascending(encoder.*member), "must be ascending");
    }
    for (const double value : encoder.absent_special) {
      json.need(!std::binary_search(encoder.special.begin(), encoder.special.end(), value),
                "has a value in 'special' and in 'absent_special'");
    }
  } else {
    encoder.level_count = static_cast<int>(attribute.levels.size());
  }
  const int most = std::numeric_limits<std::uint16_t>::max();
  json.need(encoder.segment_count() < most - static_cast<int>(std::min<std::size_t>(encoder.special.size(), 60000)),
            "has too many segments or levels");
  const JsonView typical = json["typical"];
  const auto last = static_cast<std::uint32_t>(encoder.coordinate_count() - 1);
  encoder.typical = {typical["coordinate"].integer<std::uint32_t>(0, last), typical["fraction"].number()};
  typical.need(encoder.typical.fraction >= 0 && encoder.typical.fraction <= 1, "fraction must be in 0 to 1");
  return encoder;
}

void read_attribute(const JsonView& json, Model& model) {
  Attribute attribute;
  attribute.name = json["name"].text();
  attribute.kind = json["kind"].choice<AttributeKind>();
  if (json.has("description")) attribute.description = json["description"].text();
  if (json.has("unit")) attribute.unit = json["unit"].text();
  if (attribute.kind == AttributeKind::categorical) {
    attribute.levels = json["levels"].texts();
    const std::set<std::string> distinct(attribute.levels.begin(), attribute.levels.end());
    json["levels"].need(!distinct.empty() && distinct.size() == attribute.levels.size(),
                        "must be at least one and all different");
    if (json.has("indicators")) {
      attribute.indicators = json["indicators"].texts();
      json["indicators"].need(attribute.indicators.size() == attribute.levels.size(), "must have one column per level");
    }
  }
  if (json.has("time")) attribute.time = json["time"].choice<TimePart>();
  if (json.has("month_first")) attribute.month_first = json["month_first"].boolean();
  if (json.has("column")) attribute.column = json["column"].text();
  const bool is_days = attribute.time == TimePart::days;
  json.need(attribute.time == TimePart::none || is_days == (attribute.kind == AttributeKind::numeric),
            "has a 'time' that does not fit its kind");
  const AttributeEncoder encoder = read_encoder(json, attribute);
  std::merge(encoder.special.begin(), encoder.special.end(), encoder.absent_special.begin(),
             encoder.absent_special.end(), std::back_inserter(attribute.special));

  const auto count = static_cast<std::size_t>(encoder.coordinate_count());
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  if (model.terms) {
    model.terms->curves.push_back(detail::read_curve(json, encoder));
  } else {
    append(model.parameters.increments, json["increments"].numbers(count));
    const JsonView factors = json["factors"];
    factors.need(factors.size() == count, "must have one row per segment, level and missing value");
    for (std::size_t n = 0; n < count; ++n) {
      append(model.parameters.factors, factors[n].numbers(static_cast<std::size_t>(model.parameters.factor_count)));
    }
  }
  constexpr double rounding = 1e-6;  // of a mean of shares
  append(model.distribution.mean_encoding, json["mean_encoding"].numbers(count, -rounding, 1 + rounding));
  const JsonView histogram = json["class_histogram"];
  histogram.need(histogram.size() == count, "must have one row per segment, level and missing value");
  for (std::size_t n = 0; n < count; ++n) {
    model.distribution.class_histogram.push_back(
        histogram[n].numbers(model.schema.class_names.size(), 0, greatest_weight));
  }

  if (json.has("bins")) {
    const JsonView edges = json["bins"]["edges"];
    model.distribution.bins.resize(model.schema.attributes.size() + 1);
    TrainingBins& bins = model.distribution.bins.back();
    bins.edges = edges.numbers();
    edges.need(ascending(bins.edges), "must be ascending");
    bins.weights = json["bins"]["weights"].numbers(bins.edges.size(), 0, greatest_weight);
  }

  Certificate::Entry entry;
  entry.direction = encoder.direction;
  if (entry.direction != Direction::none) {
    entry.least_slope = json["certificate"]["least_slope"].number();
    entry.holds = json["certificate"]["holds"].boolean();
  }
  model.certificate.attributes.push_back(entry);
  model.schema.attributes.push_back(std::move(attribute));
  model.encoder.attributes.push_back(encoder);
}

void read_schema(const JsonView& json, Model& model) {
  model.schema.label_name = json["label"].text();
  model.schema.class_names = json["classes"].texts();
  model.schema.missing_tokens = json["missing"].texts();
  if (json.has("id")) model.schema.id_name = json["id"].text();
  if (json.has("decimal_comma")) model.schema.decimal_comma = json["decimal_comma"].boolean();
  const std::set<std::string> distinct(model.schema.class_names.begin(), model.schema.class_names.end());
  json["classes"].need(
      distinct.size() >= 2 && distinct.size() <= 255 && distinct.size() == model.schema.class_names.size(),
      "must be 2 to 255 different names");
  if (json.has("label_bins")) {
    model.schema.label_bins = json["label_bins"].numbers(model.schema.class_names.size() - 1);
    json["label_bins"].need(ascending(model.schema.label_bins), "must be ascending");
  }
  const JsonView attributes = json["attributes"];
  attributes.need(attributes.size() > 0, "must not be empty");
  std::set<std::string> names;
  for (std::size_t j = 0; j < attributes.size(); ++j) {
    read_attribute(attributes[j], model);
    const std::string& name = model.schema.attributes.back().name;
    attributes[j].need(names.insert(name).second, "has a name that came before");
    attributes[j].need(name != model.schema.label_name, "has the name of the label");
  }
  number_coordinates(model.encoder);
  if (!model.distribution.bins.empty()) model.distribution.bins.resize(model.schema.attributes.size());
}

Assignment read_assignment(const JsonView& json, const JsonView& reference, std::size_t class_count) {
  Assignment assignment;
  for (const char* const decides : {"rule", "aim"}) static_cast<void>(json[decides]);  // no default for these
  detail::read_fields(json, assignment.options);
  assignment.reference_source = json["reference_source"].choice<ReferenceScores>();
  assignment.margin = json["margin"].number();
  json["margin"].need(assignment.margin > 0, "must be positive");
  const auto sorted = [&](const JsonView& list) {
    std::vector<double> values = list.numbers(class_count - 1);
    list.need(std::is_sorted(values.begin(), values.end()), "must be ascending");
    return values;
  };
  assignment.accuracy_cuts = sorted(json["accuracy_cuts"]);
  assignment.mae_cuts = sorted(json["mae_cuts"]);
  const JsonView calibration = json["calibration"];
  assignment.calibration.slope = calibration["slope"].number();
  calibration["slope"].need(assignment.calibration.slope >= 0, "must not be negative");
  assignment.calibration.thresholds = sorted(calibration["thresholds"]);
  if (calibration.has("floor")) {  // earlier models have none
    const JsonView list = calibration["floor"];
    std::vector<double>& floor = assignment.calibration.floor;
    floor = list.size() == 0 ? std::vector<double>() : list.numbers(class_count);
    list.need(std::all_of(floor.begin(), floor.end(), [](double share) { return share >= 0; }) &&
                  std::accumulate(floor.begin(), floor.end(), 0.0) < 1,
              "must not be negative, with a sum below 1");
  }
  assignment.conformity = json["conformity"].numbers();
  json["conformity"].need(std::is_sorted(assignment.conformity.begin(), assignment.conformity.end()),
                          "must be ascending");

  reference.need(reference.size() == class_count, "must have one entry per class");
  std::size_t present = 0;
  for (std::size_t h = 0; h < class_count; ++h) {
    const JsonView entry = reference[h];
    const std::vector<double> scores = entry["scores"].numbers();
    const std::vector<double> weights = entry["weights"].numbers(scores.size());
    const auto rows =
        entry["rows"].list([](const JsonView& row) { return row.integer<std::size_t>(1, greatest_count); });
    entry["scores"].need(std::is_sorted(scores.begin(), scores.end()), "must be ascending");
    entry["weights"].need(
        std::all_of(weights.begin(), weights.end(), [](double w) { return w > 0 && w <= greatest_weight; }),
        "must be positive, and no more than 1e100");
    entry["rows"].need(rows.size() == scores.size(), "must be as many as the scores");
    auto& points = assignment.reference.classes.emplace_back();
    for (std::size_t i = 0; i < scores.size(); ++i) points.push_back({scores[i], weights[i], rows[i]});
    present += points.empty() ? 0 : 1;
    entry.need(entry.has("ids") == reference[std::size_t{0}].has("ids"), "'ids' must be of all classes or of none");
    if (!entry.has("ids")) continue;
    assignment.reference.ids.push_back(entry["ids"].texts());
    entry["ids"].need(assignment.reference.ids.back().size() == scores.size(), "must be as many as the scores");
  }
  reference.need(present >= 2, "must have scores in at least two classes");
  return assignment;
}

TrainingSummary read_summary(const JsonView& json, std::size_t class_count) {
  TrainingSummary summary;
  summary.row_count = json["row_count"].integer<std::size_t>(1, greatest_count);
  summary.class_weights = json["class_weights"].numbers(class_count, 0, greatest_weight);
  json["class_weights"].need(std::accumulate(summary.class_weights.begin(), summary.class_weights.end(), 0.0) > 0,
                             "must not all be zero");
  summary.objective = json["objective"].number();
  summary.loss = json["loss"].number();
  summary.epochs = json["epochs"].integer(0, int_max);
  summary.best_restart = json["best_restart"].integer(1, int_max);
  summary.stop_reason = json["stop_reason"].choice<StopReason>();
  const std::string fingerprint = json["data_fingerprint"].text();
  const char* const end = fingerprint.data() + fingerprint.size();
  const auto [stop, error] = std::from_chars(fingerprint.data(), end, summary.data_fingerprint, 16);
  json["data_fingerprint"].need(error == std::errc() && stop == end, "must be a hexadecimal number");
  return summary;
}

Metrics read_metrics(const JsonView& json, std::size_t class_count) {
  Metrics metrics;
  metrics.row_count = json["row_count"].integer<std::size_t>(0, greatest_count);
  for (const auto& field : metric_fields) metrics.*field.value = json[field.name.data()].number_or_nan();
  metrics.confusion = json["confusion"].list([](const JsonView& row) {
    return row.list([](const JsonView& count) { return count.integer<std::size_t>(0, greatest_count); });
  });
  bool square = metrics.confusion.size() == class_count;
  for (const auto& row : metrics.confusion) square = square && row.size() == class_count;
  json["confusion"].need(square, "must have one row and one column per class");
  return metrics;
}

// What a file claims to be monotone must be, and as steep as it says.
void verify_certificate(const JsonView& json, const Model& model) {
  const auto& claimed = model.certificate.attributes;
  const bool all_hold = std::all_of(claimed.begin(), claimed.end(), [](const auto& entry) {
    return entry.direction == Direction::none || entry.holds;
  });
  json["holds"].need(all_hold || !model.certificate.holds, "must be false, since an attribute's certificate is");
  const bool has_claims = std::any_of(claimed.begin(), claimed.end(), [](const auto& entry) { return entry.holds; });
  if (!has_claims) return;
  const Certificate proved =
      model.terms ? detail::certify(model.encoder, *model.terms) : certify(model.encoder, model.parameters);
  constexpr double rounding = 1e-9;
  for (std::size_t j = 0; j < claimed.size(); ++j) {
    if (!claimed[j].holds) continue;
    const std::string& name = model.schema.attributes[j].name;
    const double slope = proved.attributes[j].least_slope;
    if (!proved.attributes[j].holds) {
      json.fail(fmt::format("'{}' is said to be {}, which the model is not; fit it anew", name,
                            name_of(claimed[j].direction)));
    }
    if (claimed[j].least_slope > slope + rounding * (1 + std::abs(slope))) {
      json.fail(fmt::format("'{}' is said to change the score by {} or more, and it can be {}", name,
                            claimed[j].least_slope, slope));
    }
  }
}

constexpr const char* changed_by_hand =
    "the file was damaged or changed by hand. If you changed it, xofm seal checks it and gives it a new checksum";

JsonView::Json parse(std::string_view text, const std::string& source) {
  std::string problem;
  try {
    const char* const refused = detail::text_problem(text);
    if (refused == nullptr) return JsonView::Json::parse(text);
    problem = refused;
  } catch (const nlohmann::json::exception& error) {
    problem = error.what();
    problem.erase(0, problem.find(']') + 2);  // "[json.exception.parse_error.101] "
  }
  throw Error(ErrorCode::invalid_model, fmt::format("{}: not a model of xofm fit: {}", source, problem));
}

}  // namespace

Model model_from_json(std::string_view text, const std::string& source) {
  const JsonView::Json document = parse(text, source);
  const JsonView json(document, source);
  if (!json.has("format") || json["format"].text() != "xofm model") json.fail("not a model of xofm fit");
  const int version = json["version"].integer(1, int_max);
  if (version > model_file_version) {
    json.fail(fmt::format(
        "model file version {} is not known to this program, which reads versions up to {}; use a newer xofm", version,
        model_file_version));
  }
  Model model;
  model.options = detail::read_options(json["options"]);
  if (json.has("base")) {
    model.terms = Terms{json["base"].number(), {}, {}};
  } else {
    model.parameters.factor_count = json["factor_count"].integer(0, int_max);
  }
  read_schema(json, model);
  if (model.terms) detail::read_surfaces(json["pairs"], model);
  const std::size_t class_count = model.schema.class_names.size();
  model.assignment = read_assignment(json["assignment"], json["reference"], class_count);
  model.options.assignment = model.assignment.options;
  model.summary = read_summary(json["summary"], class_count);
  model.certificate.holds = json["certificate"]["holds"].boolean();
  verify_certificate(json["certificate"], model);
  if (json.has("holdout")) model.holdout = read_metrics(json["holdout"], class_count);
  model.record = detail::read_record(json);
  if (json.has("validation")) model.validation = detail::read_validation(json["validation"], class_count);
  if (json.has("bands")) model.bands = detail::read_bands(json["bands"], model.encoder);
  if (json.has("path")) model.path = detail::read_path(json["path"], model.encoder);
  if (json.has("sealed")) json["sealed"]["count"].integer<std::size_t>(1, greatest_count);
  if (version == 1 && !json.has("checksum")) return model;
  if (!json.has("checksum")) json.fail(fmt::format("'checksum' is missing: {}", changed_by_hand));
  if (json["checksum"].text() != detail::checksum(document)) {
    json["checksum"].fail(fmt::format("does not fit the content: {}", changed_by_hand));
  }
  return model;
}

Model load_model(const std::string& path) { return model_from_json(detail::read_model_text(path), path); }

}  // namespace xofm
