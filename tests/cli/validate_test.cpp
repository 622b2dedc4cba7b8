// xofm validate: what it prints and writes, splits in and out, and what it refuses.
#include <map>
#include <nlohmann/json.hpp>

#include "support/cli_test.hpp"
#include "xofm/metrics.hpp"

namespace xofm::testing {
namespace {

using Json = nlohmann::json;

class CliValidate : public CliTest {
 protected:
  // data.csv, and the command on it with few epochs.
  void SetUp() override { generate("data.csv", 90, {"--categorical", "1"}); }

  static Words words(const Words& more) {
    Words all = {"validate", "data.csv", "--no-tune", "--max-epochs", "8"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Json json_of(const Words& more) const {
    Words all = words(more);
    all.emplace_back("--json");
    return Json::parse(output(all));
  }
  void expect_refused(const Words& more, int status, const Words& texts) const {
    expect_refusal(words(more), status, texts);
  }
};

TEST_F(CliValidate, TheTableHasEveryMetricWithMeanSpreadAndRange) {
  const std::string out = output(words({"--folds", "3"}));
  EXPECT_NE(out.find("90 rows, 4 attributes, 3 classes of 'class': 3 trials."), std::string::npos) << out;
  EXPECT_NE(out.find("30 on average"), std::string::npos) << out;
  EXPECT_NE(out.find("mean   spread   min .. max"), std::string::npos) << out;
  for (const auto& field : metric_fields) EXPECT_NE(out.find(fmt::format("\n{} ", field.name)), std::string::npos);
  EXPECT_EQ(out.find("nan"), std::string::npos) << out;
  EXPECT_EQ(output(words({"--quiet"})), "");
}

TEST_F(CliValidate, JsonHasTheSummaryAndEveryTrial) {
  const Json json = json_of({"--folds", "3", "--repeats", "2"});
  EXPECT_EQ(json["trial_count"], 6);
  EXPECT_EQ(json["finished_count"], 6);
  EXPECT_EQ(json["interrupted"], false);
  ASSERT_EQ(json["trials"].size(), 6U);
  double mean = 0;
  for (const auto& trial : json["trials"]) {
    EXPECT_EQ(trial["learning_count"].get<int>() + trial["metrics"]["row_count"].get<int>(), 90);
    mean += trial["metrics"]["mae"].get<double>() / 6;
  }
  const Json& mae = json["summary"]["mae"];
  EXPECT_NEAR(mae["mean"].get<double>(), mean, 1e-12);  // rounding of the sum
  EXPECT_LE(mae["min"], mae["mean"]);
  EXPECT_LE(mae["mean"], mae["max"]);
  EXPECT_GT(mae["spread"], 0);
  EXPECT_EQ(mae["count"], 6);
}

TEST_F(CliValidate, FiveFoldsAreTheDefaultAndHoldoutsCanBeRepeated) {
  EXPECT_EQ(json_of({})["trial_count"], 5);
  const Json json = json_of({"--holdout-share", "0.2", "--repeats", "4"});
  EXPECT_EQ(json["trial_count"], 4);
  EXPECT_EQ(json["trials"][3]["metrics"]["row_count"], 18);
  EXPECT_TRUE(json_of({"--holdout-share", "0.2"})["summary"]["mae"]["spread"].is_null());
}

TEST_F(CliValidate, PredictionsHaveEveryRowOncePerRepeat) {
  const Json json = json_of({"--folds", "3", "--repeats", "2", "--predictions", "p.csv"});
  const Csv csv(folder.content("p.csv"));
  EXPECT_EQ(csv.header, (Words{"trial", "row", "true", "class", "score", "lowest", "highest", "probability_1",
                               "probability_2", "probability_3"}));
  const Csv data(folder.content("data.csv"));
  ASSERT_EQ(csv.rows.size(), 180U);
  std::map<std::string, int> seen;
  std::map<std::string, std::pair<int, int>> right;  // by trial: right, all
  for (std::size_t i = 0; i < csv.rows.size(); ++i) {
    ++seen[csv.at(i, "row")];
    EXPECT_EQ(csv.at(i, "true"), data.at(static_cast<std::size_t>(csv.number(i, "row")) - 1, "class"));
    auto& [hits, all] = right[csv.at(i, "trial")];
    hits += csv.at(i, "true") == csv.at(i, "class") ? 1 : 0;
    ++all;
    double sum = 0;
    for (const char* const h : {"1", "2", "3"}) sum += csv.number(i, std::string("probability_") + h);
    EXPECT_NEAR(sum, 1.0, 1e-12);
    EXPECT_LE(csv.number(i, "lowest"), csv.number(i, "highest"));
  }
  EXPECT_EQ(seen.size(), 90U);
  for (const auto& [row, count] : seen) EXPECT_EQ(count, 2) << row;
  for (const auto& trial : json["trials"]) {
    const auto [hits, all] = right[std::to_string(trial["trial"].get<int>())];
    EXPECT_NEAR(trial["metrics"]["accuracy"].get<double>(), static_cast<double>(hits) / all, 1e-12);
  }
  EXPECT_EQ(output(words({"--folds", "3", "--repeats", "2", "--predictions", "-"})), folder.content("p.csv"));
}

TEST_F(CliValidate, ExportedSplitsGiveTheSameResultsInAnyOrderOfLines) {
  const Words outputs = {"--predictions", "second.csv", "--export-splits", "again.csv"};
  for (const Words& way :
       {Words{"--folds", "3", "--repeats", "2"}, Words{"--holdout-share", "0.3", "--repeats", "3"}}) {
    Words first = way;
    first.insert(first.end(), {"--predictions", "first.csv", "--export-splits", "splits.csv"});
    const Json before = json_of(first);
    Words second = {"--splits", "splits.csv"};
    second.insert(second.end(), outputs.begin(), outputs.end());
    EXPECT_EQ(json_of(second), before);
    EXPECT_EQ(folder.content("second.csv"), folder.content("first.csv"));
    EXPECT_EQ(folder.content("again.csv"), folder.content("splits.csv"));

    Words lines = split_lines(folder.content("splits.csv"));
    EXPECT_EQ(lines.front(), "trial,row,part");
    std::reverse(lines.begin() + 1, lines.end());
    folder.file("splits.csv", fmt::format("{}\n", fmt::join(lines, "\n")));
    EXPECT_EQ(json_of(second), before);
  }
}

TEST_F(CliValidate, ATrialIsWhatFitAndPredictOnSeparateFilesGive) {
  output(words({"--folds", "3", "--predictions", "p.csv", "--export-splits", "s.csv", "--quiet"}));
  const Csv splits(folder.content("s.csv"));
  const Words lines = split_lines(folder.content("data.csv"));
  std::string learn = lines[0] + "\n";
  std::string test = learn;
  for (std::size_t i = 0; i < splits.rows.size(); ++i) {
    if (splits.at(i, "trial") != "2") continue;
    (splits.at(i, "part") == "learn" ? learn : test) += lines.at(std::stoul(splits.at(i, "row"))) + "\n";
  }
  folder.file("learn.csv", learn);
  folder.file("test.csv", test);
  output({"fit", "--no-tune", "learn.csv", "--max-epochs", "8", "-q"});
  const Csv expected(output({"predict", "model.json", "test.csv"}));
  const Csv got(folder.content("p.csv"));
  std::size_t at = 0;
  for (std::size_t i = 0; i < got.rows.size(); ++i) {
    if (got.at(i, "trial") != "2") continue;
    for (const char* const name : {"score", "class", "lowest", "highest", "probability_2"}) {
      EXPECT_EQ(got.at(i, name), expected.at(at, name)) << name << " of row " << got.at(i, "row");
    }
    ++at;
  }
  EXPECT_EQ(at, expected.rows.size());
}

TEST_F(CliValidate, UnlessForbiddenEveryTrialSearchesAsFitDoes) {
  const Words search = {"--budget", "300", "--max-epochs", "8", "--segment-count", "4", "--pairs", "all"};
  const auto with_search = [&](Words words) {
    words.insert(words.end(), search.begin(), search.end());
    return output(words);
  };
  with_search(
      {"validate", "data.csv", "--holdout-share", "0.2", "--predictions", "p.csv", "--export-splits", "s.csv", "-q"});
  const Csv splits(folder.content("s.csv"));
  const Words lines = split_lines(folder.content("data.csv"));
  std::string learn = lines[0] + "\n";
  std::string test = learn;
  for (std::size_t i = 0; i < splits.rows.size(); ++i) {
    (splits.at(i, "part") == "learn" ? learn : test) += lines.at(std::stoul(splits.at(i, "row"))) + "\n";
  }
  folder.file("learn.csv", learn);
  folder.file("test.csv", test);
  with_search({"fit", "learn.csv", "-q"});
  EXPECT_TRUE(Json::parse(folder.content("model.json"))["record"].contains("search"));
  const Csv expected(output({"predict", "model.json", "test.csv"}));
  const Csv got(folder.content("p.csv"));
  ASSERT_EQ(got.rows.size(), expected.rows.size());
  for (std::size_t i = 0; i < got.rows.size(); ++i) EXPECT_EQ(got.at(i, "score"), expected.at(i, "score"));
}

TEST_F(CliValidate, AFoldColumnIsNoAttributeAndMayBeTheLastOne) {
  Words lines = split_lines(folder.content("data.csv"));
  lines[0] += ",fold";
  for (std::size_t i = 1; i < lines.size(); ++i) lines[i] += i % 3 == 0 ? ",late" : ",early";
  folder.file("folds.csv", fmt::format("{}\n", fmt::join(lines, "\n")));
  const Words more = {"--fold-column", "fold", "--no-tune", "--max-epochs", "8"};
  Words from_file = {"validate", "folds.csv", "--export-splits", "s.csv", "--json"};
  from_file.insert(from_file.end(), more.begin(), more.end());
  const Json json = Json::parse(output(from_file));
  ASSERT_EQ(json["trial_count"], 2);
  EXPECT_EQ(json["trials"][0]["metrics"]["row_count"], 60);
  EXPECT_EQ(json["trials"][1]["metrics"]["row_count"], 30);
  EXPECT_EQ(json_of({"--splits", "s.csv"}), json);  // on the data without the column
  Words piped = {"validate", "-", "--json"};
  piped.insert(piped.end(), more.begin(), more.end());
  EXPECT_EQ(Json::parse(output(piped, {.input = folder.content("folds.csv")})), json);

  expect_refusal({"validate", "folds.csv", "--fold-column", "fodl"}, 3, {"--fold-column", "\"fodl\"", "\"fold\""});
  expect_refusal({"validate", "folds.csv", "--fold-column", "fold", "--use", "x1,fold"}, 2, {"'fold'", "attribute"});
  expect_refusal({"validate", "folds.csv", "--fold-column", "fold", "--label", "fold"}, 2, {"'fold'", "label"});
  folder.file("gap.csv", "a,fold,y\n1,1,1\n2,2,2\n3,,1\n");
  expect_refusal({"validate", "gap.csv", "--fold-column", "fold"}, 3, {"line 4", "\"fold\""});
  folder.file("one.csv", "a,fold,y\n1,1,1\n2,1,2\n3,1,1\n");
  expect_refusal({"validate", "one.csv", "--fold-column", "fold"}, 3, {"trial 1", "learn from"});
}

TEST_F(CliValidate, TheSameForAnyNumberOfThreadsAndAnotherSeedSplitsAnew) {
  const Json one = json_of({"--threads", "1"});
  EXPECT_EQ(json_of({"--threads", "4"}), one);
  EXPECT_NE(json_of({"--seed", "2"}), one);
}

TEST_F(CliValidate, OptionsOfTrainingReachTheTrials) {
  EXPECT_NE(json_of({"--segment-count", "2"}), json_of({}));
  EXPECT_NE(json_of({"--rule", "support"}), json_of({}));
  EXPECT_EQ(json_of({"--preset", "paper", "--folds", "2"})["finished_count"], 2);
}

TEST_F(CliValidate, WaysToSplitExcludeEachOther) {
  folder.file("s.csv", "trial,row,part\n1,1,learn\n1,2,test\n");
  expect_refused({"--folds", "3", "--splits", "s.csv"}, 2, {"--folds", "--splits"});
  expect_refused({"--holdout-share", "0.2", "--fold-column", "x1"}, 2, {"--holdout-share", "--fold-column"});
  expect_refused({"--splits", "s.csv", "--repeats", "2"}, 2, {"--repeats", "--splits"});
  expect_refused({"--holdout", "0.2"}, 2, {"--holdout"});
  expect_refused({"--warm-start", "model.json"}, 2, {"--warm-start"});
}

TEST_F(CliValidate, CountsAndSharesThatCannotBeAreRefused) {
  expect_refused({"--folds", "1"}, 2, {"--folds is 1", "at least 2"});
  expect_refused({"--folds", "two"}, 2, {"--folds", "'two'"});
  expect_refused({"--folds", "91"}, 2, {"folds is 91", "90 rows"});
  expect_refused({"--repeats", "0"}, 2, {"--repeats is 0"});
  expect_refused({"--holdout-share", "1"}, 2, {"--holdout-share is 1"});
  expect_refused({"--holdout-share", "0"}, 2, {"--holdout-share is 0"});
  expect_refused({"--margin", "-1"}, 2, {"margin is -1"});
}

TEST_F(CliValidate, OutputsThatCollideOrCannotBeWrittenAreRefused) {
  expect_refused({"--json", "--predictions", "-"}, 2, {"standard output"});
  expect_refused({"--export-splits", "-", "--predictions", "-"}, 2, {"standard output"});
  expect_refused({"--export-splits", "x.csv", "--predictions", "x.csv"}, 2, {"'x.csv'"});
  expect_refused({"--predictions", "none/x.csv"}, 5, {"none/x.csv"});
}

TEST_F(CliValidate, BadSplitsAreRefusedWithTheirPlace) {
  std::string data = "a,y\n";
  for (int i = 0; i < 90; ++i) data += fmt::format("{},{}\n", i * 37 % 91, 1 + i % 3);
  folder.file("data.csv", data);
  const std::string good = "trial,row,part\n1,1,learn\n1,2,learn\n1,3,learn\n1,4,test\n";
  const std::pair<std::string, Words> cases[] = {
      {"trial,row\n1,1\n", {"s.csv", "\"part\""}},
      {"trial,row,part\n", {"s.csv", "no rows"}},
      {good + "1,91,test\n", {"line 6", "\"row\"", "\"91\"", "90"}},
      {good + "1,0,test\n", {"line 6", "\"row\"", "\"0\""}},
      {good + "1,1.5,test\n", {"line 6", "\"row\"", "\"1.5\""}},
      {good + "1,,test\n", {"line 6", "\"row\""}},
      {good + "x,5,test\n", {"line 6", "\"trial\"", "\"x\""}},
      {good + "1000000000,5,test\n", {"line 6", "\"trial\"", "without gaps"}},
      {good + "1,5,train\n", {"line 6", "\"part\"", "\"train\"", "learn or test"}},
      {good + "1,5,\n", {"line 6", "\"part\"", "learn or test"}},
      {good + "1,4,learn\n", {"trial 1", "row 4", "twice"}},
      {good + "2,5,test\n", {"trial 2", "learn from"}},
      {good + "2,5,learn\n", {"trial 2", "held out"}},
      {good + "3,5,learn\n3,6,test\n", {"trial 2"}},
  };
  for (const auto& [text, texts] : cases) {
    folder.file("s.csv", text);
    expect_refused({"--splits", "s.csv"}, 3, texts);
  }
  expect_refused({"--splits", "none.csv"}, 5, {"none.csv"});
  folder.file("one.csv", "a,y\n1,1\n2,1\n3,2\n4,2\n");
  folder.file("s.csv", "trial,row,part\n1,1,learn\n1,3,learn\n1,4,test\n2,1,learn\n2,2,learn\n2,4,test\n");
  expect_refusal({"validate", "one.csv", "--splits", "s.csv"}, 3, {"trial 2", "class '1'"});
}

TEST_F(CliValidate, CtrlCShowsTheFinishedTrials) {
  generate("large.csv", 3000);
  bool sent = false;
  RunOptions options;
  options.error_terminal = true;
  options.on_error_output = [&sent](pid_t process, const std::string& text) {
    if (sent || text.find(" of 5000 trials") == std::string::npos) return;
    sent = true;
    ::kill(process, SIGINT);
  };
  const RunResult result = run(
      {"validate", "large.csv", "--no-tune", "--holdout-share", "0.2", "--repeats", "5000", "--predictions", "p.csv"},
      options);
  ASSERT_TRUE(sent);
  EXPECT_EQ(result.status, 130);
  EXPECT_NE(result.err.find("Stopping after what is being fitted"), std::string::npos) << result.err;
  EXPECT_NE(result.out.find(": interrupted, "), std::string::npos) << result.out;
  EXPECT_NE(result.out.find(" of 5000 trials finished."), std::string::npos) << result.out;
  EXPECT_TRUE(folder.content("p.csv").starts_with("trial,row,true,class,score,lowest,highest,")) << result.out;
}

}  // namespace
}  // namespace xofm::testing
