// Model files that are damaged, hostile, or cannot be written.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/random.hpp"
#include "io/model_text.hpp"
#include "support/sealed.hpp"
#include "support/small_model.hpp"
#include "support/temporary_folder.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"
#include "xofm/model_file.hpp"

namespace xofm {
namespace {

using Json = nlohmann::ordered_json;
using test_support::sealed;
using test_support::small_data;
using test_support::small_model;
using testing::TemporaryFolder;

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
  return refusal(sealed(changed));
}

TEST(ModelFileDamage, AChangeByHandIsNoticed) {
  std::string text = model_to_json(small_model());
  EXPECT_EQ(refusal(text), "no error");
  EXPECT_EQ(refusal(Json::parse(text).dump()), "no error") << "blanks do not count";
  text.replace(text.find("\"margin\": 1.0"), 13, "\"margin\": 1.5");
  EXPECT_EQ(
      refusal(text),
      "model.checksum: does not fit the content: the file was damaged or changed by hand. If you changed it, xofm "
      "seal checks it and gives it a new checksum");
  Json document = Json::parse(text);
  document.erase("checksum");
  EXPECT_NE(refusal(document.dump()).find("'checksum' is missing"), std::string::npos);
}

TEST(ModelFileDamage, ASealedChangeIsTakenAndCounted) {
  const TemporaryFolder folder;
  save_model(small_model(), folder.path("m.json"));
  EXPECT_EQ(seal_count(folder.path("m.json")), 0U);
  std::string text = folder.content("m.json");
  text.replace(text.find("\"margin\": 1.0"), 13, "\"margin\": 1.5");
  folder.file("m.json", text);
  seal_model_file(folder.path("m.json"), folder.path("m.json"));
  EXPECT_EQ(load_model(folder.path("m.json")).options.margin, 1.5);
  EXPECT_EQ(seal_count(folder.path("m.json")), 1U);
  seal_model_file(folder.path("m.json"), folder.path("m.json"));
  EXPECT_EQ(seal_count(folder.path("m.json")), 2U);
  // What is wrong in itself stays refused.
  text.replace(text.find("\"fold_count\": "), 14, "\"fold_count\": -");
  EXPECT_THROW(seal_model(text), Error);
  EXPECT_THROW(seal_model("[]"), Error);
  EXPECT_THROW(seal_model("not JSON"), Error);
}

TEST(ModelFileDamage, NumbersOutOfAllProportionAreRefused) {
  const std::vector<std::pair<std::string, std::function<void(Json&)>>> cases = {
      {"model.attributes[0].class_histogram[0][1]: must be in 0 to",
       [](Json& m) { m["attributes"][0]["class_histogram"][0][1] = -1; }},
      {"model.attributes[0].mean_encoding[0]: must be in", [](Json& m) { m["attributes"][0]["mean_encoding"][0] = 2; }},
      {"model.attributes[0]: has the name of the label", [](Json& m) { m["label"] = "x1"; }},
      {"model.reference[1].rows[0]: must be a whole number from 1",
       [](Json& m) { m["reference"][1]["rows"][0] = std::numeric_limits<std::uint64_t>::max(); }},
      {"model.reference[1].weights: must be positive", [](Json& m) { m["reference"][1]["weights"][0] = 1e200; }},
      {"model.summary.row_count: must be a whole number from 1", [](Json& m) { m["summary"]["row_count"] = 0; }},
      {"model.summary.class_weights[0]: must be in 0 to", [](Json& m) { m["summary"]["class_weights"][0] = -1; }},
      {"model.sealed.count: must be a whole number from 1",
       [](Json& m) {
         m["sealed"] = {{"count", 0}};
       }},
  };
  for (const auto& [expected, change] : cases) {
    const std::string message = refusal_after(change);
    EXPECT_TRUE(message.starts_with(expected)) << "expected: " << expected << "\n     got: " << message;
  }
}

TEST(ModelFileDamage, AModelThatGivesNoNumberDecidesNothing) {
  Model model = small_model();
  model.parameters.increments.assign(model.parameters.increments.size(), 1e308);
  try {
    model.predict(small_data());
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_model);
    EXPECT_NE(std::string(error.what()).find("the model gives row 1 the score"), std::string::npos) << error.what();
  }
}

