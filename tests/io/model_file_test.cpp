#include "xofm/model_file.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/base/random.hpp"
#include "io/json_text.hpp"
#include "support/explained_model.hpp"
#include "support/sealed.hpp"
#include "support/small_model.hpp"
#include "support/temporary_folder.hpp"
#include "support/version_1_model.hpp"
#include "xofm/csv.hpp"
#include "xofm/explain.hpp"

namespace xofm {
namespace {

using Json = nlohmann::ordered_json;
using test_support::sealed;
using test_support::small_data;
using test_support::small_model;
using testing::TemporaryFolder;

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
  EXPECT_EQ(a.id_name, b.id_name);
  EXPECT_EQ(a.decimal_comma, b.decimal_comma);
  ASSERT_EQ(a.attributes.size(), b.attributes.size());
  for (std::size_t j = 0; j < a.attributes.size(); ++j) {
    EXPECT_EQ(a.attributes[j].name, b.attributes[j].name);
    EXPECT_EQ(a.attributes[j].kind, b.attributes[j].kind);
    EXPECT_EQ(a.attributes[j].levels, b.attributes[j].levels);
    EXPECT_EQ(a.attributes[j].description, b.attributes[j].description);
    EXPECT_EQ(a.attributes[j].unit, b.attributes[j].unit);
    EXPECT_EQ(a.attributes[j].special, b.attributes[j].special);
    EXPECT_EQ(a.attributes[j].time, b.attributes[j].time);
    EXPECT_EQ(a.attributes[j].month_first, b.attributes[j].month_first);
    EXPECT_EQ(a.attributes[j].column, b.attributes[j].column);
  }
}

void expect_same_options(const TrainOptions& a, const TrainOptions& b) {
  EXPECT_EQ(a.terms, b.terms);
  EXPECT_EQ(a.parts, b.parts);
  EXPECT_EQ(a.attributes.segment_counts, b.attributes.segment_counts);
  EXPECT_EQ(a.attributes.given_knots, b.attributes.given_knots);
  EXPECT_EQ(a.attributes.directions, b.attributes.directions);
  EXPECT_EQ(a.class_weights, b.class_weights);
  expect_same_bits({a.auto_direction, a.margin, a.smoothness_penalty, a.pair_penalty, a.optimizer.tolerance,
                    a.optimizer.learning_rate, a.optimizer.learning_rate_decay},
                   {b.auto_direction, b.margin, b.smoothness_penalty, b.pair_penalty, b.optimizer.tolerance,
                    b.optimizer.learning_rate, b.optimizer.learning_rate_decay});
  EXPECT_EQ(a.loss_form, b.loss_form);
  EXPECT_EQ(a.bag_count, b.bag_count);
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
  expect_same_bits(a.calibration.floor, b.calibration.floor);
  expect_same_bits(a.conformity, b.conformity);
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

void expect_same_search(const SearchRecord& a, const SearchRecord& b) {
  EXPECT_EQ(a.aim, b.aim);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.fold_count, b.fold_count);
  EXPECT_EQ(a.recipe_count, b.recipe_count);
  EXPECT_EQ(a.out_of_time, b.out_of_time);
  expect_same_bits({a.loss, a.pass_budget, a.passes, a.time_limit}, {b.loss, b.pass_budget, b.passes, b.time_limit});
  ASSERT_EQ(a.tried.size(), b.tried.size());
  for (std::size_t c = 0; c < a.tried.size(); ++c) {
    const TriedRecipe& p = a.tried[c];
    const TriedRecipe& q = b.tried[c];
    EXPECT_EQ(p.recipe, q.recipe);
    expect_same_bits({p.loss, p.accuracy, p.mae}, {q.loss, q.accuracy, q.mae});
  }
}

void expect_same_terms_record(const TermsRecord& a, const TermsRecord& b) {
  EXPECT_EQ(a.fold_count, b.fold_count);
  expect_same_bits({a.loss, a.teacher_loss}, {b.loss, b.teacher_loss});
  EXPECT_EQ(a.votes, b.votes);
  ASSERT_EQ(a.tried.size(), b.tried.size());
  for (std::size_t c = 0; c < a.tried.size(); ++c) {
    const TriedTerms& p = a.tried[c];
    const TriedTerms& q = b.tried[c];
    EXPECT_EQ(std::tie(p.pair_count, p.curve_count, p.grid), std::tie(q.pair_count, q.curve_count, q.grid));
    expect_same_bits({p.loss}, {q.loss});
  }
}

void expect_same_record(const Record& a, const Record& b) {
  EXPECT_EQ(a.interrupted, b.interrupted);
  ASSERT_EQ(a.search.has_value(), b.search.has_value());
  if (a.search) expect_same_search(*a.search, *b.search);
  ASSERT_EQ(a.terms.has_value(), b.terms.has_value());
  if (a.terms) expect_same_terms_record(*a.terms, *b.terms);
}

void expect_same_validation(const ValidationSummary& a, const ValidationSummary& b) {
  EXPECT_EQ(a.trial_count, b.trial_count);
  EXPECT_EQ(a.confusion, b.confusion);
  ASSERT_EQ(a.metrics.size(), b.metrics.size());
  for (std::size_t m = 0; m < a.metrics.size(); ++m) {
    EXPECT_EQ(a.metrics[m].count, b.metrics[m].count);
    expect_same_bits({a.metrics[m].mean, a.metrics[m].spread, a.metrics[m].min, a.metrics[m].max},
                     {b.metrics[m].mean, b.metrics[m].spread, b.metrics[m].min, b.metrics[m].max});
  }
}

void expect_same_model(const Model& a, const Model& b) {
  expect_same_schema(a.schema, b.schema);
  expect_same_options(a.options, b.options);
  expect_same_encoder(a.encoder, b.encoder);
  expect_same_assignment(a.assignment, b.assignment);
  expect_same_rest(a, b);
  expect_same_record(a.record, b.record);
  ASSERT_EQ(a.validation.has_value(), b.validation.has_value());
  if (a.validation) expect_same_validation(*a.validation, *b.validation);
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
  options.recipe().max_epochs = 2;
  options.optimizer.seed = std::numeric_limits<std::uint64_t>::max();
  options.loss_form = LossForm::sweep;
  options.assignment = {.rule = AssignmentRule::threshold, .aim = Aim::accuracy, .reference_limit = 7};
  expect_round_trip(train(data, options).model, data);
  options.recipe().factor_count = 0;
  options.attributes.directions = {{"x1", Direction::increasing}};
  options.assignment.rule = AssignmentRule::support;
  expect_round_trip(train(data, options).model, data);
}

TEST(ModelFile, SoDoesABaggedModel) {
  const Dataset data = generate({.row_count = 80, .attribute_count = 3, .class_count = 3});
  const TrainOptions options{
      .parts = {{.factor_count = 2, .pair_weighting = PairWeighting::distance, .max_epochs = 10}},
      .bag_count = 3,
      .assignment = {.fold_count = 3}};
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

TEST(ModelFile, AFileOfVersion1GivesTheSameBitsOfScore) {
  const Model model = model_from_json(test_support::version_1_model);
  EXPECT_EQ(model.options.terms.pairs, PairChoice::all);
  EXPECT_EQ(model.options.parts, (std::vector<Recipe>{{.segment_count = 2, .factor_count = 2, .max_epochs = 20}}));
  EXPECT_EQ(model.options.attributes.directions, (std::map<std::string, Direction>{{"age", Direction::decreasing}}));
  TemporaryFolder folder;
  const std::string path = folder.file("rows.csv", std::string(test_support::version_1_rows));
  const std::vector<double> known(std::begin(test_support::version_1_scores), std::end(test_support::version_1_scores));
  const Dataset rows = read_csv(path, model.schema);
  expect_same_bits(model.score(rows), known);
  expect_same_bits(model_from_json(model_to_json(model)).score(rows), known);
}

TEST(ModelFile, CurvesAndSurfacesSurviveToTheBit) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    test_support::ExplainedModel made = test_support::terms_model(seed);
    made.model.options.terms = {PairChoice::listed, 2, {{"n0", "n1"}, {"a", "b"}}, 7};
    made.model.record.terms = TermsRecord{5, 0.25, 0.5, {{3, 4, 10, 0.25}, {0, 4, 10, 0.5}}, {5, 0, 1}};
    const Model read = model_from_json(model_to_json(made.model));
    ASSERT_TRUE(read.terms);
    expect_same_bits({read.terms->base}, {made.model.terms->base});
    for (std::size_t j = 0; j < read.terms->curves.size(); ++j) {
      expect_same_bits(read.terms->curves[j], made.model.terms->curves[j]);
    }
    ASSERT_EQ(read.terms->surfaces.size(), made.model.terms->surfaces.size());
    for (std::size_t s = 0; s < read.terms->surfaces.size(); ++s) {
      const Surface& a = read.terms->surfaces[s];
      const Surface& b = made.model.terms->surfaces[s];
      EXPECT_EQ(std::tie(a.first, a.second, a.first_knots, a.second_knots),
                std::tie(b.first, b.second, b.first_knots, b.second_knots));
      expect_same_bits(a.values, b.values);
      expect_same_bits(a.row_weights, b.row_weights);
    }
    expect_same_bits(read.score(made.data), made.model.score(made.data));
    EXPECT_EQ(read.options.terms, made.model.options.terms);
    expect_same_record(read.record, made.model.record);
    EXPECT_EQ(model_to_json(read), model_to_json(made.model));
  }
}

