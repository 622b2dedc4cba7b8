#include "xofm/model_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <bit>
#include <cmath>
#include <csignal>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/random.hpp"
#include "io/json_text.hpp"
#include "support/temporary_folder.hpp"
#include "xofm/bands.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/generate.hpp"
#include "xofm/path.hpp"
#include "xofm/train.hpp"

namespace xofm {
namespace {

using Json = nlohmann::ordered_json;
using testing::TemporaryFolder;

// Three numeric attributes, one of them monotone, and a categorical one; missing values, weights, class 4 without rows.
Dataset small_data() {
  Dataset data = generate({.row_count = 60,
                           .attribute_count = 4,
                           .class_count = 3,
                           .categorical_count = 1,
                           .missing_share = 0.05,
                           .seed = 3});
  data.schema.class_names.push_back("4");
  for (std::size_t i = 0; i < data.row_count(); ++i) data.weights.push_back(static_cast<double>(i % 4) / 3.0);
  return data;
}

TrainOptions small_options() {
  TrainOptions options{.factor_count = 2, .optimizer = {.max_epochs = 30}};
  options.encoder.segment_count = 3;
  options.encoder.segment_counts = {{"x2", 2}};
  options.encoder.given_knots = {{"x3", {0.0, 0.1, 0.7}}};
  options.encoder.directions = {{"x1", Direction::decreasing}};
  return options;
}

const Model& small_model() {
  static const Model model = [] {
    Model trained = train(small_data(), small_options()).model;
    trained.schema.attributes[0].description = "text with \"quotes\", a\nnewline and ünïcode";
    trained.schema.attributes[0].unit = "m²";
    trained.bands = fit_bands(trained, small_data(), {.refit_count = 3});
    trained.path = fit_path(small_data(), small_options(),
                            {.increment_penalties = {0.1}, .factor_penalties = {0.001, 0.1}, .fold_count = 2});
    return trained;
  }();
  return model;
}

void expect_same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << "at " << i << ": " << a[i];
  }
}

void expect_same_schema(const Schema& a, const Schema& b) {
  EXPECT_EQ(a.label_name, b.label_name);
  EXPECT_EQ(a.class_names, b.class_names);
  EXPECT_EQ(a.missing_tokens, b.missing_tokens);
  ASSERT_EQ(a.attributes.size(), b.attributes.size());
  for (std::size_t j = 0; j < a.attributes.size(); ++j) {
    EXPECT_EQ(a.attributes[j].name, b.attributes[j].name);
    EXPECT_EQ(a.attributes[j].kind, b.attributes[j].kind);
    EXPECT_EQ(a.attributes[j].levels, b.attributes[j].levels);
    EXPECT_EQ(a.attributes[j].description, b.attributes[j].description);
    EXPECT_EQ(a.attributes[j].unit, b.attributes[j].unit);
  }
}

void expect_same_options(const TrainOptions& a, const TrainOptions& b) {
  EXPECT_EQ(a.encoder.knots, b.encoder.knots);
  EXPECT_EQ(a.encoder.segment_count, b.encoder.segment_count);
  EXPECT_EQ(a.encoder.segment_counts, b.encoder.segment_counts);
  EXPECT_EQ(a.encoder.given_knots, b.encoder.given_knots);
  EXPECT_EQ(a.encoder.directions, b.encoder.directions);
  EXPECT_EQ(a.factor_count, b.factor_count);
  expect_same_bits({a.margin, a.increment_penalty, a.factor_penalty, a.optimizer.tolerance, a.optimizer.init_stddev,
                    a.optimizer.learning_rate, a.optimizer.learning_rate_decay},
                   {b.margin, b.increment_penalty, b.factor_penalty, b.optimizer.tolerance, b.optimizer.init_stddev,
                    b.optimizer.learning_rate, b.optimizer.learning_rate_decay});
  EXPECT_EQ(a.loss_form, b.loss_form);
  EXPECT_EQ(a.pair_weighting, b.pair_weighting);
  EXPECT_EQ(a.bag_count, b.bag_count);
  EXPECT_EQ(a.optimizer.method, b.optimizer.method);
  EXPECT_EQ(a.optimizer.max_epochs, b.optimizer.max_epochs);
  EXPECT_EQ(a.optimizer.restart_count, b.optimizer.restart_count);
  EXPECT_EQ(a.optimizer.seed, b.optimizer.seed);
  EXPECT_EQ(a.assignment.rule, b.assignment.rule);
  EXPECT_EQ(a.assignment.aim, b.assignment.aim);
  EXPECT_EQ(a.assignment.reference_limit, b.assignment.reference_limit);
  EXPECT_EQ(a.assignment.reference_scores, b.assignment.reference_scores);
  EXPECT_EQ(a.assignment.fold_count, b.assignment.fold_count);
}

