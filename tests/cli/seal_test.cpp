// xofm seal: models that were changed by hand.
#include "support/cli_test.hpp"

namespace xofm::testing {
namespace {

using CliSeal = CliTest;

TEST_F(CliSeal, AModelChangedByHandIsRefusedUntilItIsSealed) {
  make_model();
  std::string text = folder.content("model.json");
  const std::size_t at = text.find("\"description\"");
  ASSERT_EQ(at, std::string::npos);
  text.replace(text.find("\"kind\""), 6, "\"unit\": \"cm\", \"kind\"");
  folder.file("model.json", text);
  expect_refusal({"predict", "model.json", "test.csv"}, 4, {"changed by hand", "xofm seal"});
  EXPECT_NE(output({"seal", "model.json"}).find("valid model and has a new checksum"), std::string::npos);
  EXPECT_EQ(Csv(output({"predict", "model.json", "test.csv"})).rows.size(), 40U);
  EXPECT_NE(output({"show", "model.json"}).find("Changed by hand since it was fitted, and sealed 1 time\n"),
            std::string::npos);
  EXPECT_EQ(output({"seal", "model.json", "-o", "other.json", "-q"}), "");
  EXPECT_NE(output({"show", "other.json"}).find("sealed 2 times"), std::string::npos);
}

TEST_F(CliSeal, ADamagedModelIsNotSealed) {
  make_model();
  std::string text = folder.content("model.json");
  text.replace(text.find("\"knots\": ["), 10, "\"knots\": [1e300, ");
  folder.file("model.json", text);
  expect_refusal({"seal", "model.json"}, 4, {"knots: must be ascending"});
  expect_refusal({"seal", "train.csv"}, 4, {"not a model of xofm fit"});
}

}  // namespace
}  // namespace xofm::testing