TEST(ModelFile, WhatIsOptionalMayBeAbsent) {
  ASSERT_TRUE(small_model().bands && small_model().path && small_model().record.search && small_model().validation);
  Json document = Json::parse(model_to_json(small_model()));
  for (const char* const block : {"bands", "path", "record", "validation"}) document.erase(block);
  const Model old = model_from_json(sealed(document));
  EXPECT_FALSE(old.bands);
  EXPECT_FALSE(old.path);
  EXPECT_FALSE(old.record.search);
  EXPECT_FALSE(old.record.terms);
  EXPECT_FALSE(old.record.interrupted);
  EXPECT_FALSE(old.validation);
  expect_same_predictions(old, small_model(), small_data());
  expect_round_trip(old, small_data());
}

// The document as the first programs of version 2 wrote it: the fields of a single recipe stand among the others, the
// recipes of an average are a blend, each with its count, and the two records stand by themselves.
Json earlier_document(const Model& model) {
  Json document = Json::parse(model_to_json(model));
  Json& options = document["options"];
  const Json parts = options["parts"];
  options["encoder"] = options["attributes"];
  for (const char* const gone : {"parts", "attributes"}) options.erase(gone);
  const auto move_to = [&](Json& place, const std::vector<const char*>& names) {
    for (const char* const name : names) place[name] = parts[0][name];
  };
  move_to(options, {"factor_count", "pair_weighting", "increment_penalty", "factor_penalty", "sparsity_penalty"});
  move_to(options["encoder"], {"knots", "segment_count", "spike_share"});
  move_to(options["optimizer"], {"method", "max_epochs", "init_stddev"});
  const auto with_count = [&](Json recipe) {
    recipe["count"] = static_cast<int>(recipe["weight"].get<double>());
    recipe["auto_direction"] = options["auto_direction"];
    recipe.erase("weight");
    return recipe;
  };
  if (parts.size() > 1) {
    for (const Json& part : parts) options["blend"].push_back(with_count(part));
  }
  const Json record = document["record"];
  document.erase("record");
  if (record.contains("terms")) document["terms_record"] = record["terms"];
  if (!record.contains("search")) return document;
  Json& tuning = document["tuning"] = record["search"];
  tuning["metric"] = tuning["aim"];
  tuning["interrupted"] = record["interrupted"];
  tuning["best_loss"] = tuning["loss"];
  for (const char* const gone : {"aim", "recipe_count"}) tuning.erase(gone);
  for (Json& tried : tuning["tried"]) tried = with_count(tried);
  return document;
}