TEST(ModelFileDamage, ACertificateIsCheckedNotBelieved) {
  ASSERT_TRUE(small_model().certificate.holds);
  std::size_t checked = 0;
  const auto& attributes = small_model().encoder.attributes;
  for (std::size_t j = 0; j < attributes.size(); ++j) {
    if (attributes[j].direction == Direction::none || attributes[j].knots.size() < 2) continue;
    ++checked;
    const std::string message = refusal_after([&](Json& m) { m["attributes"][j]["increments"][0] = -1000; });
    EXPECT_NE(message.find("is said to be"), std::string::npos) << message;
    const std::string steeper = refusal_after([&](Json& m) { m["attributes"][j]["certificate"]["least_slope"] = 77; });
    EXPECT_NE(steeper.find("is said to change the score by 77 or more"), std::string::npos) << steeper;
    const std::string whole = refusal_after([&](Json& m) { m["attributes"][j]["certificate"]["holds"] = false; });
    EXPECT_NE(whole.find("certificate.holds: must be false"), std::string::npos) << whole;
  }
  EXPECT_GT(checked, 0U);
}

TEST(ModelFileDamage, AnotherFormatOrVersionIsRefusedClearly) {
  EXPECT_EQ(refusal_after([](Json& m) { m["version"] = 3; }),
            "model: model file version 3 is not known to this program, which reads versions up to 2; use a newer xofm");
  EXPECT_EQ(refusal_after([](Json& m) { m["format"] = "other"; }), "model: not a model of xofm fit");
  EXPECT_EQ(refusal_after([](Json& m) { m.erase("format"); }), "model: not a model of xofm fit");
  EXPECT_EQ(refusal("[1, 2]"), "model: not a model of xofm fit");
  EXPECT_EQ(refusal("a,b\n1,2\n").substr(0, 49), "model: not a model of xofm fit: parse error at li");
  EXPECT_NE(refusal_after([](Json& m) { m["version"] = "1"; }).find("model.version: must be a whole number"),
            std::string::npos);
}

