// xofm compare-methods and xofm_compare: the same rows for all, predictions from outside, and runs that go on where
// they were. One quick method stands for all.
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/cli_test.hpp"

#ifdef XOFM_HAS_BASELINES

namespace xofm::testing {
namespace {

using Json = nlohmann::json;

// A class for every test row of the splits: the first one.
std::string first_class(const std::string& splits, const std::string& method, const std::string& set = "") {
  std::string text = set.empty() ? "method,trial,row,class\n" : "method,set,trial,row,class\n";
  const Csv csv(splits);
  for (std::size_t i = 0; i < csv.rows.size(); ++i) {
    if (csv.at(i, "part") != "test") continue;
    text += method + (set.empty() ? "," : "," + set + ",") + csv.at(i, "trial") + "," + csv.at(i, "row") + ",1\n";
  }
  return text;
}

class CompareMethods : public CliTest {
 protected:
  CompareMethods() { generate("train.csv", 60); }
  Words with(const Words& more) const {
    Words words = {"compare-methods", "train.csv", "--methods", "XOFM paper", "--splits", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(CompareMethods, TheTableHasTheMethodsAndThoseFromOutside) {
  output(with({"--splits-out", "-"}));
  folder.file("splits.csv", output(with({"--splits-out", "-"})));
  folder.file("outside.csv", first_class(folder.content("splits.csv"), "First"));
  const std::string text = output(with({"--outside", "outside.csv", "--splits-out", "again.csv"}));
  for (const char* const part : {"60 rows, 4 attributes, 3 classes", "XOFM paper", "First", "*0."}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(folder.content("again.csv"), folder.content("splits.csv"));
  const std::string latex = output(with({"--outside", "outside.csv", "--latex"}));
  EXPECT_NE(latex.find("\\textbf{"), std::string::npos) << latex;
}

TEST_F(CompareMethods, JsonHasEverySplitAndTheSplitsAreThoseOfValidate) {
  const Json json = Json::parse(output(with({"--json", "--splits-out", "splits.csv"})));
  ASSERT_EQ(json["methods"].size(), 1U);
  EXPECT_EQ(json["methods"][0]["method"], "XOFM paper");
  EXPECT_EQ(json["methods"][0]["split_count"], 2);
  ASSERT_EQ(json["trials"].size(), 2U);
  EXPECT_GT(json["trials"][0]["accuracy"], 0.4);
  output({"validate", "train.csv", "--no-tune", "--holdout-share", "0.2", "--repeats", "2", "--max-epochs", "1",
          "--export-splits", "validate.csv"});
  EXPECT_EQ(folder.content("validate.csv"), folder.content("splits.csv"));
}

TEST_F(CompareMethods, ResultsDoNotDependOnTheThreads) {
  Json one = Json::parse(output(with({"--json", "--threads", "1"})));
  Json two = Json::parse(output(with({"--json", "--threads", "2"})));
  for (Json* const json : {&one, &two}) {
    for (Json& trial : (*json)["trials"]) trial.erase("core_seconds");
    std::sort((*json)["trials"].begin(), (*json)["trials"].end());
  }
  EXPECT_EQ(one["trials"], two["trials"]);
}

TEST_F(CompareMethods, WrongInputIsNamed) {
  expect_refusal({"compare-methods", "train.csv", "--methods", "XOFN"}, 2, {"'XOFN'", "XOFM paper, XOFM"});
  expect_refusal({"compare-methods", "none.csv"}, 5, {"none.csv"});
  expect_refusal(with({"--splits", "0"}), 2, {"--splits"});
  expect_refusal(with({"--cap", "0"}), 2, {"--cap is 0"});
  expect_refusal(with({"--cap", "x"}), 2, {"--cap"});
  expect_refusal(with({"--weight", "x1"}), 2, {"--weight"});
  expect_refusal(with({"--json", "--latex"}), 2, {"--json and --latex"});
  expect_refusal(with({"--outside", "none.csv"}), 5, {"none.csv"});
  folder.file("outside.csv", "method,trial,row,class\nFirst,1,1,9\n");
  expect_refusal(with({"--outside", "outside.csv"}), 3, {"outside.csv"});
}

#ifdef XOFM_COMPARE

class CompareProgram : public CliTest {
 protected:
  CompareProgram() {
    std::filesystem::create_directory(folder.path("data"));
    generate("data/small.csv", 60);
    generate("data/other.csv", 70, {"--seed", "2"});
  }
  RunResult compare(const std::string& where, const Words& more = {}, RunOptions options = {}) const {
    options.folder = folder.path("");
    Words words = {XOFM_COMPARE, "data", "-o", where, "--methods", "XOFM paper", "--splits", "2"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, options);
  }
  // All but the seconds.
  std::vector<Words> results(const std::string& where) const {
    Csv csv(folder.content(where + "/results_seed_1.csv"));
    for (auto& row : csv.rows) row.at(csv.column("seconds")).clear();
    std::sort(csv.rows.begin(), csv.rows.end());
    return csv.rows;
  }
};

TEST_F(CompareProgram, AKilledRunGoesOnAndEndsAsAnUninterruptedOne) {
  const RunResult whole = compare("whole");
  ASSERT_EQ(whole.status, 0) << whole.err;
  EXPECT_EQ(results("whole").size(), 4U);
  EXPECT_EQ(split_lines(whole.err).size(), 4U);
  EXPECT_NE(whole.err.find("left\n"), std::string::npos) << whole.err;

  RunOptions options;
  options.on_error_output = [](pid_t process, const std::string& text) {
    if (text.find("1/4: ") != std::string::npos) kill(process, SIGKILL);
  };
  EXPECT_EQ(compare("parts", {"--threads", "1"}, options).status, -SIGKILL);
  EXPECT_GE(results("parts").size(), 1U);
  EXPECT_LT(results("parts").size(), 4U);
  ASSERT_EQ(compare("parts").status, 0);
  EXPECT_EQ(results("parts"), results("whole"));
  EXPECT_NE(folder.content("parts/comparison.md").find("| XOFM paper | **0."), std::string::npos);
  EXPECT_NE(folder.content("parts/comparison.tex").find("XOFM paper & \\textbf{0."), std::string::npos);
}

TEST_F(CompareProgram, CtrlCEndsItWithWhatIsFinished) {
  RunOptions options;
  options.on_error_output = [](pid_t process, const std::string& text) {
    if (text.find("1/4: ") != std::string::npos) kill(process, SIGINT);
  };
  const RunResult stopped = compare("out", {"--threads", "1"}, options);
  EXPECT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_GE(results("out").size(), 1U);
  EXPECT_LT(results("out").size(), 4U);
}

TEST_F(CompareProgram, PredictionsFromOutsideJoinTheTable) {
  ASSERT_EQ(compare("out").status, 0);
  folder.file("outside.csv", first_class(folder.content("out/splits_small_seed_1.csv"), "First", "small"));
  const RunResult again = compare("out", {"--outside", "outside.csv"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.err, "");  // nothing was run again
  EXPECT_NE(again.out.find("| First | 0."), std::string::npos) << again.out;
  const RunResult wrong = compare("out", {"--methods", "nothing"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.err.find("'nothing'; the methods are"), std::string::npos) << wrong.err;
}

TEST_F(CompareProgram, TheSupplementHasATableBySegments) {
  const RunResult result = run_program({XOFM_COMPARE, "data", "-o", "out", "--supplement", "--sets", "small",
                                        "--methods", "XOFM paper monotone", "--cap", "5"},
                                       {.folder = folder.path("")});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("| method | 1 segment | 2 segments |"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("(0.826)"), std::string::npos) << result.out;
  EXPECT_EQ(Csv(folder.content("out/supplement_small_seed_1.csv")).rows.size(), 25U);
}

#endif

}  // namespace
}  // namespace xofm::testing

#else

namespace xofm::testing {
namespace {

using CompareMethods = CliTest;

TEST_F(CompareMethods, ABuildWithoutTheMethodsSaysHowToGetThem) {
  generate("train.csv");
  expect_refusal({"compare-methods", "train.csv"}, 2, {"XOFM_BASELINES=ON"});
}

}  // namespace
}  // namespace xofm::testing

#endif