void expect_same_encoder(const Encoder& a, const Encoder& b) {
  EXPECT_EQ(a.offsets, b.offsets);
  ASSERT_EQ(a.attributes.size(), b.attributes.size());
  for (std::size_t j = 0; j < a.attributes.size(); ++j) {
    EXPECT_EQ(a.attributes[j].kind, b.attributes[j].kind);
    EXPECT_EQ(a.attributes[j].direction, b.attributes[j].direction);
    expect_same_bits(a.attributes[j].knots, b.attributes[j].knots);
    EXPECT_EQ(a.attributes[j].level_count, b.attributes[j].level_count);
    EXPECT_EQ(a.attributes[j].has_missing, b.attributes[j].has_missing);
    EXPECT_EQ(a.attributes[j].typical.coordinate, b.attributes[j].typical.coordinate);
    expect_same_bits({a.attributes[j].typical.fraction}, {b.attributes[j].typical.fraction});
  }
}

void expect_same_assignment(const Assignment& a, const Assignment& b) {
  expect_same_bits({a.margin, a.calibration.slope}, {b.margin, b.calibration.slope});
  EXPECT_EQ(a.reference_source, b.reference_source);
  expect_same_bits(a.accuracy_cuts, b.accuracy_cuts);
  expect_same_bits(a.mae_cuts, b.mae_cuts);
  expect_same_bits(a.calibration.thresholds, b.calibration.thresholds);
  ASSERT_EQ(a.reference.classes.size(), b.reference.classes.size());
  for (std::size_t h = 0; h < a.reference.classes.size(); ++h) {
    ASSERT_EQ(a.reference.classes[h].size(), b.reference.classes[h].size());
    for (std::size_t i = 0; i < a.reference.classes[h].size(); ++i) {
      const ReferencePoint& p = a.reference.classes[h][i];
      const ReferencePoint& q = b.reference.classes[h][i];
      expect_same_bits({p.score, p.weight}, {q.score, q.weight});
      EXPECT_EQ(p.row, q.row);
    }
  }
}

void expect_same_rest(const Model& a, const Model& b) {
  EXPECT_EQ(a.parameters.factor_count, b.parameters.factor_count);
  expect_same_bits(a.parameters.increments, b.parameters.increments);
  expect_same_bits(a.parameters.factors, b.parameters.factors);
  EXPECT_EQ(a.certificate.holds, b.certificate.holds);
  ASSERT_EQ(a.certificate.attributes.size(), b.certificate.attributes.size());
  for (std::size_t j = 0; j < a.certificate.attributes.size(); ++j) {
    EXPECT_EQ(a.certificate.attributes[j].direction, b.certificate.attributes[j].direction);
    EXPECT_EQ(a.certificate.attributes[j].holds, b.certificate.attributes[j].holds);
    expect_same_bits({a.certificate.attributes[j].least_slope}, {b.certificate.attributes[j].least_slope});
  }
  EXPECT_EQ(a.summary.row_count, b.summary.row_count);
  expect_same_bits(a.summary.class_weights, b.summary.class_weights);
  expect_same_bits({a.summary.objective, a.summary.loss}, {b.summary.objective, b.summary.loss});
  EXPECT_EQ(a.summary.epochs, b.summary.epochs);
  EXPECT_EQ(a.summary.best_restart, b.summary.best_restart);
  EXPECT_EQ(a.summary.stop_reason, b.summary.stop_reason);
  EXPECT_EQ(a.summary.data_fingerprint, b.summary.data_fingerprint);
  expect_same_bits(a.distribution.mean_encoding, b.distribution.mean_encoding);
  ASSERT_EQ(a.distribution.class_histogram.size(), b.distribution.class_histogram.size());
  for (std::size_t n = 0; n < a.distribution.class_histogram.size(); ++n) {
    expect_same_bits(a.distribution.class_histogram[n], b.distribution.class_histogram[n]);
  }
  ASSERT_EQ(a.holdout.has_value(), b.holdout.has_value());
  if (!a.holdout) return;
  EXPECT_EQ(a.holdout->row_count, b.holdout->row_count);
  EXPECT_EQ(a.holdout->confusion, b.holdout->confusion);
  for (const auto& field : metric_fields) {
    expect_same_bits({(*a.holdout).*field.value}, {(*b.holdout).*field.value});
  }
}