TEST(ModelFileDamage, EveryComplaintNamesItsPlace) {
  const std::pair<const char*, std::function<void(Json&)>> cases[] = {
      {"model.options.parts[0].factor_count: must be a whole number from 0 to 1000",
       [](Json& m) { m["options"]["parts"][0]["factor_count"] = -1; }},
      {"model.options.parts[0].factor_count: must be a whole number",
       [](Json& m) { m["options"]["parts"][0]["factor_count"] = 1e18; }},
      {"model.options.parts[1].factor_count: must be a whole number",
       [](Json& m) { m["options"]["parts"][1]["factor_count"] = 2.0; }},
      {"model.attributes[0].factors[0]: must have 2147483647 numbers; it has 2",
       [](Json& m) { m["factor_count"] = 2147483647; }},
      {"model.factor_count: must be a whole number", [](Json& m) { m["factor_count"] = -1; }},
      {"model.options: 'optimizer' is missing", [](Json& m) { m["options"].erase("optimizer"); }},
      {"model.options.margin: must be a positive number", [](Json& m) { m["options"]["margin"] = 0; }},
      {"model.options.margin: must be a number", [](Json& m) { m["options"]["margin"] = "1"; }},
      {"model.options: must be an object", [](Json& m) { m["options"] = 1; }},
      {"model.options.loss_form: 'other' is not known", [](Json& m) { m["options"]["loss_form"] = "other"; }},
      {"model.options.attributes.segment_counts.x2: must be",
       [](Json& m) { m["options"]["attributes"]["segment_counts"]["x2"] = 0; }},
      {"model.options.attributes.given_knots.x3[1]: must be a number",
       [](Json& m) { m["options"]["attributes"]["given_knots"]["x3"][1] = "NaN"; }},
      {"model.options.attributes.directions.x1: 'up' is not known",
       [](Json& m) { m["options"]["attributes"]["directions"]["x1"] = "up"; }},
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
      {"model.assignment: 'rule' is missing", [](Json& m) { m["assignment"].erase("rule"); }},
      {"model.assignment: 'aim' is missing", [](Json& m) { m["assignment"].erase("aim"); }},
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
      {"model.assignment.calibration.floor: must not be negative, with a sum below 1",
       [](Json& m) { m["assignment"]["calibration"]["floor"][0] = 1.5; }},
      {"model.assignment.calibration.floor: must have",
       [](Json& m) { m["assignment"]["calibration"]["floor"] = {0.1}; }},
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
      {"model.assignment.conformity: must be ascending", [](Json& m) { m["assignment"]["conformity"] = {1, 0}; }},
      {"model.options.class_weights.1: must be a number",
       [](Json& m) { m["options"]["class_weights"] = {{"1", "x"}}; }},
      {"model.options.parts: must not be empty", [](Json& m) { m["options"]["parts"] = Json::array(); }},
      {"model.options.parts[1].weight: must be 0 or more", [](Json& m) { m["options"]["parts"][1]["weight"] = -0.5; }},
      {"model.record.interrupted: must be true or false", [](Json& m) { m["record"]["interrupted"] = 0; }},
      {"model.record.search.tried: must not be empty", [](Json& m) { m["record"]["search"]["tried"] = Json::array(); }},
      {"model.record.search.tried[1].knots: 'luck' is not known",
       [](Json& m) { m["record"]["search"]["tried"][1]["knots"] = "luck"; }},
      {"model.validation.trial_count: must be", [](Json& m) { m["validation"]["trial_count"] = 0; }},
      {"model.validation.metrics: 'mae' is missing", [](Json& m) { m["validation"]["metrics"].erase("mae"); }},
      {"model.validation.metrics.mae.count: must be", [](Json& m) { m["validation"]["metrics"]["mae"]["count"] = 6; }},
      {"model.validation.confusion[0]: must have one number per class",
       [](Json& m) { m["validation"]["confusion"][0].erase(0); }},
      {"model.validation.confusion: must have one row per class",
       [](Json& m) { m["validation"]["confusion"].erase(0); }},
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

TEST(ModelFileDamage, AnyValueOfAWrongTypeIsRefusedOrHarmless) {
  // Every value of the document, one after the other, replaced by one of another type.
  const Json document = Json::parse(model_to_json(small_model()));
  const Json flat = document.flatten();
  const Dataset rows = small_data();
  for (const auto& item : flat.items()) {
    for (const Json& other : {Json(), Json("text"), Json(-1), Json(1e308), Json(true), Json::array(), Json::object()}) {
      Json changed = document;
      changed[Json::json_pointer(item.key())] = other;
      try {
        model_from_json(sealed(changed)).predict(rows);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_model) << item.key();
        const std::string what = error.what();
        EXPECT_TRUE(what.starts_with("model") || what.starts_with("the model")) << what;
      }
    }
  }
}

TEST(ModelFileDamage, TruncatedAnywhereItIsRefused) {
  const std::string text = model_to_json(small_model());
  for (std::size_t size = 0; size + 2 < text.size(); size += 50) {
    EXPECT_TRUE(refusal(text.substr(0, size)).starts_with("model: not a model of xofm fit: parse error")) << size;
  }
}

TEST(ModelFileDamage, RandomDamageGivesAnErrorOrAModelThatWorks) {
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
      const Model model = model_from_json(sealed(damaged));
      const Predictions predictions = model.predict(rows);
      EXPECT_EQ(predictions.row_count(), rows.row_count());
      for (const auto* const values : {&predictions.scores, &predictions.support, &predictions.probabilities}) {
        EXPECT_TRUE(std::all_of(values->begin(), values->end(), [](double value) { return std::isfinite(value); }));
      }
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

TEST(ModelFileDamage, DeepNestingIsRefusedWithoutBeingParsed) {
  for (const char* const open : {"[", "{\"a\":", "[{\"a\":"}) {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += open;
    EXPECT_EQ(refusal(text), "model: not a model of xofm fit: it is nested too deep");
  }
  EXPECT_EQ(refusal_after([](Json& m) { m["attributes"][0]["description"] = std::string(1000, '['); }), "no error");
}

TEST(ModelFileDamage, MoreListsThanAnyModelHasAreRefusedWithoutBeingParsed) {
  std::string text = "{\"a\": [";
  for (int i = 0; i < 5'000'000; ++i) text += "[],";
  EXPECT_EQ(refusal(text), "model: not a model of xofm fit: it has more lists than any model");
  text = "{\"a\": [";
  for (int i = 0; i < 5'000'000; ++i) text += "\"\",";
  EXPECT_EQ(refusal(text), "model: not a model of xofm fit: it has more texts than any model");
}

TEST(ModelFileDamage, WhatLoadWouldRefuseForItsSizeIsNotWritten) {
  const std::string text = model_to_json(small_model());
  EXPECT_NO_THROW(detail::check_model_text(text));
  const detail::ModelTextLimits few_bytes = {.bytes = text.size() - 1};
  const detail::ModelTextLimits few_values = {.values = 10};
  for (const auto& limits : {few_bytes, few_values}) {
    EXPECT_NE(detail::text_problem(text, limits), nullptr);
    EXPECT_THROW(detail::check_model_text(text, limits), Error);
  }
  const TemporaryFolder folder;
  EXPECT_THROW(detail::read_model_text(folder.file("m.json", text), few_bytes), Error);
  EXPECT_EQ(detail::read_model_text(folder.path("m.json")), text);
}

TEST(ModelFileDamage, ManyNamesInOneObjectTakeNoQuadraticTime) {
  nlohmann::json counts;
  for (int i = 0; i < 200000; ++i) counts[fmt::format("x{}", i)] = 3;  // quadratic: minutes
  std::string text = model_to_json(small_model());
  text.replace(text.find("{\"x2\": 2}"), 9, counts.dump());
  nlohmann::json document = nlohmann::json::parse(text);  // not the ordered one, which is quadratic itself
  document["checksum"] = detail::checksum(document);
  EXPECT_EQ(refusal(document.dump()), "no error");
}

TEST(ModelFileDamage, OfADuplicateNameTheLastCounts) {
  std::string text = model_to_json(small_model());
  text.replace(text.find("\"version\": 2,"), 13, "\"version\": 7, \"version\": 2,");
  EXPECT_EQ(refusal(text), "no error");
  text.replace(text.find("\"version\": 2,"), 13, "\"version\": 2, \"version\": 7,");
  EXPECT_NE(refusal(text).find("version 7"), std::string::npos);
}

TEST(ModelFileDamage, NumbersThatJsonCannotHoldAreRefused) {
  for (const std::string number : {"NaN", "Infinity", "-Infinity", "1e999", "0x10", "01", "1.", "+1"}) {
    std::string text = model_to_json(small_model());
    text.replace(text.find("\"margin\": 1.0"), 13, "\"margin\": " + number);
    EXPECT_TRUE(refusal(text).starts_with("model: not a model of xofm fit: ")) << number;
  }
}

TEST(ModelFileDamage, AModelThatCouldNotBeReadBackIsNotWritten) {
  const TemporaryFolder folder;
  folder.file("m.json", "old");
  const auto failure = [&](const Model& model, ErrorCode code) -> std::string {
    try {
      save_model(model, folder.path("m.json"));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    return "no error";
  };
  Model model = small_model();
  model.summary.objective = HUGE_VAL;
  EXPECT_EQ(failure(model, ErrorCode::diverged),
            "training has diverged: objective is inf, and no model is written; try a smaller --learning-rate, "
            "--init-stddev or --margin, or larger penalties");
  model = small_model();
  model.parameters.factors[3] = std::nan("");
  EXPECT_TRUE(failure(model, ErrorCode::diverged).starts_with("training has diverged: factors is nan"));
  model = small_model();
  model.schema.class_names[1] = "caf\xE9";
  EXPECT_EQ(failure(model, ErrorCode::invalid_model), "classes holds a text that is not UTF-8");
  EXPECT_EQ(folder.content("m.json"), "old");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(ModelFileDamage, AFailedWriteKeepsTheOldFile) {
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

TEST(ModelFileDamage, AFileThatCannotBeReadIsNamed) {
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
  EXPECT_EQ(failure(""), "cannot read model '': the path is empty");
  EXPECT_EQ(failure("/tmp"), "cannot read model '/tmp': it is a directory");
}

}  // namespace
}  // namespace xofm
