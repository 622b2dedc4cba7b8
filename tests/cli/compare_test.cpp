// xofm compare and xofm path.
#include <nlohmann/json.hpp>

#include "support/cli_test.hpp"
#include "xofm/path.hpp"

namespace xofm::testing {
namespace {

using Json = nlohmann::json;
using CliCompare = CliTest;
using CliPath = CliTest;

void expect_texts(const std::string& out, const Words& texts) {
  for (const auto& text : texts) EXPECT_NE(out.find(text), std::string::npos) << text << "\n" << out;
}

TEST_F(CliCompare, TwoModelsAsText) {
  make_model();
  output(
      {"fit", "--no-tune", "train.csv", "-o", "flat.json", "-q", "--increment-penalty", "1", "--factor-penalty", "1"});
  const std::string out = output({"compare", "model.json", "flat.json", "--data", "test.csv", "--details"});
  expect_texts(out, {"a  model.json: 150 rows, 4 attributes", "b  flat.json", "increment_penalty 1, factor_penalty 1",
                     "Attributes by importance", "x1", "▁", "Pairs by strength", "(across): '++' above",
                     "of 40 rows change their class", "class in a (down) by class in b (across)", "  row "});
  expect_texts(output({"compare", "model.json", "model.json", "--data", "test.csv"}), {"0 of 40 rows change"});
  // What matters comes first: who changes class, then the metrics.
  EXPECT_LT(out.find("rows change their class"), out.find("How good they are on these rows"));
  EXPECT_LT(out.find("How good they are on these rows"), out.find("Attributes by importance"));
  const std::string brief = output({"compare", "model.json", "flat.json", "--data", "test.csv"});
  EXPECT_EQ(brief.find("Attributes by importance"), std::string::npos);
  EXPECT_NE(brief.find("--details"), std::string::npos);
  // The heat-maps share one scale: the first model reaches its ends, the heavily penalised one stays in the middle.
  const std::size_t a = out.find("\n  a\n", out.find("Pairs by strength"));
  const std::size_t b = out.find("\n  b\n", a);
  ASSERT_TRUE(a != std::string::npos && b != std::string::npos) << out;
  EXPECT_NE(out.substr(a, b - a).find("++"), std::string::npos) << out;
  EXPECT_EQ(out.substr(b).find("++"), std::string::npos) << out;
  expect_texts(output({"compare", "model.json", "flat.json", "--top", "1", "--details"}), {"and 3 more (--top)"});
}

TEST_F(CliCompare, JsonAgreesWithThePredictions) {
  make_model();
  output(
      {"fit", "--no-tune", "train.csv", "-o", "other.json", "-q", "--factor-count", "0", "--increment-penalty", "1"});
  const Json json = Json::parse(output({"compare", "model.json", "other.json", "--data", "test.csv", "--json"}));
  const Csv a(output({"predict", "model.json", "test.csv"}));
  const Csv b(output({"predict", "other.json", "test.csv"}));
  std::size_t changed = 0;
  for (std::size_t i = 0; i < 40; ++i) changed += a.at(i, "class") != b.at(i, "class") ? 1 : 0;
  EXPECT_EQ(json["changes"].size(), changed);
  for (const auto& change : json["changes"]) {
    const std::size_t row = change["row"].get<std::size_t>() - 1;
    EXPECT_EQ(change["first_class"], a.at(row, "class"));
    EXPECT_EQ(change["second_class"], b.at(row, "class"));
  }
  EXPECT_EQ(json["attributes"].size(), 4U);
  EXPECT_EQ(json["pairs"].size(), 6U);
  EXPECT_EQ(json["pairs"][0]["second_range"], 0.0);
  EXPECT_EQ(json["attributes"][0]["first_curve"].size(), json["attributes"][0]["knots"].size());
}

TEST_F(CliCompare, OtherAttributesAndClassesAreSaid) {
  make_model();
  output({"fit", "--no-tune", "train.csv", "-o", "few.json", "-q", "--ignore", "x2"});
  expect_texts(output({"compare", "model.json", "few.json", "--details"}), {"only in a"});
  expect_texts(output({"compare", "few.json", "model.json", "--details"}), {"only in b"});
  output({"generate", "--rows", "100", "--attributes", "4", "--classes", "2", "-o", "other.csv"});
  output({"fit", "--no-tune", "other.csv", "-o", "two.json", "-q"});
  expect_texts(output({"compare", "model.json", "two.json", "--details"}), {"Attributes by importance"});
  expect_refusal({"compare", "model.json", "two.json", "--data", "test.csv"}, 3,
                 {"different classes: 1, 2, 3 and 1, 2"});
  expect_refusal({"compare", "model.json"}, 2, {"required"});
  expect_refusal({"compare", "model.json", "none.json"}, 5, {"none.json"});
  expect_refusal({"compare", "model.json", "few.json", "--data", "none.csv"}, 5, {"none.csv"});
}

TEST_F(CliPath, TheTableAsTextCsvAndJson) {
  generate("train.csv");
  const Words grid = {"path",    "train.csv", "--increment-penalties", "0.1,0.01", "--factor-penalties", "0.001,0.1,1",
                      "--folds", "3"};
  const auto with = [&](const Words& more) {
    Words words = grid;
    words.insert(words.end(), more.begin(), more.end());
    return output(words);
  };
  const std::string text = with({"-o", "path.csv"});
  expect_texts(text, {"mean and spread over 3 folds", "increment_penalty factor_penalty", "±", "least MAE"});
  const Csv csv(folder.content("path.csv"));
  ASSERT_EQ(csv.rows.size(), 6U);
  const Json json = Json::parse(with({"--json"}));
  for (std::size_t p = 0; p < 6; ++p) {
    EXPECT_EQ(csv.number(p, "increment_penalty"), p < 3 ? 0.01 : 0.1);
    EXPECT_EQ(csv.number(p, "mae_mean"), json["points"][p]["mae"]["mean"]);
    EXPECT_EQ(csv.number(p, "loss"), json["points"][p]["loss"]);
  }
  EXPECT_EQ(with({"-o", "-"}), folder.content("path.csv"));
  EXPECT_EQ(with({"--quiet"}), "");
}

TEST_F(CliPath, AModelCarriesItsPath) {
  generate("train.csv");
  folder.file("d.csv", "attribute,description\nx1,Income\n");
  const std::string out =
      output({"path", "train.csv", "--increment-penalties", "0.01", "--factor-penalties", "0.01,0.1", "--folds", "0",
              "--model", "m.json", "--bands", "3", "--descriptions", "d.csv", "--margin", "0.5"});
  expect_texts(out, {"--folds validates too", "Model with this path written to m.json"});
  const Json model = Json::parse(folder.content("m.json"));
  EXPECT_EQ(model["path"]["points"].size(), 2U);
  EXPECT_TRUE(model["path"]["points"][0]["mae"]["mean"].is_null());
  EXPECT_EQ(model["bands"]["refit_count"], 3);
  EXPECT_EQ(model["attributes"][0]["description"], "Income");
  expect_texts(output({"show", "m.json"}), {"Bands of the curves: from 3 refits", "Path over penalties: 2 models"});
  // But for the path it is the model that fit gives.
  output({"fit", "--no-tune", "train.csv", "-q", "--bands", "3", "--descriptions", "d.csv", "--margin", "0.5", "-o",
          "fit.json"});
  Json without = model;
  Json fitted = Json::parse(folder.content("fit.json"));
  without.erase("path");
  without.erase("checksum");
  fitted.erase("checksum");
  EXPECT_EQ(without, fitted);
  output({"predict", "m.json", "train.csv", "-o", "p.csv"});
}

TEST_F(CliPath, TheDefaultsAreThoseOfTheLibrary) {
  const std::string help = output({"path", "--help"});
  const PathOptions defaults;
  expect_texts(help, {fmt::format("NUMBER,...={}", fmt::join(defaults.increment_penalties, ",")),
                      fmt::format("--folds INT={}", defaults.fold_count)});
}

TEST_F(CliPath, BadValuesAreRefused) {
  generate("train.csv");
  expect_refusal({"path", "train.csv", "--increment-penalties", "-1"}, 2, {"increment_penalties", "0 or more"});
  expect_refusal({"path", "train.csv", "--factor-penalties", "0,x"}, 2, {"--factor-penalties", "'x'"});
  expect_refusal({"path", "train.csv", "--folds", "1"}, 2, {"fold_count is 1"});
  expect_refusal({"path", "train.csv", "--bands", "5"}, 2, {"--bands", "--model"});
  expect_refusal({"path", "train.csv", "--json", "-o", "-"}, 2, {"standard output"});
  expect_refusal({"path", "train.csv", "-o", "same", "--model", "same"}, 2, {"'same'"});
  expect_refusal({"path", "none.csv"}, 5, {"none.csv"});
  expect_refusal({"path", "train.csv", "--descriptions", "none.csv"}, 5, {"none.csv"});
}

}  // namespace
}  // namespace xofm::testing
