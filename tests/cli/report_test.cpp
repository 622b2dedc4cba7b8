// xofm report: the page itself is tested in a browser (tests/web); here, what the command makes of its words.
#include <nlohmann/json.hpp>

#include "support/cli_test.hpp"

namespace xofm::testing {
namespace {

using Json = nlohmann::json;

class CliReport : public CliTest {
 protected:
  // The document inside a page.
  static Json document(const std::string& page) {
    const std::string begin = R"(<script type="application/json" id="report-data">)";
    const std::size_t at = page.find(begin) + begin.size();
    return Json::parse(page.substr(at, page.find("</script>", at) - at));
  }
};

TEST_F(CliReport, WritesOnePageAndSaysWhere) {
  make_model();
  EXPECT_EQ(output({"report", "model.json"}), "Report written to report.html; open it in a browser\n");
  const std::string page = folder.content("report.html");
  EXPECT_TRUE(page.starts_with("<!doctype html>")) << page.substr(0, 40);
  EXPECT_EQ(document(page)["title"], "class");
  // The model as it is, but for the factors, which are packed; the web tests read them.
  Json shown = document(page)["model"];
  Json model = Json::parse(folder.content("model.json"));
  ASSERT_EQ(shown["attributes"].size(), model["attributes"].size());
  for (std::size_t j = 0; j < model["attributes"].size(); ++j) {
    const Json& rows = model["attributes"][j]["factors"];
    const std::size_t byte_count = rows.size() * rows[0].size() * 8;
    EXPECT_EQ(shown["attributes"][j]["factors"].get<std::string>().size(), (byte_count + 2) / 3 * 4);
    shown["attributes"][j].erase("factors");
    model["attributes"][j].erase("factors");
  }
  EXPECT_EQ(shown, model);
  EXPECT_EQ(output({"report", "model.json", "-o", "-"}), page);
  EXPECT_EQ(output({"report", "model.json", "--quiet"}), "");
}

TEST_F(CliReport, KeepsRowsOfTheDataToChooseFrom) {
  make_model();
  output({"report", "model.json", "--data", "test.csv", "--row-limit", "10", "--title", "Grades"});
  const Json json = document(folder.content("report.html"));
  EXPECT_EQ(json["title"], "Grades");
  EXPECT_EQ(json["rows"]["file"], "test.csv");
  EXPECT_EQ(json["rows"]["total"], 40);
  EXPECT_EQ(json["rows"]["numbers"].size(), 10U);
  const Json measured = Json::parse(output({"evaluate", "model.json", "test.csv", "--json"}));
  EXPECT_EQ(json["quality"][0]["measures"]["mae"]["value"], measured["mae"]);
}

TEST_F(CliReport, TakesRowsWithoutLabelsAndFromStandardInput) {
  make_model();
  output({"report", "model.json", "--data", "-"}, {.input = "x4,x3,x2,x1\n1,2,3,4\n"});
  const Json json = document(folder.content("report.html"));
  EXPECT_EQ(json["rows"]["columns"], Json::parse("[[4.0],[3.0],[2.0],[1.0]]"));
  EXPECT_TRUE(json["rows"]["labels"].is_null());
  EXPECT_TRUE(json["quality"].empty());
}

TEST_F(CliReport, ReadsTheModelByAnotherRuleWhenAsked) {
  make_model();
  output({"report", "model.json", "--rule", "support"});
  EXPECT_EQ(document(folder.content("report.html"))["model"]["assignment"]["rule"], "support");
}

TEST_F(CliReport, RefusesWhatMakesNoSense) {
  make_model();
  expect_refusal({"report", "model.json", "--row-limit", "0"}, 2, {"--row-limit is 0", "at least 1"});
  expect_refusal({"report", "model.json", "--data", "none.csv"}, 5, {"none.csv"});
  folder.file("few.csv", "x1,x2\n1,2\n");
  expect_refusal({"report", "model.json", "--data", "few.csv"}, 3, {"\"x3\", \"x4\""});
}

}  // namespace
}  // namespace xofm::testing
