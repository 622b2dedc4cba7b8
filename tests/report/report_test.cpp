#include "xofm/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/report_data.hpp"
#include "report/report_page.hpp"
#include "support/explained_model.hpp"
#include "support/temporary_folder.hpp"
#include "xofm/error.hpp"
#include "xofm/explain.hpp"

namespace xofm {
namespace {

using detail::report_data;
using test_support::motley_model;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ReportJson, NothingInATextCanEndTheScript) {
  const nlohmann::ordered_json json = {{"</script><!--", "]]> & \xE2\x80\xA8 \xE2\x80\xA9 \xF0\x9F\x98\x80"}};
  const std::string text = detail::json_for_html(json);
  EXPECT_EQ(text.find_first_of("<>&"), std::string::npos) << text;
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; })) << text;
  EXPECT_EQ(nlohmann::ordered_json::parse(text), json);
}

TEST(ReportJson, ATextThatIsNotUtf8IsReplacedNotRefused) {
  EXPECT_EQ(detail::json_for_html({{"a", "\xFF"}}), R"({"a":"\ufffd"})");
}

TEST(ReportData, HasTheModelAndItsPieces) {
  const auto [data, model] = motley_model(1);
  const nlohmann::ordered_json json = report_data(model, nullptr, {});
  EXPECT_EQ(json["title"], "class");
  EXPECT_EQ(json["model"]["attributes"].size(), model.schema.attributes.size());
  EXPECT_EQ(json["pieces"].size(), score_pieces(model.assignment).size());
  EXPECT_EQ(json["pairs"].size(), 15U);
  EXPECT_TRUE(json["rows"].is_null());
  EXPECT_TRUE(json["quality"].empty());
}

TEST(ReportData, SaysHowGoodTheModelIsOnLabelledRowsAndWhetherItWasTrainedOnThem) {
  auto [data, model] = motley_model(2);
  model = train(data).model;
  const auto quality = report_data(model, &data, {.data_name = "rows.csv"})["quality"];
  ASSERT_EQ(quality.size(), 1U);
  EXPECT_EQ(quality[0]["source"], "data");
  EXPECT_EQ(quality[0]["row_count"], data.row_count());
  EXPECT_EQ(quality[0]["is_training_data"], true);
  data.columns[0][0] += 1;
  EXPECT_EQ(report_data(model, &data, {})["quality"][0]["is_training_data"], false);
  data.labels.clear();
  EXPECT_TRUE(report_data(model, &data, {})["quality"].empty());
}

TEST(ReportData, RowsKeptOutOfTrainingComeFirst) {
  auto [data, model] = motley_model(3);
  const Predictions predicted = model.predict(data);
  model.holdout = evaluate(4, data.labels, predicted.classes, predicted.scores, predicted.probabilities);
  const auto quality = report_data(model, &data, {})["quality"];
  ASSERT_EQ(quality.size(), 2U);
  EXPECT_EQ(quality[0]["source"], "holdout");
  EXPECT_EQ(quality[0]["measures"]["accuracy"]["value"], model.holdout->accuracy);
}

TEST(ReportData, ACrossValidationComesBeforeAllElse) {
  auto [data, model] = motley_model(3);
  const Predictions predicted = model.predict(data);
  model.holdout = evaluate(4, data.labels, predicted.classes, predicted.scores, predicted.probabilities);
  model.validation = ValidationSummary{2, std::vector<MetricSummary>(std::size(metric_fields)), {{3, 1}, {0, 4}}};
  model.validation->metrics[0] = {2, 0.7, 0.05, 0.65, 0.75};
  const auto quality = report_data(model, nullptr, {})["quality"];
  ASSERT_EQ(quality.size(), 2U);
  EXPECT_EQ(quality[0]["source"], "validation");
  EXPECT_EQ(quality[0]["row_count"], 8);
  EXPECT_EQ(quality[0]["trial_count"], 2);
  EXPECT_EQ(quality[0]["measures"]["accuracy"], (nlohmann::ordered_json{{"value", 0.7}, {"spread", 0.05}}));
  EXPECT_TRUE(quality[0]["measures"]["mae"]["value"].is_null());
}

TEST(ReportData, KeepsRowsSpreadEvenlyOverAll) {
  const auto [data, model] = motley_model(4, 40);
  const auto rows = report_data(model, &data, {.row_limit = 4})["rows"];
  EXPECT_EQ(rows["total"], 40);
  EXPECT_EQ(rows["numbers"], (nlohmann::ordered_json{1, 11, 21, 31}));
  EXPECT_EQ(rows["columns"].size(), data.columns.size());
  EXPECT_EQ(rows["columns"][3][2], 7.0);
  EXPECT_EQ(rows["labels"][1], data.labels[10]);
}

TEST(ReportData, RefusesToKeepNoRows) {
  const auto [data, model] = motley_model(5);
  EXPECT_THROW(report_data(model, &data, {.row_limit = 0}), Error);
}

TEST(Report, IsOnePageWithTheDataInIt) {
  if (detail::report_page().empty()) GTEST_SKIP() << "built without the report";
  const auto [data, model] = motley_model(6);
  const std::string html = report_html(model, &data, {.title = "</title><script>alert(1)</script>"});
  EXPECT_EQ(count_of(html, "</script"), 2U);  // of the data, of the page's own script
  EXPECT_EQ(count_of(html, "<script"), 2U);
  EXPECT_EQ(html.find(detail::report_placeholder), std::string::npos);
  EXPECT_EQ(html.find("alert(1)</script>"), std::string::npos);
  const testing::TemporaryFolder folder;
  save_report(model, folder.path("report.html"), &data, {.title = "</title><script>alert(1)</script>"});
  EXPECT_EQ(folder.content("report.html"), html);
}

}  // namespace
}  // namespace xofm
