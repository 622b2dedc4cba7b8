// xofm evaluate, show and generate.
#include <nlohmann/json.hpp>

#include "support/cli_test.hpp"
#include "xofm/metrics.hpp"

namespace xofm::testing {
namespace {

using Json = nlohmann::json;
using CliEvaluate = CliTest;
using CliShow = CliTest;
using CliGenerate = CliTest;

TEST_F(CliEvaluate, JsonHoldsEveryMetric) {
  make_model();
  const Json json = Json::parse(output({"evaluate", "model.json", "test.csv", "--json"}));
  EXPECT_EQ(json["row_count"], 40);
  for (const auto& field : metric_fields) EXPECT_TRUE(json[std::string(field.name)].is_number()) << field.name;
  int rows = 0;
  for (const auto& line : json["confusion"]) rows += line[0].get<int>() + line[1].get<int>() + line[2].get<int>();
  EXPECT_EQ(rows, 40);
}

TEST_F(CliEvaluate, AgreesWithThePredictions) {
  make_model();
  const Csv test(folder.content("test.csv"));
  for (const std::string rule : {"support", "threshold", "probability"}) {
    const Csv predicted(output({"predict", "model.json", "test.csv", "--rule", rule}));
    double right = 0;
    double distance = 0;
    for (std::size_t i = 0; i < test.rows.size(); ++i) {
      const int off = std::abs(std::stoi(test.at(i, "class")) - std::stoi(predicted.at(i, "class")));
      right += off == 0 ? 1 : 0;
      distance += off;
    }
    const Json json = Json::parse(output({"evaluate", "model.json", "test.csv", "--json", "--rule", rule}));
    EXPECT_DOUBLE_EQ(json["accuracy"], right / 40) << rule;
    EXPECT_DOUBLE_EQ(json["mae"], distance / 40) << rule;
  }
}

TEST_F(CliEvaluate, TheTableNamesEveryMetricAndReadsStandardInput) {
  make_model();
  const std::string out = output({"evaluate", "model.json", "-"}, {.input = folder.content("test.csv")});
  EXPECT_TRUE(out.starts_with("40 rows\n")) << out;
  for (const auto& field : metric_fields) EXPECT_NE(out.find(field.name), std::string::npos);
  EXPECT_NE(out.find("true class (down) by predicted class (across)"), std::string::npos);
  EXPECT_EQ(output({"evaluate", "model.json", "test.csv"}), out);
}

TEST_F(CliEvaluate, NeedsLabelsAndRows) {
  make_model();
  expect_refusal({"evaluate", "model.json", "-"}, 3, {"standard input", "no column \"class\""},
                 {.input = "x1,x2,x3,x4\n1,2,3,4\n"});
  expect_refusal({"evaluate", "model.json", "-"}, 3, {"no rows"}, {.input = "x1,x2,x3,x4,class\n"});
  expect_refusal({"evaluate", "model.json", "-"}, 3, {"line 2", "the label \"7\" is not one of the classes"},
                 {.input = "x1,x2,x3,x4,class\n1,2,3,4,7\n"});
}

TEST_F(CliShow, ListsClassesAttributesPairsAndOptions) {
  make_model({"--decreasing", "x3"});
  const std::string out = output({"show", "model.json"});
  for (const char* const text : {"Classes of 'class'", "Attributes by importance", "Strongest pairs",
                                 "Options: quantile", "x1", "x2", "x3", "x4", "▁", "decreasing, certified"}) {
    EXPECT_NE(out.find(text), std::string::npos) << text;
  }
  const std::string top = output({"show", "model.json", "--top", "1"});
  EXPECT_NE(top.find("and 3 more (--top)"), std::string::npos) << top;
}

TEST_F(CliShow, NamesFromAFileCannotSteerTheTerminal) {
  folder.file("t.csv", "\"a\x1b[31m\",\"c\",y\n1,\"u\x1b\",1\n2,v,2\n3,\"u\x1b\",2\n4,v,1\n");
  output({"fit", "--no-tune", "t.csv", "-q"});
  EXPECT_EQ(output({"show", "model.json"}).find('\x1b'), std::string::npos);
  expect_refusal({"predict", "model.json", "-"}, 3, {"a\\x1B[31m"}, {.input = "c\nu\n"});
}

TEST_F(CliGenerate, WritesTheRowsAskedFor) {
  output({"generate", "--rows", "1000", "--attributes", "10", "--classes", "5", "--seed", "1", "-o", "big.csv"});
  const Csv csv(folder.content("big.csv"));
  EXPECT_EQ(csv.header, Words({"x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "class"}));
  EXPECT_EQ(csv.rows.size(), 1000U);
  std::vector<std::string> classes;
  for (const auto& row : csv.rows) classes.push_back(row.back());
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  EXPECT_EQ(classes, Words({"1", "2", "3", "4", "5"}));
}

TEST_F(CliGenerate, SameSeedSameBytesForAnyThreadsAndMoreRowsBeginAlike) {
  const std::string one = output({"generate", "--rows", "3000", "--seed", "7", "--threads", "1"});
  EXPECT_TRUE(output({"generate", "--rows", "3000", "--seed", "7", "--threads", "2"}) == one);
  EXPECT_TRUE(output({"generate", "--rows", "3001", "--seed", "7"}).starts_with(one));
  EXPECT_FALSE(output({"generate", "--rows", "3000", "--seed", "8"}) == one);
}

TEST_F(CliGenerate, TheTruthIsWrittenOnRequest) {
  output({"generate", "--rows", "50", "--attributes", "3", "--curves", "linear,hump,flat", "--products", "x1*x2:0.5",
          "--shares", "1,2,1", "--classes", "3", "--truth", "truth.json", "-o", "s.csv"});
  const Json truth = Json::parse(folder.content("truth.json"));
  EXPECT_EQ(truth["attributes"][1]["curve"], "hump");
  EXPECT_EQ(truth["products"], Json({"x1*x2:0.5"}));
  EXPECT_EQ(truth["class_shares"], Json({0.25, 0.5, 0.25}));
  EXPECT_EQ(truth["cuts"].size(), 2U);
}

}  // namespace
}  // namespace xofm::testing