// Counts were whole numbers.
Model countable_model() {
  Model model = small_model();
  model.options.parts.back().weight = 3;
  model.options.auto_direction = 0.25;
  model.record.search->recipe_count = model.record.search->tried.size();  // all that an earlier file knows of
  model.record.terms = TermsRecord{5, 0.25, 0.5, {{3, 4, 10, 0.25}}, {5, 0, 1}};
  return model;
}

TEST(ModelFile, TheFirstFilesOfVersion2SayTheSameInOtherPlaces) {
  const Model model = countable_model();
  expect_same_model(model_from_json(sealed(earlier_document(model))), model);
}

TEST(ModelFile, TheirSingleRecipeStandsAmongTheOptions) {
  Model model = countable_model();
  model.options.parts.resize(1);
  expect_same_model(model_from_json(sealed(earlier_document(model))), model);
}

TEST(ModelFile, AnEarlierFileKnowsNoSparsity) {
  Model model = countable_model();
  Json document = earlier_document(model);
  document["options"].erase("sparsity_penalty");
  for (Json& part : document["options"]["blend"]) part.erase("sparsity_penalty");
  for (Json& tried : document["tuning"]["tried"]) tried.erase("sparsity_penalty");
  for (Recipe& part : model.options.parts) part.sparsity_penalty = 0;
  expect_same_model(model_from_json(sealed(document)), model);
}