void expect_same_bands(const CurveBands& a, const CurveBands& b) {
  EXPECT_EQ(a.refit_count, b.refit_count);
  expect_same_bits({a.lower_share, a.upper_share}, {b.lower_share, b.upper_share});
  ASSERT_EQ(a.attributes.size(), b.attributes.size());
  for (std::size_t j = 0; j < a.attributes.size(); ++j) {
    expect_same_bits(a.attributes[j].lower, b.attributes[j].lower);
    expect_same_bits(a.attributes[j].upper, b.attributes[j].upper);
    EXPECT_EQ(a.attributes[j].missing_lower, b.attributes[j].missing_lower);
    EXPECT_EQ(a.attributes[j].missing_upper, b.attributes[j].missing_upper);
  }
}

void expect_same_path(const PenaltyPath& a, const PenaltyPath& b) {
  EXPECT_EQ(a.fold_count, b.fold_count);
  expect_same_bits(a.increment_penalties, b.increment_penalties);
  expect_same_bits(a.factor_penalties, b.factor_penalties);
  ASSERT_EQ(a.points.size(), b.points.size());
  for (std::size_t p = 0; p < a.points.size(); ++p) {
    const auto numbers = [](const PathPoint& point) -> std::vector<double> {
      return {point.increment_penalty, point.factor_penalty,  point.objective, point.loss,
              point.accuracy.mean,     point.accuracy.spread, point.mae.mean,  point.mae.spread};
    };
    expect_same_bits(numbers(a.points[p]), numbers(b.points[p]));
    EXPECT_EQ(a.points[p].parameters.factor_count, b.points[p].parameters.factor_count);
    expect_same_bits(a.points[p].parameters.increments, b.points[p].parameters.increments);
    expect_same_bits(a.points[p].parameters.factors, b.points[p].parameters.factors);
  }
}

void expect_same_model(const Model& a, const Model& b) {
  expect_same_schema(a.schema, b.schema);
  expect_same_options(a.options, b.options);
  expect_same_encoder(a.encoder, b.encoder);
  expect_same_assignment(a.assignment, b.assignment);
  expect_same_rest(a, b);
  ASSERT_EQ(a.bands.has_value(), b.bands.has_value());
  if (a.bands) expect_same_bands(*a.bands, *b.bands);
  ASSERT_EQ(a.path.has_value(), b.path.has_value());
  if (a.path) expect_same_path(*a.path, *b.path);
}

void expect_same_predictions(const Model& a, const Model& b, const Dataset& rows) {
  const Predictions p = a.predict(rows);
  const Predictions q = b.predict(rows);
  expect_same_bits(p.scores, q.scores);
  expect_same_bits(p.support, q.support);
  expect_same_bits(p.probabilities, q.probabilities);
  EXPECT_EQ(p.classes, q.classes);
  for (std::size_t i = 0; i < p.row_count(); ++i) {
    EXPECT_EQ(p.intervals[i].lowest, q.intervals[i].lowest);
    EXPECT_EQ(p.intervals[i].highest, q.intervals[i].highest);
  }
}

void expect_round_trip(const Model& model, const Dataset& rows) {
  const TemporaryFolder folder;
  save_model(model, folder.path("m.json"));
  const Model loaded = load_model(folder.path("m.json"));
  expect_same_model(model, loaded);
  expect_same_predictions(model, loaded, rows);
  EXPECT_EQ(model_to_json(loaded), folder.content("m.json"));
}

TEST(ModelFile, EveryFieldAndEveryPredictionSurvivesToTheBit) { expect_round_trip(small_model(), small_data()); }

