// xofm tune and the search of xofm fit: what is chosen is shown, kept in the model and repeatable.
#include <chrono>
#include <nlohmann/json.hpp>

#include "support/cli_test.hpp"

namespace xofm::testing {
namespace {

using Json = nlohmann::ordered_json;

struct CliTune : CliTest {
  CliTune() {
    generate("train.csv");
    generate("test.csv", 40, {"--seed", "2"});
  }
  // Small enough for a test: two candidates, few epochs.
  const Words small = {"--budget", "500", "--max-epochs", "8", "--segment-count", "4"};

  Words with_small(Words words) const {
    words.insert(words.end(), small.begin(), small.end());
    return words;
  }
};

TEST_F(CliTune, ShowsWhatWasTriedAndWhatTheModelIsMadeOf) {
  const std::string text = output(with_small({"tune", "train.csv", "--label", "class", "--table", "tried.csv"}));
  EXPECT_NE(text.find("average of the recipes with a share"), std::string::npos) << text;
  EXPECT_NE(text.find("On unseen rows, 5 folds: accuracy"), std::string::npos) << text;
  const Csv table(folder.content("tried.csv"));
  ASSERT_GE(table.rows.size(), 2U);
  double weight = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    EXPECT_EQ(table.at(i, "segment_count"), "4");
    EXPECT_EQ(table.at(i, "max_epochs"), "8");
    weight += table.number(i, "weight");
  }
  EXPECT_GT(weight, 0);
}

TEST_F(CliTune, TheOptionsOfAModelTrainItAgainWithoutASearch) {
  output({"fit", "train.csv", "-q", "--budget", "3000", "--max-epochs", "8", "-o", "by_search.json"});
  output({"fit", "train.csv", "-q", "--options-of", "by_search.json", "-o", "again.json"});
  const Json a = Json::parse(folder.content("by_search.json"));
  const Json b = Json::parse(folder.content("again.json"));
  EXPECT_GT(a["options"]["parts"].size(), 1U);
  EXPECT_EQ(a["options"], b["options"]);
  EXPECT_EQ(a["assignment"]["rule"], b["assignment"]["rule"]);
  EXPECT_TRUE(a["record"].contains("search"));
  EXPECT_FALSE(b["record"].contains("search"));
  // The fits are others, on other folds.
  const auto accuracy = [&](const std::string& model) {
    return Json::parse(output({"evaluate", model, "test.csv", "--json"}))["accuracy"].get<double>();
  };
  EXPECT_NEAR(accuracy("again.json"), accuracy("by_search.json"), 0.15);
  EXPECT_NE(output({"show", "again.json"}).find("Taken from the average of"), std::string::npos);
  EXPECT_NE(output({"validate", "train.csv", "--options-of", "again.json", "--folds", "2"}).find("accuracy"),
            std::string::npos);
  expect_refusal({"fit", "train.csv", "--options-of", "again.json", "--segment-count", "9"}, 2,
                 {"--options-of", "recipes"});
  expect_refusal({"fit", "train.csv", "--options-of", "again.json", "--tune"}, 2, {"--options-of"});
  expect_refusal({"fit", "train.csv", "--options-of", "nothing.json"}, 5, {"nothing.json"});
}

TEST_F(CliTune, OfLargeDataAPartIsHeldOut) {
  generate("large.csv", 12000);
  const std::string text = output(with_small({"fit", "large.csv", "--factor-count", "0", "--pairs", "all"}));
  EXPECT_NE(text.find("Trained likewise without a part of the rows: accuracy 0."), std::string::npos) << text;
  const Json model = Json::parse(folder.content("model.json"));
  EXPECT_EQ(model["validation"]["trial_count"], 1);
  EXPECT_TRUE(model["validation"]["metrics"]["accuracy"]["spread"].is_null());
  EXPECT_EQ(model["options"]["bag_count"], 1);
  EXPECT_NE(output(with_small({"tune", "large.csv", "--factor-count", "0"})).find("On unseen rows, a part of all:"),
            std::string::npos);
}

TEST_F(CliTune, FitSearchesByItselfAndTheModelKeepsTheRecord) {
  const std::string text = output(with_small({"fit", "train.csv"}));
  EXPECT_NE(text.find("Options chosen from"), std::string::npos) << text;
  EXPECT_NE(text.find("In cross-validation: accuracy"), std::string::npos) << text;
  const Json model = Json::parse(folder.content("model.json"));
  const Json& search = model["record"]["search"];
  EXPECT_EQ(search["aim"], "mae");
  EXPECT_EQ(search["out_of_time"], false);
  EXPECT_GE(search["tried"].size(), 2U);
  EXPECT_EQ(model["record"]["interrupted"], false);
  EXPECT_EQ(model["validation"]["trial_count"], 5);
  EXPECT_EQ(output({"fit", "--no-tune", "train.csv"}).find("Options chosen"), std::string::npos);
  EXPECT_FALSE(Json::parse(folder.content("model.json"))["record"].contains("search"));
}

TEST_F(CliTune, TheSameSeedGivesTheSameModelForAnyNumberOfThreads) {
  output(with_small({"fit", "train.csv", "-q", "--threads", "1", "-o", "one.json"}));
  output(with_small({"fit", "train.csv", "-q", "--threads", "3", "-o", "three.json"}));
  EXPECT_EQ(folder.content("one.json"), folder.content("three.json"));
}

TEST_F(CliTune, ATimeThatIsUpIsRecorded) {
  const std::string text = output({"fit", "train.csv", "--budget", "0.000001s"});
  EXPECT_NE(text.find("no recipe: the time was up before one was judged"), std::string::npos) << text;
  EXPECT_EQ(Json::parse(folder.content("model.json"))["record"]["search"]["out_of_time"], true);
}

TEST_F(CliTune, ATimeLimitIsOfEverything) {
  generate("large.csv", 30000);
  const auto start = std::chrono::steady_clock::now();
  const std::string text = output({"fit", "large.csv", "--budget", "3s"});
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_NE(text.find("until the time was up"), std::string::npos) << text;
  constexpr double patience = 9;  // three on a machine of its own
  EXPECT_LT(taken.count(), patience);
}

TEST_F(CliTune, ASmallBudgetIsKeptAndCountedRightly) {
  const std::string text = output({"fit", "train.csv", "--budget", "300"});
  EXPECT_NE(text.find("Options chosen from 2 recipes, 300 training passes:"), std::string::npos) << text;
  const std::string one = output({"fit",
                                  "train.csv",
                                  "--budget",
                                  "300",
                                  "--segment-count",
                                  "3",
                                  "--knots",
                                  "quantile",
                                  "--spike-share",
                                  "0",
                                  "--factor-count",
                                  "0",
                                  "--increment-penalty",
                                  "0.01",
                                  "--sparsity-penalty",
                                  "0",
                                  "--pair-weighting",
                                  "uniform",
                                  "--method",
                                  "lbfgs"});
  EXPECT_NE(one.find("Options chosen from 1 recipe, "), std::string::npos) << one;
  EXPECT_EQ(one.find("stopped at --max-epochs"), std::string::npos) << one;
}

TEST_F(CliTune, JsonHasTheWholeRecord) {
  const Json json = Json::parse(output(with_small({"tune", "train.csv", "--json", "--aim", "accuracy"})));
  EXPECT_EQ(json["search"]["aim"], "accuracy");
  EXPECT_EQ(json["interrupted"], false);
  EXPECT_EQ(json["validation"]["trial_count"], 5);
  EXPECT_TRUE(json["search"]["tried"][0].contains("accuracy"));
}

TEST_F(CliTune, AModelPromisesCoverageUnlessItHasOnlyTrainingScores) {
  output(with_small({"fit", "train.csv", "-q"}));
  const Csv csv(output({"predict", "model.json", "test.csv", "--coverage", "0.9"}));
  ASSERT_EQ(csv.header.back(), "covering_highest");
  for (std::size_t i = 0; i < csv.rows.size(); ++i) {
    EXPECT_LE(std::stoi(csv.at(i, "covering_lowest")), std::stoi(csv.at(i, "covering_highest")));
  }
  const std::string text = output({"predict", "model.json", "test.csv", "--coverage", "0.9", "--text", "--limit", "1"});
  EXPECT_NE(text.find("in 90 % of such cases the truth is"), std::string::npos) << text;
  output({"fit", "--no-tune", "train.csv", "-q"});
  EXPECT_EQ(Csv(output({"predict", "model.json", "test.csv", "--coverage", "0.9"})).header.back(), "covering_highest");
  output({"fit", "--no-tune", "--reference-scores", "training", "train.csv", "-q"});
  expect_refusal({"predict", "model.json", "test.csv", "--coverage", "0.9"}, 4, {"no coverage", "bag_count"});
  expect_refusal({"predict", "model.json", "test.csv", "--coverage", "2"}, 2, {"coverage is 2", "between 0 and 1"});
}

TEST_F(CliTune, EvaluateAndValidateShowReliability) {
  output({"fit", "--no-tune", "train.csv", "-q"});
  EXPECT_NE(output({"evaluate", "model.json", "test.csv", "--reliability"}).find("0.90 to 1.00"), std::string::npos);
  const Json json = Json::parse(output({"evaluate", "model.json", "test.csv", "--reliability", "--json"}));
  std::size_t statements = 0;
  for (const auto& bin : json["reliability"]) statements += bin["count"].get<std::size_t>();
  EXPECT_EQ(statements, 2 * 40U);  // three classes, forty rows
  const Words validate = {"validate", "train.csv", "--no-tune", "--folds", "3", "--max-epochs", "5", "--reliability"};
  EXPECT_NE(output(validate).find("0.90 to 1.00"), std::string::npos);
}

TEST_F(CliTune, ThePresetOfThePaperChoosesSegmentsAndMarginAndNothingElse) {
  const Words quick = {"train.csv", "--preset",     "paper", "--max-epochs", "1", "--factor-count",
                       "0",         "--fold-count", "2"};
  const auto words = [&](Words first, const Words& last = {}) {
    first.insert(first.end(), quick.begin(), quick.end());
    first.insert(first.end(), last.begin(), last.end());
    return first;
  };
  const std::string text = output(words({"tune"}, {"--table", "tried.csv"}));
  EXPECT_NE(text.find("15 recipes"), std::string::npos) << text;
  EXPECT_NE(text.find("mean absolute error in 2 folds"), std::string::npos) << text;
  const std::string table = folder.content("tried.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 16);
  EXPECT_NE(table.find(",margin,loss,accuracy,mae\n"), std::string::npos);
  const auto fitted = nlohmann::json::parse(output(words({"fit", "--tune", "--json"}, {"-o", "m.json"})));
  const auto& tried = fitted["record"]["search"]["tried"];
  EXPECT_EQ(tried[0]["weight"], 1);
  const auto model = nlohmann::json::parse(folder.content("m.json"));
  EXPECT_EQ(model["options"]["margin"], tried[0]["margin"]);
  EXPECT_EQ(model["options"]["parts"][0]["segment_count"], tried[0]["segment_count"]);
  EXPECT_EQ(model["options"]["parts"][0]["method"], "sgd");
  // What is given is fixed.
  const std::string given = output(words({"tune"}, {"--segment-count", "3", "--margin", "0.7"}));
  EXPECT_NE(given.find("1 recipe,"), std::string::npos) << given;
  EXPECT_NE(given.find("3 segments, sgd, no pairs"), std::string::npos) << given;
  EXPECT_NE(given.find("margin 0.7"), std::string::npos) << given;
}

TEST_F(CliTune, ThePresetOfThePaperIsValidatedOnThePapersSplits) {
  const Words quick = {"validate", "train.csv",      "--preset", "paper", "--max-epochs",
                       "1",        "--factor-count", "0",        "--json"};
  const auto trial_count = [&](const Words& last) {
    Words words = quick;
    words.insert(words.end(), last.begin(), last.end());
    return nlohmann::json::parse(output(words))["trials"].size();
  };
  EXPECT_EQ(trial_count({}), 30U);
  EXPECT_EQ(trial_count({"--repeats", "2"}), 2U);
  EXPECT_EQ(trial_count({"--folds", "3"}), 3U);
}

TEST_F(CliTune, ContradictionsAndSenselessValuesAreRefused) {
  expect_refusal({"fit", "train.csv", "--tune", "--no-tune"}, 2, {"--no-tune"});
  for (const Words& option : {Words{"--most-parts", "3"}, Words{"--budget", "500"}}) {
    expect_refusal({"fit", "train.csv", "--no-tune", option[0], option[1]}, 2, {option[0], "--no-tune"});
  }
  expect_refusal({"fit", "train.csv", "--most-parts", "0"}, 2, {"most_parts is 0", "1 to 1000"});
  expect_refusal({"fit", "train.csv", "--preset", "paper", "--tune", "--budget", "9"}, 2, {"--budget", "paper"});
  expect_refusal({"tune", "train.csv", "--preset", "paper", "--most-parts", "2"}, 2, {"--most-parts", "paper"});
  for (const char* const budget : {"x", "-5", "0", "5d", "", "1e400", "nan"}) {
    expect_refusal({"tune", "train.csv", "--budget", budget}, 2, {"--budget"});
  }
  expect_refusal({"fit", "train.csv", "--class-weights", "9=2"}, 2, {"'9'", "1, 2, 3"});
  expect_refusal({"fit", "train.csv", "--class-weights", "1=0"}, 2, {"positive"});
  expect_refusal({"fit", "train.csv", "--auto-direction", "2"}, 2, {"auto_direction", "0 to 1"});
}

}  // namespace
}  // namespace xofm::testing
