// xofm monitor: exit status, JSON, the page, streams of any length.
#include <nlohmann/json.hpp>

#include "support/cli_test.hpp"

namespace xofm::testing {
namespace {

using CliMonitor = CliTest;
using Json = nlohmann::json;

// Rows like those of training but for a second column that is larger by `shift`.
std::string rows_text(int count, double shift, bool labelled) {
  std::string text = labelled ? "a,b,c,y\n" : "a,b,c\n";
  for (int i = 0; i < count; ++i) {
    const int a = i * 37 % 100;
    const int b = i * 53 % 90;
    text += fmt::format("{},{},{}", a, b + shift, i % 3 == 0 ? "u" : "v");
    text += labelled ? fmt::format(",{}\n", 1 + (a > 40 ? 1 : 0) + (b > 50 ? 1 : 0)) : "\n";
  }
  return text;
}

TEST_F(CliMonitor, LikeRowsPassAndShiftedOnesHaveAStatusOfTheirOwn) {
  folder.file("train.csv", rows_text(400, 0, true));
  output({"fit", "train.csv", "--no-tune", "-q"});
  const std::string like = output({"monitor", "model.json", "-"}, {.input = rows_text(500, 0, false)});
  EXPECT_TRUE(like.starts_with("500 new rows against the training rows; 0 % have notes\n")) << like;
  EXPECT_NE(like.find("No threshold is passed."), std::string::npos) << like;
  const RunResult shifted = run({"monitor", "model.json", "-"}, {.input = rows_text(500, 60, false)});
  EXPECT_EQ(shifted.status, 6);
  EXPECT_NE(shifted.out.find("ALARM: stability index"), std::string::npos) << shifted.out;
  EXPECT_NE(shifted.out.find("ALARM: outside the training range in"), std::string::npos) << shifted.out;
  EXPECT_EQ(run({"monitor", "model.json", "-", "--psi", "100", "--outside", "1"}, {.input = rows_text(500, 60, false)})
                .status,
            0);
  expect_refusal({"monitor", "model.json", "train.csv", "--psi", "-1"}, 2, {"psi is -1"});
  expect_refusal({"monitor", "model.json", "-"}, 3, {"no rows"}, {.input = "a,b,c\n"});
}

TEST_F(CliMonitor, LabelledRowsShowHowGoodTheModelIsOnThem) {
  folder.file("train.csv", rows_text(400, 0, true));
  output({"fit", "train.csv", "--pairs", "1", "--no-tune", "-q"});
  const Json json = Json::parse(output({"monitor", "model.json", "-", "--json"}, {.input = rows_text(300, 0, true)}));
  EXPECT_EQ(json["labelled_count"], 300);
  EXPECT_EQ(json["alarm_count"], 0);
  EXPECT_EQ(json["metrics"].size(), 10U);
  const Json evaluated =
      Json::parse(output({"evaluate", "model.json", "-", "--json"}, {.input = rows_text(300, 0, true)}));
  for (const auto& metric : json["metrics"]) {
    EXPECT_EQ(metric["value"], evaluated[metric["name"].get<std::string>()]) << metric;
    EXPECT_LE(metric["low"], metric["value"]);
    EXPECT_GE(metric["high"], metric["value"]);
    EXPECT_FALSE(metric["validation"].is_null());
  }
  // Labels that have nothing to do with the rows any more.
  std::string text = rows_text(300, 0, true);
  for (std::size_t i = text.find('\n'); i < text.size(); ++i) {
    if (text[i] == '\n' && i > 0 && text[i - 1] >= '1' && text[i - 1] <= '3')
      text[i - 1] = static_cast<char>('1' + i % 3);
  }
  const RunResult worse = run({"monitor", "model.json", "-"}, {.input = text});
  EXPECT_EQ(worse.status, 6);
  EXPECT_NE(worse.out.find("ALARM: worse than in validation"), std::string::npos) << worse.out;
}

TEST_F(CliMonitor, ThePageNeedsNoNetworkAndQuotesNames) {
  std::string text = rows_text(400, 0, true);
  text.replace(0, text.find('\n'), "<script>alert(1)</script>,b,\"c & \"\"d\"\"\",y");
  folder.file("train.csv", text);
  output({"fit", "train.csv", "--no-tune", "-q"});
  output({"monitor", "model.json", "train.csv", "--page", "page.html"});
  const std::string page = folder.content("page.html");
  EXPECT_TRUE(page.starts_with("<!doctype html>"));
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;alert(1)&lt;/script&gt;"), std::string::npos);
  EXPECT_NE(page.find("c &amp; &quot;d&quot;"), std::string::npos);
  expect_refusal({"monitor", "model.json", "train.csv", "--page", "train.csv"}, 2, {"--page", "would be lost"});
}

TEST_F(CliMonitor, StreamsInBoundedMemory) {
  folder.file("train.csv", rows_text(400, 0, true));
  output({"fit", "train.csv", "--no-tune", "-q"});
  const std::string part = rows_text(100000, 0, true);
  std::string input = part;
  constexpr std::size_t repeats = 30;  // held at once, rows and predictions take 400 MB
  for (std::size_t i = 1; i < repeats; ++i) input += part.substr(part.find('\n') + 1);
  const RunResult result = run({"monitor", "model.json", "-", "--json"}, {.input = input});
  EXPECT_EQ(result.status, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["row_count"], repeats * 100000);
  EXPECT_EQ(json["metrics_from_rows"], 100000);
#if !XOFM_IS_SANITIZED
  EXPECT_LT(result.peak_kib, 240 << 10);
#endif
}

}  // namespace
}  // namespace xofm::testing
