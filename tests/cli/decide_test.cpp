// Costs, preferences, abstention and decisions by hand, in all commands that know them; labels that are measurements.
#include <cmath>
#include <nlohmann/json.hpp>

#include "support/cli_test.hpp"

namespace xofm::testing {
namespace {

using Json = nlohmann::ordered_json;

struct CliDecide : CliTest {
  CliDecide() {
    make_model();
    folder.file("costs.csv", "true,1,2,3\n1,0,1,9\n2,1,0,5\n3,2,1,0\n");
    // Names in front of the rows of test.csv.
    std::string named;
    int row = 0;
    for (const auto& line : split_lines(folder.content("test.csv"))) {
      named += (row == 0 ? std::string("name") : fmt::format("N{}", row)) + "," + line + "\n";
      ++row;
    }
    folder.file("named.csv", named);
    folder.file("by_hand.csv", "id,class,reason\nN3,1,\"wrong papers, twice\"\nN7,3,known\nN99,2,gone\n");
  }
};

TEST_F(CliDecide, PredictSaysWhoDecides) {
  const Csv plain(output({"predict", "model.json", "test.csv"}));
  const Csv costs(output({"predict", "model.json", "test.csv", "--costs", "costs.csv"}));
  int moved = 0;
  for (std::size_t i = 0; i < costs.rows.size(); ++i) {
    EXPECT_EQ(costs.at(i, "decided_by"), "costs");
    EXPECT_EQ(costs.at(i, "score"), plain.at(i, "score"));
    double expected[3] = {};
    const double table[3][3] = {{0, 1, 9}, {1, 0, 5}, {2, 1, 0}};
    for (int truth = 0; truth < 3; ++truth) {
      for (int decided = 0; decided < 3; ++decided) {
        expected[decided] += costs.number(i, fmt::format("probability_{}", truth + 1)) * table[truth][decided];
      }
    }
    EXPECT_EQ(std::stoi(costs.at(i, "class")) - 1, std::min_element(expected, expected + 3) - expected);
    moved += costs.at(i, "class") < plain.at(i, "class") ? 1 : 0;
  }
  EXPECT_GT(moved, 0);
  const Csv lower(output({"predict", "model.json", "test.csv", "--prefer", "lower"}));
  for (std::size_t i = 0; i < lower.rows.size(); ++i) EXPECT_EQ(lower.at(i, "class"), lower.at(i, "lowest"));
}

TEST_F(CliDecide, PredictLeavesOpenWhatIsNotProbableEnough) {
  const auto result = run({"predict", "model.json", "test.csv", "--abstain", "0.8"});
  const Csv csv(result.out);
  int open = 0;
  for (std::size_t i = 0; i < csv.rows.size(); ++i) {
    double greatest = 0;
    for (int h = 1; h <= 3; ++h) greatest = std::max(greatest, csv.number(i, fmt::format("probability_{}", h)));
    EXPECT_EQ(csv.at(i, "class").empty(), greatest < 0.8);
    EXPECT_EQ(csv.at(i, "decided_by"), greatest < 0.8 ? "nobody" : "rule");
    open += greatest < 0.8 ? 1 : 0;
  }
  EXPECT_GT(open, 0);
  EXPECT_NE(result.err.find(", none "), std::string::npos) << result.err;
  const std::string text = output({"predict", "model.json", "test.csv", "--abstain", "0.999", "--text"});
  EXPECT_NE(text.find("row 1: class none"), std::string::npos) << text.substr(0, 300);
}

TEST_F(CliDecide, DecisionsTakenByHandComeBeforeAllOthers) {
  const auto result =
      run({"predict", "model.json", "named.csv", "--id", "name", "--costs", "costs.csv", "--decisions", "by_hand.csv"});
  EXPECT_EQ(result.status, 0) << result.err;
  const Csv csv(result.out);
  EXPECT_EQ(csv.at(2, "class"), "1");
  EXPECT_EQ(csv.at(2, "decided_by"), "hand");
  EXPECT_EQ(csv.at(2, "decision_reason"), "wrong papers, twice");
  EXPECT_EQ(csv.at(6, "class"), "3");
  EXPECT_EQ(csv.at(3, "decided_by"), "costs");
  EXPECT_EQ(csv.at(3, "decision_reason"), "");
  EXPECT_NE(result.err.find("2 decided by hand"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("1 of --decisions found no row"), std::string::npos) << result.err;
  expect_refusal({"predict", "model.json", "named.csv", "--decisions", "by_hand.csv"}, 2, {"--id"});
}

TEST_F(CliDecide, EvaluateTellsTheCostAndWhatIsLeftOpen) {
  const Json plain = Json::parse(output({"evaluate", "model.json", "test.csv", "--json"}));
  EXPECT_FALSE(plain.contains("mean_cost"));
  const Json costs = Json::parse(output({"evaluate", "model.json", "test.csv", "--costs", "costs.csv", "--json"}));
  EXPECT_LE(costs["mean_cost"], costs["mean_cost_by_rule"]);
  EXPECT_EQ(costs["abstained_count"], 0);
  const Json open = Json::parse(output({"evaluate", "model.json", "test.csv", "--abstain", "0.8", "--json"}));
  EXPECT_EQ(open["decided_count"].get<int>() + open["abstained_count"].get<int>(), 40);
  EXPECT_EQ(open["row_count"], open["decided_count"]);
  EXPECT_EQ(open["log_loss"], plain["log_loss"]);
  EXPECT_GE(open["accuracy"], plain["accuracy"]);
  const std::string text = output({"evaluate", "model.json", "test.csv", "--costs", "costs.csv", "--abstain", "0.8"});
  EXPECT_NE(text.find("without a class"), std::string::npos) << text;
  EXPECT_NE(text.find("mean cost of a decision; by the rule alone"), std::string::npos) << text;
}

TEST_F(CliDecide, ExplainSaysWhoDecidesAndSearchesByThatRule) {
  const std::string costs = output({"explain", "model.json", "test.csv", "--row", "1", "--costs", "costs.csv"});
  EXPECT_NE(costs.find("least expected cost"), std::string::npos) << costs;
  const std::string open = output({"explain", "model.json", "test.csv", "--row", "1", "--abstain", "0.999"});
  EXPECT_NE(open.find("Row 1: class none"), std::string::npos) << open;
  EXPECT_NE(open.find("left to a person"), std::string::npos) << open;
  const Json json = Json::parse(
      output({"explain", "model.json", "test.csv", "--row", "1", "--abstain", "0.999", "--format", "json"}));
  EXPECT_TRUE(json["rows"][0]["class"].is_null());
  const std::string hand =
      output({"explain", "model.json", "named.csv", "--row", "3", "--id", "name", "--decisions", "by_hand.csv"});
  EXPECT_NE(hand.find("Decided by hand: class 1, wrong papers, twice"), std::string::npos) << hand;
}

TEST_F(CliDecide, FilesThatMakeNoSenseAreRefused) {
  const auto refused = [&](const std::string& option, const std::string& content, const Words& texts) {
    folder.file("bad.csv", content);
    expect_refusal({"predict", "model.json", "named.csv", "--id", "name", option, "bad.csv"}, 3, texts);
  };
  refused("--costs", "true,1,2\n1,0,1\n2,1,0\n3,1,1\n", {"no column for the class \"3\""});
  refused("--costs", "true,1,2,3\n1,0,1,2\n2,1,0,1\n", {"no line for the true class \"3\""});
  refused("--costs", "true,1,2,3\n1,0,1,2\n2,1,0,1\n3,1,x,0\n", {"line 4", "\"2\"", "not a finite number"});
  refused("--costs", "true,1,2,3\n1,0,1,2\n1,0,1,2\n3,1,1,0\n", {"line 3", "two lines"});
  refused("--costs", "true,1,2,4\n1,0,1,2\n", {"\"4\" is no class"});
  refused("--decisions", "id,class,reason\nN1,4,x\n", {"line 2", "\"4\" is no class"});
  refused("--decisions", "id,class,reason\nN1,1,x\nN1,2,x\n", {"line 3", "decided twice"});
  refused("--decisions", "id,class\nN1,1\n", {"reason"});
  expect_refusal({"predict", "model.json", "test.csv", "--costs", "costs.csv", "--prefer", "lower"}, 2,
                 {"two ways to decide"});
  expect_refusal({"predict", "model.json", "test.csv", "--abstain", "2"}, 2, {"least_probability is 2"});
}

// --- Labels.

struct CliBins : CliTest {
  CliBins() {
    std::string text = "x,price\n";
    for (int i = 0; i < 90; ++i) text += fmt::format("{},{}\n", i % 30 + 0.1 * (i / 30), 10 + (i % 30) * 3);
    folder.file("prices.csv", text);
  }
};

TEST_F(CliBins, ManyDifferentNumbersAreQuestioned) {
  const std::string text = output({"fit", "prices.csv", "--no-tune", "-o", "m.json"});
  EXPECT_NE(text.find("price has 30 different numbers"), std::string::npos) << text;
  EXPECT_NE(text.find("is this a measurement? --bins 5"), std::string::npos) << text;
}

TEST_F(CliBins, BinsAreOrderedClassesOfTheNumbers) {
  output({"fit", "prices.csv", "--no-tune", "--bins", "3", "-o", "m.json"});
  const Json model = Json::parse(folder.content("m.json"));
  EXPECT_EQ(model["classes"], Json({"below 40", "40 to 70", "70 or more"}));
  EXPECT_EQ(model["label_bins"], Json({40.0, 70.0}));
  // New rows are measured likewise.
  const Json quality = Json::parse(output({"evaluate", "m.json", "prices.csv", "--json"}));
  EXPECT_EQ(quality["row_count"], 90);
  EXPECT_GT(quality["accuracy"], 0.9);
  output({"fit", "prices.csv", "--no-tune", "--bins-at", "20,50.5", "-o", "m.json"});
  EXPECT_EQ(Json::parse(folder.content("m.json"))["classes"], Json({"below 20", "20 to 50.5", "50.5 or more"}));
}

TEST_F(CliBins, BinsThatMakeNoSenseAreRefused) {
  const auto refused = [&](const Words& more, const Words& texts) {
    Words words = {"fit", "prices.csv", "--no-tune"};
    words.insert(words.end(), more.begin(), more.end());
    expect_refusal(words, 2, texts);
  };
  refused({"--bins", "1"}, {"--bins is 1", "2 to 255"});
  refused({"--bins-at", "5,5"}, {"must ascend"});
  refused({"--bins", "3", "--bins-at", "5"}, {"two ways"});
  refused({"--bins", "3", "--classes", "a,b"}, {"--classes"});
  expect_refusal({"fit", "prices.csv", "--no-tune", "--bins-at", "1000"}, 3, {"at least two classes"});
}

TEST_F(CliBins, AClassWithoutRowsIsStated) {
  const std::string text =
      output({"fit", "prices.csv", "--no-tune", "--bins-at", "5,40,70", "--factor-count", "0", "-o", "m.json"});
  EXPECT_NE(text.find("Class below 5 has no training rows: its probability is 0.0028"), std::string::npos) << text;
  const Csv csv(output({"predict", "m.json", "prices.csv"}));
  for (std::size_t i = 0; i < csv.rows.size(); ++i) EXPECT_LT(csv.number(i, "probability_below 5"), 0.006);
  EXPECT_NE(output({"show", "m.json"}).find("has no training rows"), std::string::npos);
}

}  // namespace
}  // namespace xofm::testing