TEST(ModelFile, SoDoOtherChoicesOfEveryOption) {
  Dataset data = generate({.row_count = 80, .attribute_count = 3, .class_count = 2});
  TrainOptions options = paper_preset();
  options.optimizer.max_epochs = 2;
  options.optimizer.seed = std::numeric_limits<std::uint64_t>::max();
  options.loss_form = LossForm::sweep;
  options.assignment = {.rule = AssignmentRule::threshold, .aim = Aim::accuracy, .reference_limit = 7};
  expect_round_trip(train(data, options).model, data);
  options.factor_count = 0;
  options.encoder.directions = {{"x1", Direction::increasing}};
  options.assignment.rule = AssignmentRule::support;
  expect_round_trip(train(data, options).model, data);
}

TEST(ModelFile, SoDoesABaggedModel) {
  const Dataset data = generate({.row_count = 80, .attribute_count = 3, .class_count = 3});
  TrainOptions options{.factor_count = 2, .pair_weighting = PairWeighting::distance, .bag_count = 3};
  options.optimizer.max_epochs = 10;
  options.assignment.fold_count = 3;
  const Model model = train(data, options).model;
  ASSERT_EQ(model.parameters.factor_count, 6);
  expect_round_trip(model, data);
}

TEST(ModelFile, AHoldoutWithUndefinedMetricsSurvives) {
  Model model = small_model();
  model.holdout = evaluate(4, std::vector{1, 1}, std::vector{1, 2}, std::vector{0.5, 0.5}, {});
  ASSERT_TRUE(std::isnan(model.holdout->log_loss));
  const Model loaded = model_from_json(model_to_json(model));
  ASSERT_TRUE(loaded.holdout);
  EXPECT_TRUE(std::isnan(loaded.holdout->log_loss));
  EXPECT_EQ(loaded.holdout->mae, 0.5);
  EXPECT_EQ(loaded.holdout->confusion, model.holdout->confusion);
  EXPECT_EQ(model_to_json(loaded), model_to_json(model));
}

TEST(ModelFile, BandsAndPathMayBeAbsent) {
  ASSERT_TRUE(small_model().bands && small_model().path);
  Json document = Json::parse(model_to_json(small_model()));
  document.erase("bands");
  document.erase("path");
  const Model old = model_from_json(document.dump());
  EXPECT_FALSE(old.bands);
  EXPECT_FALSE(old.path);
  expect_same_predictions(old, small_model(), small_data());
  expect_round_trip(old, small_data());
}

TEST(ModelFile, APathThatWasNotValidatedSurvives) {
  Model model = small_model();
  model.path->fold_count = 0;
  for (PathPoint& point : model.path->points) point.accuracy = point.mae = {};
  const Model loaded = model_from_json(model_to_json(model));
  EXPECT_TRUE(std::isnan(loaded.path->points[0].mae.mean));
  EXPECT_EQ(model_to_json(loaded), model_to_json(model));
}

TEST(ModelFile, ExtremeNumbersSurvive) {
  Model model = small_model();
  model.bands.reset();  // they belong to the old knots
  const double extremes[] = {-0.0,
                             std::numeric_limits<double>::denorm_min(),
                             -std::numeric_limits<double>::denorm_min(),
                             std::numeric_limits<double>::min(),
                             1e308,
                             -std::numeric_limits<double>::max(),
                             0.1,
                             1.0 / 3.0,
                             std::nextafter(1.0, 2.0),
                             9007199254740993.0};
  for (std::size_t i = 0; i < model.parameters.factors.size(); ++i) {
    model.parameters.factors[i] = extremes[i % std::size(extremes)];
  }
  for (std::size_t i = 0; i < model.parameters.increments.size(); ++i) {
    model.parameters.increments[i] = extremes[(i + 3) % std::size(extremes)];
  }
  model.encoder.attributes[1].knots = {-1e308, std::numeric_limits<double>::denorm_min(), 1e308};
  model.assignment.mae_cuts = {-1e308, -0.0, 5e-324};
  expect_same_model(model, model_from_json(model_to_json(model)));
}

TEST(ModelFile, RandomBitPatternsSurvive) {
  Model model = small_model();
  detail::Random random(5, 0);
  for (int round = 0; round < 20; ++round) {
    for (double& value : model.parameters.factors) {
      do value = std::bit_cast<double>(random.next());
      while (!std::isfinite(value));
    }
    expect_same_bits(model.parameters.factors, model_from_json(model_to_json(model)).parameters.factors);
  }
}