TEST(ModelFile, AnEarlierFileKnowsNoSpikesAndNoMethodsOfRecipes) {
  Model model = countable_model();
  Json document = earlier_document(model);
  document["options"]["encoder"].erase("spike_share");
  for (Json& part : document["options"]["blend"]) {
    part.erase("spike_share");
    part.erase("method");
  }
  for (Recipe& part : model.options.parts) {
    part.spike_share = 0;
    part.method = Optimizer::lbfgs;
  }
  expect_same_model(model_from_json(sealed(document)), model);
}

TEST(ModelFile, ARecipeWithoutANewerFieldHasItsDefault) {
  Json document = Json::parse(model_to_json(small_model()));
  for (Json& part : document["options"]["parts"]) part.erase("sparsity_penalty");
  for (Json& tried : document["record"]["search"]["tried"]) tried.erase("init_stddev");
  Model expected = small_model();
  for (Recipe& part : expected.options.parts) part.sparsity_penalty = Recipe{}.sparsity_penalty;
  for (TriedRecipe& tried : expected.record.search->tried) tried.recipe.init_stddev = Recipe{}.init_stddev;
  expect_same_model(model_from_json(sealed(document)), expected);
}

TEST(ModelFile, AnEarlierFileHasNoFloorUnderTheProbabilities) {
  Json document = Json::parse(model_to_json(small_model()));
  document["assignment"]["calibration"].erase("floor");
  const Model old = model_from_json(sealed(document));
  EXPECT_TRUE(old.assignment.calibration.floor.empty());
  const Assigner assigner(old.assignment);
  std::vector<double> probabilities(static_cast<std::size_t>(old.schema.class_count()));
  assigner.probabilities(1e9, probabilities);
  EXPECT_LT(probabilities.front(), 1e-9);
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
  for (auto& entry : model.certificate.attributes) entry.holds = false;  // numbers that prove nothing
  model.certificate.holds = false;
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
  for (auto& entry : model.certificate.attributes) entry.holds = false;  // numbers that prove nothing
  model.certificate.holds = false;
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
  EXPECT_TRUE(text.starts_with("{\n  \"format\": \"xofm model\",\n  \"version\": 2,\n  \"checksum\": "))
      << text.substr(0, 80);
  EXPECT_TRUE(text.ends_with("}\n"));
  EXPECT_NE(text.find("\n      \"knots\": [0.0, 0.1, 0.7],\n"), std::string::npos);
}

}  // namespace
}  // namespace xofm
