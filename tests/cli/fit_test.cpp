// xofm fit: what it writes, prints and takes from its options.
#include <cmath>
#include <nlohmann/json.hpp>

#include "support/cli_test.hpp"
#include "support/compress.hpp"

namespace xofm::testing {
namespace {

using Json = nlohmann::json;
using CliFit = CliTest;

TEST_F(CliFit, TheGrammarOfTheScripts) {
  generate("train.csv");
  const std::string out = output({"fit", "--no-tune", "train.csv", "--label", "class", "-o", "model.json"});
  EXPECT_NE(out.find("Trained on 150 of 150 rows, 4 attributes, 3 classes of 'class'"), std::string::npos) << out;
  EXPECT_NE(out.find("Model written to model.json"), std::string::npos) << out;
  EXPECT_EQ(Json::parse(folder.content("model.json"))["label"], "class");
}

TEST_F(CliFit, TheModelGoesToModelJsonUnlessToldOtherwise) {
  generate("train.csv");
  output({"fit", "--no-tune", "train.csv"});
  EXPECT_FALSE(folder.content("model.json").empty());
}

TEST_F(CliFit, QuietPrintsNothing) {
  generate("train.csv");
  EXPECT_EQ(output({"fit", "--no-tune", "train.csv", "--quiet"}), "");
  EXPECT_EQ(output({"-q", "fit", "--no-tune", "train.csv"}), "");
}

TEST_F(CliFit, JsonIsOneDocument) {
  generate("train.csv");
  const Json json = Json::parse(output({"fit", "--no-tune", "train.csv", "--json", "--holdout", "0.2"}));
  EXPECT_EQ(json["model"], "model.json");
  EXPECT_EQ(json["row_count"].get<int>() + json["holdout"]["row_count"].get<int>(), 150);
  EXPECT_EQ(json["stop_reason"], "converged");
  EXPECT_GT(json["holdout"]["accuracy"], 0.5);
}

TEST_F(CliFit, BandsAndDescriptionsGoIntoTheModel) {
  generate("train.csv");
  folder.file("d.csv", "attribute,description,unit\nx2,Debt,EUR\n");
  const Words words = {"fit", "--no-tune", "train.csv", "--bands", "4", "--descriptions", "d.csv", "--holdout", "0.2"};
  EXPECT_NE(output(words).find("Bands of the curves from 4 refits."), std::string::npos);
  const Json model = Json::parse(folder.content("model.json"));
  EXPECT_EQ(model["bands"]["refit_count"], 4);
  EXPECT_EQ(model["bands"]["attributes"].size(), 4U);
  EXPECT_EQ(model["attributes"][1]["description"], "Debt");
  EXPECT_EQ(model["attributes"][1]["unit"], "EUR");
  // A warm start keeps the descriptions.
  output({"fit", "--no-tune", "train.csv", "--warm-start", "model.json", "-o", "warm.json"});
  EXPECT_EQ(Json::parse(folder.content("warm.json"))["attributes"][1]["unit"], "EUR");
}

TEST_F(CliFit, DescriptionsOfOtherAttributesAreRefused) {
  generate("train.csv");
  folder.file("d.csv", "attribute,description\nx9,Debt\n");
  expect_refusal({"fit", "--no-tune", "train.csv", "--descriptions", "d.csv"}, 3,
                 {"d.csv, line 2", "\"x9\" is no attribute"});
  expect_refusal({"fit", "--no-tune", "-", "--descriptions", "-"}, 2, {"standard input"},
                 {.input = folder.content("train.csv")});
}

TEST_F(CliFit, DashesAreStandardInputAndOutput) {
  generate("train.csv");
  output({"fit", "--no-tune", "train.csv", "-o", "model.json"});
  const std::string model = output({"fit", "--no-tune", "-", "-o", "-"}, {.input = folder.content("train.csv")});
  EXPECT_EQ(model, folder.content("model.json"));
}

TEST_F(CliFit, CompressedDataGiveTheSameModel) {
  generate("train.csv");
  output({"fit", "--no-tune", "train.csv", "-o", "plain.json"});
  folder.file("train.csv.gz", gzip(folder.content("train.csv")));
  folder.file("train.csv.zst", zstd(folder.content("train.csv")));
  output({"fit", "--no-tune", "train.csv.gz", "-o", "gz.json"});
  output({"fit", "--no-tune", "train.csv.zst", "-o", "zst.json"});
  EXPECT_EQ(folder.content("gz.json"), folder.content("plain.json"));
  EXPECT_EQ(folder.content("zst.json"), folder.content("plain.json"));
}

TEST_F(CliFit, SameSeedSameBytesForAnyNumberOfThreads) {
  generate("train.csv", 3000);
  for (const std::string threads : {"1", "2", "5"}) {
    output({"fit", "--no-tune", "train.csv", "-o", threads, "--threads", threads, "--max-epochs", "20", "--seed", "3"});
    EXPECT_EQ(folder.content(threads), folder.content("1")) << threads;
  }
  output({"fit", "--no-tune", "train.csv", "-o", "other", "--max-epochs", "20", "--seed", "4"});
  EXPECT_NE(folder.content("other"), folder.content("1"));
}

TEST_F(CliFit, SgdIsTheSameForAnyNumberOfThreadsToo) {
  generate("train.csv", 200);
  for (const std::string threads : {"1", "2"}) {
    output(
        {"fit", "--no-tune", "train.csv", "-o", threads, "--threads", threads, "--method", "sgd", "--max-epochs", "3"});
  }
  EXPECT_EQ(folder.content("2"), folder.content("1"));
}

TEST_F(CliFit, ThePaperPresetIsInTheModelAndOptionsOverrideIt) {
  generate("train.csv", 60);
  output({"fit", "--no-tune", "train.csv", "--preset", "paper", "--segment-count", "5", "--max-epochs", "2", "--aim",
          "accuracy"});
  const Json model = Json::parse(folder.content("model.json"));
  const Json& recipe = model["options"]["parts"][0];
  EXPECT_EQ(recipe["knots"], "equal_width");
  EXPECT_EQ(recipe["segment_count"], 5);
  EXPECT_EQ(recipe["increment_penalty"], 0.0);
  EXPECT_EQ(recipe["factor_penalty"], 0.0);
  EXPECT_EQ(recipe["method"], "sgd");
  EXPECT_EQ(recipe["max_epochs"], 2);
  EXPECT_EQ(model["assignment"]["rule"], "support");
  EXPECT_EQ(model["assignment"]["aim"], "accuracy");
}

TEST_F(CliFit, EveryModelAndTrainingOptionArrivesInTheModel) {
  generate("train.csv");
  output({"fit",
          "--no-tune",
          "train.csv",
          "--knots",
          "equal_width",
          "--segment-count",
          "4",
          "--segment-counts",
          "x1=2,x2=3",
          "--spike-share",
          "0.25",
          "--given-knots",
          "x3=0,0.25,1",
          "--factor-count",
          "2",
          "--margin",
          "0.5",
          "--increment-penalty",
          "0.02",
          "--factor-penalty",
          "0.03",
          "--sparsity-penalty",
          "0.001",
          "--pair-weighting",
          "distance",
          "--rule",
          "threshold",
          "--reference-limit",
          "20",
          "--max-epochs",
          "7",
          "--tolerance",
          "1e-3",
          "--restart-count",
          "2",
          "--seed",
          "18446744073709551615",
          "--init-stddev",
          "0.2",
          "--learning-rate",
          "0.3",
          "--learning-rate-decay",
          "0.4",
          "--step",
          "adam",
          "--chain-count",
          "3",
          "--loss-form",
          "sweep",
          "--aim",
          "accuracy"});
  const Json model = Json::parse(folder.content("model.json"));
  const Json& options = model["options"];
  EXPECT_EQ(options["parts"], Json::parse(R"([{"method": "lbfgs", "knots": "equal_width", "segment_count": 4,
      "spike_share": 0.25, "factor_count": 2, "increment_penalty": 0.02, "factor_penalty": 0.03,
      "sparsity_penalty": 0.001, "pair_weighting": "distance", "init_stddev": 0.2, "max_epochs": 7, "weight": 1.0}])"));
  EXPECT_EQ(options["attributes"], Json::parse(R"({"segment_counts": {"x1": 2, "x2": 3},
      "given_knots": {"x3": [0.0, 0.25, 1.0]}, "directions": {}})"));
  EXPECT_EQ(options["optimizer"], Json::parse(R"({"tolerance": 1e-3, "restart_count": 2,
      "seed": 18446744073709551615, "learning_rate": 0.3, "learning_rate_decay": 0.4,
      "step": "adam", "chain_count": 3})"));
  EXPECT_EQ(options["margin"], 0.5);
  EXPECT_EQ(options["loss_form"], "sweep");
  EXPECT_EQ(model["assignment"]["rule"], "threshold");
  EXPECT_EQ(model["assignment"]["reference_limit"], 20);
  EXPECT_EQ(model["reference"][0]["scores"].size(), 20U);
}

TEST_F(CliFit, BoostingTrainsShowsAndPredictsLikeAnyModel) {
  generate("train.csv");
  output({"fit", "--no-tune", "train.csv", "--method", "boost", "--max-epochs", "40", "--segment-count", "20"});
  const Json model = Json::parse(folder.content("model.json"));
  EXPECT_EQ(model["options"]["parts"][0]["method"], "boost");
  EXPECT_GT(model["factor_count"], 0);
  EXPECT_EQ(model["summary"]["epochs"], 40);
  const std::string shown = output({"show", "model.json"});
  EXPECT_NE(shown.find("boost, pairs, increment_penalty"), std::string::npos) << shown;
  EXPECT_GT(Json::parse(output({"evaluate", "model.json", "train.csv", "--json"}))["accuracy"], 0.9);
  expect_refusal({"fit", "--no-tune", "train.csv", "--method", "boost", "--increasing", "x1"}, 2,
                 {"boost cannot keep a direction"});
  expect_refusal({"fit", "--no-tune", "train.csv", "--method", "boost", "--warm-start", "model.json"}, 2,
                 {"boost starts from nothing"});
  expect_refusal({"path", "train.csv", "--method", "boost"}, 2, {"boost starts from nothing"});
}

TEST_F(CliFit, MonotoneAttributesAreCertifiedAndTheSummarySaysSo) {
  generate("train.csv");
  const std::string out = output({"fit", "--no-tune", "train.csv", "--increasing", "x1,x2", "--decreasing", "x3"});
  EXPECT_NE(out.find("Monotone in 3 attributes: certified over the whole space."), std::string::npos) << out;
  const Json model = Json::parse(folder.content("model.json"));
  EXPECT_EQ(model["certificate"]["holds"], true);
  EXPECT_EQ(model["attributes"][2]["direction"], "decreasing");
  EXPECT_NE(output({"show", "model.json"}).find("decreasing, certified"), std::string::npos);
}

TEST_F(CliFit, AHoldoutIsReportedAndSaved) {
  generate("train.csv");
  const std::string out = output({"fit", "--no-tune", "train.csv", "--holdout", "0.2"});
  EXPECT_NE(out.find("On the 30 rows kept out: accuracy "), std::string::npos) << out;
  EXPECT_EQ(Json::parse(folder.content("model.json"))["holdout"]["row_count"], 30);
  EXPECT_NE(output({"show", "model.json"}).find("Kept out: 30 rows"), std::string::npos);
}

TEST_F(CliFit, AWarmStartContinuesWithTheSameKnots) {
  generate("train.csv");
  output({"fit", "--no-tune", "train.csv", "-o", "first.json"});
  const Json cold = Json::parse(output({"fit", "--no-tune", "train.csv", "--max-epochs", "3", "--json"}));
  const Json warm = Json::parse(
      output({"fit", "--no-tune", "train.csv", "--max-epochs", "3", "--json", "--warm-start", "first.json"}));
  EXPECT_LT(warm["objective"], cold["objective"]);
  const Json first = Json::parse(folder.content("first.json"));
  const Json second = Json::parse(folder.content("model.json"));
  EXPECT_LE(warm["objective"], first["summary"]["objective"]);
  EXPECT_EQ(first["attributes"][0]["knots"], second["attributes"][0]["knots"]);
}

TEST_F(CliFit, AWarmStartRefusesOptionsThatItsKnotsDecide) {
  make_model();
  expect_refusal({"fit", "--no-tune", "train.csv", "--warm-start", "model.json", "--increasing", "x1"}, 2,
                 {"--increasing", "--warm-start"});
  expect_refusal({"fit", "--no-tune", "train.csv", "--segment-count", "3", "--warm-start", "model.json"}, 2,
                 {"--segment-count"});
}

TEST_F(CliFit, TextLabelsFollowTheGivenOrder) {
  folder.file("t.csv", "a,grade\n1,low\n2,mid\n3,high\n1.5,low\n2.5,mid\n3.5,high\n");
  output({"fit", "--no-tune", "t.csv", "--classes", "low,mid,high"});
  EXPECT_EQ(Json::parse(folder.content("model.json"))["classes"], Json({"low", "mid", "high"}));
  const Csv csv(output({"predict", "model.json", "t.csv"}));
  EXPECT_LT(csv.number(0, "score"), csv.number(2, "score"));
  EXPECT_EQ(csv.header[5], "support_low");
}

TEST_F(CliFit, NumericLabelsAreInNumericOrder) {
  folder.file("t.csv", "a,grade\n1,-2\n2,9\n3,10\n1.5,-2\n2.5,9\n3.5,10\n");
  output({"fit", "--no-tune", "t.csv"});
  EXPECT_EQ(Json::parse(folder.content("model.json"))["classes"], Json({"-2", "9", "10"}));
}

TEST_F(CliFit, RowsOfWeightZeroMightAsWellBeAbsent) {
  std::string all = "a,b,w,y\n";
  std::string few = "a,b,y\n";
  for (int i = 0; i < 60; ++i) {
    const std::string cells = fmt::format("{},{}", i * 37 % 61, i * 17 % 23);
    all += fmt::format("{},{},{}\n", cells, i % 3 == 0 ? 0 : 1, 1 + i * 37 % 61 / 21);
    if (i % 3 != 0) few += fmt::format("{},{}\n", cells, 1 + i * 37 % 61 / 21);
  }
  folder.file("all.csv", all);
  folder.file("few.csv", few);
  output({"fit", "--no-tune", "all.csv", "--weight", "w", "-o", "all.json"});
  output({"fit", "--no-tune", "few.csv", "-o", "few.json"});
  EXPECT_EQ(output({"predict", "all.json", "all.csv"}), output({"predict", "few.json", "all.csv"}));
}

TEST_F(CliFit, ColumnsCanBeChosenWithTheDataFileBehindTheList) {
  generate("train.csv");
  output({"fit", "--no-tune", "--ignore", "x1,x2", "train.csv", "--label", "class", "-o", "ignore.json"});
  output({"fit", "--no-tune", "--use", "x3", "--use", "x4", "train.csv", "-o", "use.json"});
  EXPECT_EQ(folder.content("ignore.json"), folder.content("use.json"));
  output({"fit", "--no-tune", "train.csv", "--categorical", "x4", "--numeric", "x1", "--missing", "0,none", "-o",
          "m.json"});
  const Json model = Json::parse(folder.content("m.json"));
  EXPECT_EQ(model["attributes"][3]["kind"], "categorical");
  EXPECT_EQ(model["missing"], Json({"0", "none", ""}));
}

TEST_F(CliFit, AClassWithOneObjectIsEnough) {
  folder.file("t.csv", "a,y\n1,1\n2,2\n3,2\n4,2\n");
  output({"fit", "--no-tune", "t.csv"});
  EXPECT_EQ(Csv(output({"predict", "model.json", "t.csv"})).rows.size(), 4U);
  output({"fit", "--no-tune", "t.csv", "--holdout", "0.5"});
}

TEST_F(CliFit, AConstantColumnAndMissingCellsAreNoObstacle) {
  folder.file("t.csv", "a,k,y\n1,7,1\nNA,7,2\n3,7,2\n,7,1\n5,7,2\n");
  output({"fit", "--no-tune", "t.csv"});
  output({"show", "model.json"});
  EXPECT_EQ(Csv(output({"predict", "model.json", "t.csv"})).rows.size(), 5U);
}

}  // namespace
}  // namespace xofm::testing
