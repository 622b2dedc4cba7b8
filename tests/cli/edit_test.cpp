// xofm edit and xofm audit.
#include <regex>

#include "support/cli_test.hpp"

namespace xofm::testing {
namespace {

class CliEdit : public CliTest {
 protected:
  CliEdit() {
    make_model({"--pairs", "x1:x2"});
    folder.file("edits.json", R"({"who": "review board", "why": "It cannot rise again",
        "edits": [{"edit": "monotone", "attribute": "x1", "direction": "increasing"},
                  {"edit": "remove_pair", "first": "x1", "second": "x2"}]})");
  }
  std::string hash_of(const std::string& model) const {
    const std::string out = output({"audit", model});
    std::smatch found;
    EXPECT_TRUE(std::regex_search(out, found, std::regex("\nHash: ([0-9a-f]{64})\n|^Hash: ([0-9a-f]{64})\n"))) << out;
    return found[1].matched ? found[1] : found[2];
  }
};

TEST_F(CliEdit, TheEffectIsPrintedAndTheRecordVerified) {
  const std::string out = output({"edit", "model.json", "edits.json", "--data", "test.csv", "-o", "edited.json"});
  EXPECT_NE(out.find(" of 40 rows change class\n"), std::string::npos) << out;
  EXPECT_NE(out.find("Accuracy 0."), std::string::npos) << out;
  EXPECT_NE(out.find("Directions: proved anew, all hold\n"), std::string::npos) << out;
  const std::string audit = output({"audit", "edited.json"});
  for (const char* const text : {"review board: It cannot rise again\n", "make x1 increasing\n",
                                 "remove the pair x1 x x2\n", "The record holds\n"}) {
    EXPECT_NE(audit.find(text), std::string::npos) << audit;
  }
  EXPECT_EQ(output({"explain", "edited.json"}).find("x1 and x2"), std::string::npos);
  EXPECT_EQ(Csv(output({"predict", "edited.json", "test.csv"})).rows.size(), 40U);
  expect_refusal({"predict", "edited.json", "test.csv", "--coverage", "0.9"}, 4,
                 {"no coverage", "it was edited since"});
  EXPECT_NE(output({"show", "edited.json"}).find("Edited 1 time since it was fitted; xofm audit"), std::string::npos);
  EXPECT_NE(output({"audit", "model.json"}).find("No edits are recorded\n"), std::string::npos);
}

TEST_F(CliEdit, AHashKeptElsewhereShowsAnotherModel) {
  output({"edit", "model.json", "edits.json", "-o", "edited.json"});
  const std::string hash = hash_of("edited.json");
  EXPECT_NE(output({"audit", "edited.json", "--expect", hash}).find("is the expected one"), std::string::npos);
  const RunResult other = run({"audit", "model.json", "--expect", hash});
  EXPECT_EQ(other.status, 4);
  EXPECT_NE(other.out.find("Problem: the hash is not the expected one"), std::string::npos);
}

TEST_F(CliEdit, AChangeWithoutARecordIsAProblem) {
  output({"edit", "model.json", "edits.json", "-o", "edited.json"});
  std::string text = folder.content("edited.json");
  const std::size_t at = text.find("\"base\": ") + 8;
  text.replace(at, text.find(',', at) - at, "0.125");
  folder.file("edited.json", text);
  output({"seal", "edited.json"});
  const RunResult audit = run({"audit", "edited.json"});
  EXPECT_EQ(audit.status, 4);
  EXPECT_NE(audit.out.find("Problem: the model is not the one that the last entry ends with"), std::string::npos);
  expect_refusal({"edit", "edited.json", "edits.json", "-o", "again.json"}, 4,
                 {"its record does not hold", "xofm audit"});
}

TEST_F(CliEdit, WhatIsMissingOrImpossibleIsSaid) {
  folder.file("anonymous.json", R"({"edits": [{"edit": "remove_pair", "first": "x1", "second": "x2"}]})");
  expect_refusal({"edit", "model.json", "anonymous.json", "-o", "edited.json"}, 2, {"who makes it", "--who"});
  expect_refusal({"edit", "model.json", "anonymous.json", "--who", "B", "-o", "edited.json"}, 2, {"--why"});
  output({"edit", "model.json", "anonymous.json", "--who", "B", "--why", "C", "-o", "edited.json"});
  expect_refusal({"edit", "edited.json", "anonymous.json", "--who", "B", "--why", "C", "-o", "x.json"}, 2,
                 {"edit 1: ", "no pair of 'x1' and 'x2'"});
  folder.file("wrong.json", R"({"edits": [{"edit": "paint"}]})");
  expect_refusal({"edit", "model.json", "wrong.json", "-o", "x.json"}, 3, {"wrong.json.edits[0].edit"});
  expect_refusal({"edit", "model.json", "none.json", "-o", "x.json"}, 5, {"cannot read edits 'none.json'"});
  expect_refusal({"edit", "model.json", "edits.json", "-o", "edits.json"}, 2, {"--force"});
  output({"fit", "--no-tune", "train.csv", "-o", "factors.json", "-q", "--pairs", "all"});
  expect_refusal({"edit", "factors.json", "edits.json", "-o", "x.json"}, 4, {"curves and pairs"});
}

}  // namespace
}  // namespace xofm::testing