TEST(ModelFile, IsReadable) {
  const std::string text = model_to_json(small_model());
  EXPECT_TRUE(text.starts_with("{\n  \"format\": \"xofm model\",\n  \"version\": 1,\n")) << text.substr(0, 80);
  EXPECT_TRUE(text.ends_with("}\n"));
  EXPECT_NE(text.find("\n      \"knots\": [0.0, 0.1, 0.7],\n"), std::string::npos);
}

// The message of the one kind of exception allowed, or "no error".
std::string refusal(std::string_view text, ErrorCode code = ErrorCode::invalid_model) {
  try {
    model_from_json(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "no error";
}

// What is said of the small model after a change to its document.
std::string refusal_after(const std::function<void(Json&)>& change) {
  static const Json document = Json::parse(model_to_json(small_model()));
  Json changed = document;
  change(changed);
  return refusal(changed.dump());
}

TEST(ModelFile, AnotherFormatOrVersionIsRefusedClearly) {
  EXPECT_EQ(refusal_after([](Json& m) { m["version"] = 2; }),
            "model: model file version 2 is not known to this program, which reads version 1; use a newer xofm");
  EXPECT_EQ(refusal_after([](Json& m) { m["format"] = "other"; }), "model: not a model of xofm fit");
  EXPECT_EQ(refusal_after([](Json& m) { m.erase("format"); }), "model: not a model of xofm fit");
  EXPECT_EQ(refusal("[1, 2]"), "model: not a model of xofm fit");
  EXPECT_EQ(refusal("a,b\n1,2\n").substr(0, 49), "model: not a model of xofm fit: parse error at li");
  EXPECT_NE(refusal_after([](Json& m) { m["version"] = "1"; }).find("model.version: must be a whole number"),
            std::string::npos);
}

TEST(ModelFile, EveryComplaintNamesItsPlace) {
  const std::pair<const char*, std::function<void(Json&)>> cases[] = {
      {"model.options.factor_count: must be a whole number from 0 to 2147483647",
       [](Json& m) { m["options"]["factor_count"] = -1; }},
      {"model.options.factor_count: must be a whole number", [](Json& m) { m["options"]["factor_count"] = 1e18; }},
      {"model.options.factor_count: must be a whole number", [](Json& m) { m["options"]["factor_count"] = 2.0; }},
      {"model.attributes[0].factors[0]: must have 2147483647 numbers; it has 2",
       [](Json& m) { m["factor_count"] = 2147483647; }},
      {"model.factor_count: must be a whole number", [](Json& m) { m["factor_count"] = -1; }},
      {"model.options: 'margin' is missing", [](Json& m) { m["options"].erase("margin"); }},
      {"model.options: must be an object", [](Json& m) { m["options"] = 1; }},
      {"model.options.loss_form: 'other' is not known", [](Json& m) { m["options"]["loss_form"] = "other"; }},
      {"model.options.encoder.segment_counts.x2: must be",
       [](Json& m) { m["options"]["encoder"]["segment_counts"]["x2"] = 0; }},
      {"model.options.encoder.given_knots.x3[1]: must be a number",
       [](Json& m) { m["options"]["encoder"]["given_knots"]["x3"][1] = "NaN"; }},
      {"model.options.encoder.directions.x1: 'up' is not known",
       [](Json& m) { m["options"]["encoder"]["directions"]["x1"] = "up"; }},
      {"model.options.optimizer.seed: must be", [](Json& m) { m["options"]["optimizer"]["seed"] = -1; }},
      {"model.classes: must be 2 to 255 different names", [](Json& m) { m["classes"] = Json::array(); }},
      {"model.classes: must be 2 to 255 different names", [](Json& m) { m["classes"][1] = m["classes"][0]; }},
      {"model.classes[2]: must be a text", [](Json& m) { m["classes"][2] = 3; }},
      {"model.classes: must be a list", [](Json& m) { m["classes"] = "1,2,3"; }},
      {"model.attributes: must not be empty", [](Json& m) { m["attributes"] = Json::array(); }},
      {"model.attributes[1]: has a name that came before", [](Json& m) { m["attributes"][1]["name"] = "x1"; }},
      {"model.attributes[1].kind: 'ordinal' is not known", [](Json& m) { m["attributes"][1]["kind"] = "ordinal"; }},
      {"model.attributes[2].knots: must be ascending",
       [](Json& m) {
         m["attributes"][2]["knots"] = {0.7, 0.1, 0.0};
       }},
      {"model.attributes[2].knots: must be ascending", [](Json& m) { m["attributes"][2]["knots"] = Json::array(); }},
      {"model.attributes[2].knots[0]: must be a number", [](Json& m) { m["attributes"][2]["knots"][0] = "NaN"; }},
      {"model.attributes[2].knots[2]: must be a number", [](Json& m) { m["attributes"][2]["knots"][2] = nullptr; }},
      {"model.attributes[2].increments: must have 4 numbers; it has 3",
       [](Json& m) {
         m["attributes"][2]["knots"] = {0.0, 0.1, 0.2, 0.7};
       }},
      {"model.attributes[3].levels: must be at least one and all different",
       [](Json& m) { m["attributes"][3]["levels"][0] = "b"; }},
      {"model.attributes[3].levels: must be at least one",
       [](Json& m) { m["attributes"][3]["levels"] = Json::array(); }},
      {"model.attributes[0].has_missing: must be true or false",
       [](Json& m) { m["attributes"][0]["has_missing"] = 1; }},
      {"model.attributes[0].typical.coordinate: must be a whole number from 0 to 3",
       [](Json& m) { m["attributes"][0]["typical"]["coordinate"] = 4; }},
      {"model.attributes[0].typical: fraction must be in 0 to 1",
       [](Json& m) { m["attributes"][0]["typical"]["fraction"] = 1.5; }},
      {"model.attributes[0].factors: must have one row", [](Json& m) { m["attributes"][0]["factors"].erase(0); }},
      {"model.attributes[0].factors[1]: must have 2 numbers; it has 3",
       [](Json& m) { m["attributes"][0]["factors"][1].push_back(1); }},
      {"model.attributes[0].mean_encoding: must have", [](Json& m) { m["attributes"][0]["mean_encoding"].clear(); }},
      {"model.attributes[0].class_histogram[0]: must have 4 numbers",
       [](Json& m) { m["attributes"][0]["class_histogram"][0].erase(0); }},
      {"model.attributes[0]: 'certificate' is missing", [](Json& m) { m["attributes"][0].erase("certificate"); }},
      {"model.assignment.margin: must be positive", [](Json& m) { m["assignment"]["margin"] = 0.0; }},
      {"model.assignment.mae_cuts: must have 3 numbers; it has 4",
       [](Json& m) { m["assignment"]["mae_cuts"].push_back(1e300); }},
      {"model.assignment.accuracy_cuts: must be ascending",
       [](Json& m) {
         m["assignment"]["accuracy_cuts"] = {3, 2, 1};
       }},
      {"model.assignment.calibration.thresholds: must be ascending",
       [](Json& m) {
         m["assignment"]["calibration"]["thresholds"] = {3, 2, 1};
       }},
      {"model.assignment.calibration.slope: must not be negative",
       [](Json& m) { m["assignment"]["calibration"]["slope"] = -1; }},
      {"model.assignment.reference_limit: must be", [](Json& m) { m["assignment"]["reference_limit"] = 1e18; }},
      {"model.reference: must have one entry per class", [](Json& m) { m["reference"].erase(0); }},
      {"model.reference[1].weights: must be positive", [](Json& m) { m["reference"][1]["weights"][0] = 0; }},
      {"model.reference[1].weights: must be positive", [](Json& m) { m["reference"][1]["weights"][0] = -1; }},
      {"model.reference[1].weights: must have", [](Json& m) { m["reference"][1]["weights"].erase(0); }},
      {"model.reference[1].scores: must be ascending", [](Json& m) { m["reference"][1]["scores"][0] = 1e300; }},
      {"model.reference[1].rows[0]: must be a whole number from 1", [](Json& m) { m["reference"][1]["rows"][0] = 0; }},
      {"model.reference[1].rows: must be as many as the scores", [](Json& m) { m["reference"][1]["rows"].erase(0); }},
      {"model.reference: must have scores in at least two classes",
       [](Json& m) {
         for (auto& entry : m["reference"]) entry["scores"] = entry["weights"] = entry["rows"] = Json::array();
       }},
      {"model.summary.class_weights: must have 4 numbers", [](Json& m) { m["summary"]["class_weights"].erase(0); }},
      {"model.summary.row_count: must be a whole number", [](Json& m) { m["summary"]["row_count"] = -5; }},
      {"model.summary.data_fingerprint: must be a hexadecimal number",
       [](Json& m) { m["summary"]["data_fingerprint"] = "0x12"; }},
      {"model.certificate.holds: must be true or false", [](Json& m) { m["certificate"]["holds"] = "yes"; }},
      {"model.bands.refit_count: must be a whole number from 2", [](Json& m) { m["bands"]["refit_count"] = 1; }},
      {"model.bands: lower_share and upper_share must be", [](Json& m) { m["bands"]["lower_share"] = 0.99; }},
      {"model.bands.attributes: must have one entry per attribute", [](Json& m) { m["bands"]["attributes"].erase(0); }},
      {"model.bands.attributes[2].lower: must have 3 numbers; it has 4",
       [](Json& m) { m["bands"]["attributes"][2]["lower"].push_back(0); }},
      {"model.bands.attributes[0]: lower must not be above upper",
       [](Json& m) { m["bands"]["attributes"][0]["lower"][0] = 1e300; }},
      {"model.bands.attributes[0]: 'missing' is missing",
       [](Json& m) { m["bands"]["attributes"][0].erase("missing"); }},
      {"model.bands.attributes[0].missing: lower must not be above upper",
       [](Json& m) { m["bands"]["attributes"][0]["missing"][0] = 1e300; }},
      {"model.path.fold_count: must be a whole number", [](Json& m) { m["path"]["fold_count"] = -1; }},
      {"model.path.factor_penalties: must be ascending", [](Json& m) { m["path"]["factor_penalties"] = {0.1, 0.1}; }},
      {"model.path.increment_penalties: must be ascending, not negative, and at least one",
       [](Json& m) { m["path"]["increment_penalties"] = Json::array(); }},
      {"model.path.points: must have one entry per pair", [](Json& m) { m["path"]["points"].erase(0); }},
      {"model.path.points[1]: has other penalties", [](Json& m) { m["path"]["points"][1]["factor_penalty"] = 0.2; }},
      {"model.path.points[0].increments: must have", [](Json& m) { m["path"]["points"][0]["increments"].erase(0); }},
      {"model.path.points[0].factors: must have", [](Json& m) { m["path"]["points"][0]["factor_count"] = 2147483647; }},
      {"model.path.points[0].mae: 'spread' is missing", [](Json& m) { m["path"]["points"][0]["mae"].erase("spread"); }},
      {"model.path: must be an object", [](Json& m) { m["path"] = 3; }},
      {"model.holdout: 'row_count' is missing", [](Json& m) { m["holdout"] = Json::object(); }},
  };
  for (const auto& [expected, change] : cases) {
    const std::string message = refusal_after(change);
    EXPECT_TRUE(message.starts_with(expected)) << "expected: " << expected << "\n     got: " << message;
  }
}

TEST(ModelFile, AnyValueOfAWrongTypeIsRefusedOrHarmless) {
  // Every value of the document, one after the other, replaced by one of another type.
  const Json document = Json::parse(model_to_json(small_model()));
  const Json flat = document.flatten();
  const Dataset rows = small_data();
  for (const auto& item : flat.items()) {
    for (const Json& other : {Json(), Json("text"), Json(-1), Json(1e308), Json(true), Json::array(), Json::object()}) {
      Json changed = document;
      changed[Json::json_pointer(item.key())] = other;
      try {
        model_from_json(changed.dump()).predict(rows);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_model) << item.key();
        EXPECT_TRUE(std::string(error.what()).starts_with("model")) << error.what();
      }
    }
  }
}

TEST(ModelFile, TruncatedAnywhereItIsRefused) {
  const std::string text = model_to_json(small_model());
  for (std::size_t size = 0; size + 2 < text.size(); size += 50) {
    EXPECT_TRUE(refusal(text.substr(0, size)).starts_with("model: not a model of xofm fit: parse error")) << size;
  }
}

TEST(ModelFile, RandomDamageGivesAnErrorOrAModelThatWorks) {
  const std::string text = model_to_json(small_model());
  const Dataset rows = small_data();
  detail::Random random(11, 0);
  int refused = 0;
  constexpr int rounds = 3000;
  for (int round = 0; round < rounds; ++round) {
    std::string damaged = text;
    for (std::uint64_t flips = 1 + random.next() % 3; flips-- > 0;) {
      char& byte = damaged[random.next() % damaged.size()];
      // Half of the time a character that keeps the document well-formed more often.
      static constexpr std::string_view likely = "0123456789.-e,[]{}\" ";
      byte = random.uniform() < 0.5 ? static_cast<char>(byte ^ (1 << (random.next() % 8)))
                                    : likely[random.next() % likely.size()];
    }
    try {
      const Model model = model_from_json(damaged);
      EXPECT_EQ(model.predict(rows).row_count(), rows.row_count());
      for (std::size_t j = 0; j < model.schema.attributes.size(); ++j) purified_curve(model, j);
      pair_strengths(model);
      explain(model, rows, 0);
      next_classes(model, rows, 0);
    } catch (const Error& error) {
      ++refused;
      EXPECT_TRUE(error.code() == ErrorCode::invalid_model || error.code() == ErrorCode::invalid_data) << error.what();
    }
  }
  EXPECT_GT(refused, rounds / 10);
  EXPECT_LT(refused, rounds);
}

TEST(ModelFile, DeepNestingIsRefusedWithoutBeingParsed) {
  for (const char* const open : {"[", "{\"a\":", "[{\"a\":"}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += open;
    EXPECT_EQ(refusal(text), "model: not a model of xofm fit: it is nested too deep");
  }
  EXPECT_EQ(refusal_after([](Json& m) { m["attributes"][0]["description"] = std::string(1000, '['); }), "no error");
}

TEST(ModelFile, ManyNamesInOneObjectTakeNoQuadraticTime) {
  nlohmann::json counts;
  for (int i = 0; i < 200000; ++i) counts[fmt::format("x{}", i)] = 3;  // quadratic: minutes
  std::string text = model_to_json(small_model());
  text.replace(text.find("{\"x2\": 2}"), 9, counts.dump());
  EXPECT_EQ(refusal(text), "no error");
}

TEST(ModelFile, OfADuplicateNameTheLastCounts) {
  std::string text = model_to_json(small_model());
  text.replace(text.find("\"version\": 1,"), 13, "\"version\": 7, \"version\": 1,");
  EXPECT_EQ(refusal(text), "no error");
  text.replace(text.find("\"version\": 1,"), 13, "\"version\": 1, \"version\": 7,");
  EXPECT_NE(refusal(text).find("version 7"), std::string::npos);
}

TEST(ModelFile, NumbersThatJsonCannotHoldAreRefused) {
  for (const std::string number : {"NaN", "Infinity", "-Infinity", "1e999", "0x10", "01", "1.", "+1"}) {
    std::string text = model_to_json(small_model());
    text.replace(text.find("\"margin\": 1.0"), 13, "\"margin\": " + number);
    EXPECT_TRUE(refusal(text).starts_with("model: not a model of xofm fit: ")) << number;
  }
}

TEST(ModelFile, AModelThatCouldNotBeReadBackIsNotWritten) {
  const TemporaryFolder folder;
  folder.file("m.json", "old");
  const auto failure = [&](const Model& model) -> std::string {
    try {
      save_model(model, folder.path("m.json"));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_model);
      return error.what();
    }
    return "no error";
  };
  Model model = small_model();
  model.summary.objective = HUGE_VAL;
  EXPECT_EQ(failure(model), "objective holds inf; a file with it could not be read back: did training diverge?");
  model = small_model();
  model.parameters.factors[3] = std::nan("");
  EXPECT_TRUE(failure(model).starts_with("factors holds nan"));
  model = small_model();
  model.schema.class_names[1] = "caf\xE9";
  EXPECT_EQ(failure(model), "classes holds a text that is not UTF-8");
  EXPECT_EQ(folder.content("m.json"), "old");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(ModelFile, AFailedWriteKeepsTheOldFile) {
  const TemporaryFolder folder;
  folder.file("m.json", "old");
  rlimit previous = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &previous), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {1000, previous.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(save_model(small_model(), folder.path("m.json")), Error);
  ::setrlimit(RLIMIT_FSIZE, &previous);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(folder.content("m.json"), "old");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(ModelFile, AFileThatCannotBeReadIsNamed) {
  const auto failure = [](const std::string& path) -> std::string {
    try {
      load_model(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::io);
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(failure("/nowhere/m.json"), "cannot read model '/nowhere/m.json': No such file or directory");
  EXPECT_EQ(failure("/tmp"), "cannot read model '/tmp': it is a directory");
}

}  // namespace
}  // namespace xofm
