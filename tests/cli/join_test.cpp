// Predictions that can be joined to what they are about: ids, kept columns, reasons, a line that sums up.
#include <nlohmann/json.hpp>

#include "support/cli_test.hpp"

namespace xofm::testing {
namespace {

using CliJoin = CliTest;

// Clients with an id that has quotes and commas, and a remark.
void make_clients(const TemporaryFolder& folder, const std::string& name, int count) {
  std::string text = "client,age,debt,job,remark,grade\n";
  for (int i = 0; i < count; ++i) {
    const int age = 20 + i * 7 % 50;
    const int debt = i * 13 % 90;
    const int grade = 1 + (age > 40 ? 1 : 0) + (debt < 40 ? 1 : 0);
    text += fmt::format("\"C-{}, \"\"{}\"\"\",{},{},{},=HYPERLINK({}),{}\n", i, i % 3, age, debt,
                        i % 2 == 0 ? "cook" : "smith", i, grade);
  }
  folder.file(name, text);
}

TEST_F(CliJoin, AnIdIsWrittenFirstAndTakesNoPartInTraining) {
  make_clients(folder, "clients.csv", 120);
  output({"fit", "clients.csv", "--no-tune", "--id", "client", "--ignore", "remark", "-q"});
  const auto model = nlohmann::json::parse(folder.content("model.json"));
  EXPECT_EQ(model["id"], "client");
  for (const auto& attribute : model["attributes"]) EXPECT_NE(attribute["name"], "client");
  const Csv csv(output({"predict", "model.json", "clients.csv", "--id", "client"}));
  EXPECT_EQ(csv.header.front(), "client");
  EXPECT_EQ(csv.at(7, "client"), "C-7, \"1\"");
  EXPECT_EQ(csv.rows.size(), 120U);
  const Csv plain(output({"predict", "model.json", "clients.csv"}));
  EXPECT_EQ(plain.header.front(), "row");
  EXPECT_EQ(plain.at(119, "row"), "120");
  for (std::size_t i = 0; i < 120; ++i) EXPECT_EQ(plain.at(i, "score"), csv.at(i, "score"));
}

TEST_F(CliJoin, ColumnsAreKeptAsTheyAreAndFormulasNeutralised) {
  make_clients(folder, "clients.csv", 60);
  output({"fit", "clients.csv", "--no-tune", "--ignore", "remark,client", "-q"});
  const Csv some(output({"predict", "model.json", "clients.csv", "--keep", "remark,age"}));
  EXPECT_EQ(some.header[some.header.size() - 2], "remark");
  EXPECT_EQ(some.header.back(), "age");
  EXPECT_EQ(some.at(4, "remark"), "'=HYPERLINK(4)");
  EXPECT_EQ(some.at(4, "age"), "48");
  const Csv all(output({"predict", "model.json", "clients.csv", "--id", "client", "--keep", "all", "--raw-cells"}));
  const Words kept(all.header.end() - 5, all.header.end());
  EXPECT_EQ(kept, (Words{"age", "debt", "job", "remark", "grade"}));
  EXPECT_EQ(all.at(4, "remark"), "=HYPERLINK(4)");
  // A column that is called as one of ours is told apart.
  folder.file("named.csv", "age,debt,job,score\n30,20,cook,9\n");
  const Csv named(output({"predict", "model.json", "named.csv", "--keep", "all"}));
  EXPECT_EQ(named.header.back(), "input_score");
}

TEST_F(CliJoin, ReasonsAreThePartsWithTheLowestContributions) {
  make_clients(folder, "clients.csv", 120);
  output({"fit", "clients.csv", "--pairs", "1", "--no-tune", "--ignore", "remark,client", "-q"});
  const Csv low(output({"predict", "model.json", "clients.csv", "--reasons", "2"}));
  const Csv high(output({"predict", "model.json", "clients.csv", "--reasons", "2,high"}));
  EXPECT_EQ(low.header.back(), "reason_2");
  for (const int row : {1, 20, 77}) {
    const auto explained = nlohmann::json::parse(
        output({"explain", "model.json", "clients.csv", "--row", std::to_string(row), "--format", "json"}));
    std::vector<std::pair<double, std::string>> parts;
    const auto& local = explained["rows"][0];
    for (const auto& attribute : local["attributes"]) {
      if (attribute["contribution"] == 0) continue;  // no part of the model
      parts.emplace_back(attribute["contribution"].get<double>(), attribute["name"].get<std::string>());
    }
    for (const auto& pair : local["pairs"]) {
      parts.emplace_back(pair["contribution"].get<double>(),
                         fmt::format("{} x {}", pair["first"].get<std::string>(), pair["second"].get<std::string>()));
    }
    const auto [least, greatest] = std::minmax_element(parts.begin(), parts.end());
    EXPECT_EQ(low.at(static_cast<std::size_t>(row - 1), "reason_1"), least->second);
    EXPECT_EQ(high.at(static_cast<std::size_t>(row - 1), "reason_1"), greatest->second);
  }
  expect_refusal({"predict", "model.json", "clients.csv", "--reasons", "many"}, 2, {"--reasons", "many"});
}

TEST_F(CliJoin, ALineOnStandardErrorSumsUp) {
  folder.file("t.csv", "a,y\n1,1\n2,2\n3,2\n4,1\n5,2\n");
  output({"fit", "--no-tune", "t.csv", "-q"});
  const RunResult result = run({"predict", "model.json", "-", "-o", "out.csv"}, {.input = "a\n2\n9\n3\n\n"});
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(result.err.starts_with("Predicted 3 rows: class 1 ")) << result.err;
  EXPECT_TRUE(result.err.ends_with("; 33.3 % have notes.\n")) << result.err;
  EXPECT_EQ(run({"predict", "model.json", "t.csv", "-o", "out.csv", "-q"}).err, "");
}

TEST_F(CliJoin, TrainingRowsAreCitedByTheirId) {
  make_clients(folder, "clients.csv", 80);
  output({"fit", "clients.csv", "--no-tune", "--id", "client", "--ignore", "remark", "-q"});
  const std::string text = output({"explain", "model.json", "clients.csv", "--row", "5"});
  EXPECT_NE(text.find("Nearest in score: training row "), std::string::npos) << text;
  const auto explained =
      nlohmann::json::parse(output({"explain", "model.json", "clients.csv", "--row", "5", "--format", "json"}));
  const Csv clients(folder.content("clients.csv"));
  for (const auto& object : explained["rows"][0]["nearest"]) {
    const auto row = object["row"].get<std::size_t>();
    EXPECT_EQ(object["id"], clients.at(row - 1, "client"));
    EXPECT_NE(text.find(fmt::format("row {} ({})", row, clients.at(row - 1, "client"))), std::string::npos) << text;
  }
  // Rows kept out do not shift the numbers.
  output({"fit", "clients.csv", "--no-tune", "--id", "client", "--ignore", "remark", "--holdout", "0.4", "-q"});
  const auto model = nlohmann::json::parse(folder.content("model.json"));
  for (const auto& of_class : model["reference"]) {
    for (std::size_t i = 0; i < of_class["rows"].size(); ++i) {
      EXPECT_EQ(of_class["ids"][i], clients.at(of_class["rows"][i].get<std::size_t>() - 1, "client"));
    }
  }
}

}  // namespace
}  // namespace xofm::testing
