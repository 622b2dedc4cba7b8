// Curves and chosen pairs from the command line.
#include <nlohmann/json.hpp>

#include "support/cli_test.hpp"

namespace xofm::testing {
namespace {

using Json = nlohmann::json;

struct CliTerms : CliTest {
  CliTerms() {
    output({"generate", "--rows", "150", "--attributes", "4", "--classes", "3", "--seed", "2", "-o", "train.csv"});
  }
  Json fitted(const std::string& pairs) {
    output({"fit", "train.csv", "-q", "--no-tune", "--pairs", pairs, "-o", "m.json"});
    return Json::parse(folder.content("m.json"));
  }
};

TEST_F(CliTerms, PairsMayBeChosenCountedListedOrLeftOut) {
  EXPECT_EQ(fitted("none")["pairs"].size(), 0U);
  EXPECT_EQ(fitted("2")["pairs"].size(), 2U);
  const Json listed = fitted("x3:x1");
  ASSERT_EQ(listed["pairs"].size(), 1U);
  EXPECT_EQ(listed["pairs"][0]["first"], "x1");
  EXPECT_EQ(listed["pairs"][0]["second"], "x3");
  EXPECT_LE(fitted("auto")["pairs"].size(), 6U);
  EXPECT_FALSE(fitted("all").contains("pairs"));
}

TEST_F(CliTerms, WhatIsNoPairIsRefused) {
  expect_refusal({"fit", "train.csv", "--pairs", "many"}, 2, {"--pairs"});
  expect_refusal({"fit", "train.csv", "--pairs", "x1:"}, 2, {"'x1:'", "A:B"});
  expect_refusal({"fit", "train.csv", "--no-tune", "--pairs", "x1:x9"}, 2, {"'x9'", "no such attribute"});
  expect_refusal({"fit", "train.csv", "--no-tune", "--pairs", "x1:x1"}, 2, {"two attributes"});
}

TEST_F(CliTerms, EveryCommandReadsThem) {
  fitted("1");
  const std::string shown = output({"show", "m.json"});
  EXPECT_NE(shown.find(" x "), std::string::npos) << shown;
  const Json row = Json::parse(output({"explain", "m.json", "train.csv", "--row", "3", "--format", "json"}))["rows"][0];
  double sum = row["base"];
  for (const char* const list : {"attributes", "pairs"}) {
    for (const Json& part : row[list]) sum += part["contribution"].get<double>();
  }
  EXPECT_NEAR(sum, row["score"], 1e-9);
  EXPECT_EQ(row["pairs"].size(), 1U);
  EXPECT_EQ(output({"explain", "m.json", "--format", "csv"}).substr(0, 50),
            "attribute,kind,value,raw,self,purified,lower,upper");
  output({"fit", "train.csv", "-q", "--no-tune", "-o", "full.json"});
  EXPECT_NE(output({"compare", "m.json", "full.json", "--data", "train.csv"}).find("1 chosen pairs"),
            std::string::npos);
  output({"report", "m.json", "--data", "train.csv", "-o", "page.html"});
  EXPECT_LT(folder.content("page.html").size(), 1'200'000U);
  expect_refusal({"fit", "train.csv", "--warm-start", "m.json"}, 2, {"--pairs all"});
  EXPECT_NE(output({"validate", "train.csv", "--no-tune", "--pairs", "1", "--folds", "2"}).find("accuracy"),
            std::string::npos);
}

}  // namespace
}  // namespace xofm::testing
