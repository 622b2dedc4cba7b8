// Data as an analyst has them, and what once stood in the way: a German file, dates, codes, columns that say nothing,
// and one that knows too much.
#include <cmath>
#include <nlohmann/json.hpp>

#include "support/cli_test.hpp"

namespace xofm::testing {
namespace {

using CliAnalyst = CliTest;
using Json = nlohmann::json;

Json attribute_of(const Json& model, const std::string& name) {
  for (const auto& attribute : model["attributes"]) {
    if (attribute["name"] == name) return attribute;
  }
  return {};
}

std::string german_rows(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const int income = 900 + i * 37 % 4000;
    text += fmt::format("{}.{:03},{:02};{},{};{};{}\n", income / 1000, income % 1000, i % 100, i % 9, i % 10,
                        i % 3 == 0 ? "M\xFCller"
                                   : "Stra\xDF"
                                     "e",
                        income > 2500 ? 2 : 1);
  }
  return text;
}

TEST_F(CliAnalyst, AGermanFileIsReadAsItIs) {
  folder.file("german.csv", "Einkommen;Quote;Branche;Note\n" + german_rows(200));
  expect_refusal({"fit", "german.csv", "--no-tune"}, 3, {"Branche", "--encoding cp1252"});
  const std::string told = output({"fit", "german.csv", "--no-tune", "--encoding", "cp1252"});
  EXPECT_NE(told.find("Numbers have a decimal comma"), std::string::npos) << told;
  const Json model = Json::parse(folder.content("model.json"));
  EXPECT_EQ(attribute_of(model, "Einkommen")["kind"], "numeric");
  EXPECT_NEAR(attribute_of(model, "Einkommen")["knots"][0].get<double>(), 900, 40);
  EXPECT_EQ(attribute_of(model, "Branche")["levels"], (Words{"M\xC3\xBCller",
                                                             "Stra\xC3\x9F"
                                                             "e"}));
  // New rows are read alike, also where they leave it open how numbers are written.
  const Words predict = {"predict", "model.json", "-", "--encoding", "cp1252"};
  const Csv open(output(predict, {.input = "Einkommen;Quote;Branche\n1.234;2;M\xFCller\n"}));
  const Csv plain(output({"predict", "model.json", "-", "--decimal", "."},
                         {.input = "Einkommen;Quote;Branche\n1234;2;M\xC3\xBCller\n"}));
  EXPECT_EQ(open.at(0, "score"), plain.at(0, "score"));
  EXPECT_EQ(open.at(0, "notes"), "");
}

TEST_F(CliAnalyst, Utf16IsKnownByItsMark) {
  const std::string text = "a;b;y\n1,5;x;1\n2,5;z;2\n3,5;x;2\n4,5;z;1\n";
  std::string wide = "\xFF\xFE";
  for (const char c : text) wide += {c, '\0'};
  folder.file("wide.csv", wide);
  output({"fit", "wide.csv", "--no-tune", "-q"});
  const Csv from_wide(output({"predict", "model.json", "wide.csv"}));
  EXPECT_EQ(from_wide.rows, Csv(output({"predict", "model.json", "-"}, {.input = text})).rows);
  EXPECT_EQ(from_wide.rows, Csv(output({"predict", "model.json", "-"}, {.input = "\xEF\xBB\xBF" + text})).rows);
}

TEST_F(CliAnalyst, NoHintMakesANumberACategory) {
  std::string text = "a,y\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{},{}\n", i == 30 ? "n.a." : std::to_string(i * 7 % 40), 1 + i % 2);
  folder.file("t.csv", text);
  const RunResult result = run({"fit", "t.csv", "--no-tune"});
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.err.find("\"n.a.\" is not a number"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("--missing"), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("--categorical"), std::string::npos) << result.err;
}

TEST_F(CliAnalyst, DatesBecomeDaysAndSaySo) {
  std::string text = "applied,x,y\n";
  for (int i = 0; i < 300; ++i) {
    text += fmt::format("{:02}.{:02}.{},{},{}\n", 1 + i % 28, 1 + i % 12, 2018 + i % 6, i % 11, i % 6 > 2 ? 2 : 1);
  }
  folder.file("dates.csv", text);
  const std::string told = output({"fit", "dates.csv", "--no-tune"});
  EXPECT_NE(told.find("applied holds dates, taken as days since 1970-01-01 (2018-01-01 is 17532)"), std::string::npos)
      << told;
  const Json model = Json::parse(folder.content("model.json"));
  EXPECT_EQ(attribute_of(model, "applied")["kind"], "numeric");
  EXPECT_EQ(attribute_of(model, "applied")["knots"][0], 17532);
  // Another way of writing the same day is the same day.
  const Csv csv(output({"predict", "model.json", "-"},
                       {.input = "applied,x\n05.06.2021,3\n2021-06-05,3\n2021-06-05 00:00:00,3\n"}));
  EXPECT_EQ(csv.at(0, "score"), csv.at(1, "score"));
  EXPECT_EQ(csv.at(0, "score"), csv.at(2, "score"));
  EXPECT_NE(output({"explain", "model.json", "dates.csv", "--row", "1"}).find("applied = 2018-01-01"),
            std::string::npos);
}

TEST_F(CliAnalyst, DatesMayBeTakenByWhatComesAgain) {
  std::string text = "applied,x,y\n";
  for (int i = 0; i < 300; ++i) {
    text += fmt::format("2021-{:02}-{:02},{},{}\n", 1 + i % 12, 1 + i % 28, i % 11, i % 12 > 5 ? 2 : 1);
  }
  folder.file("dates.csv", text);
  output({"fit", "dates.csv", "--no-tune", "--cyclic", "applied", "-q"});
  const Json model = Json::parse(folder.content("model.json"));
  EXPECT_EQ(attribute_of(model, "applied month")["levels"].size(), 12U);
  EXPECT_EQ(attribute_of(model, "applied weekday")["levels"][0], "Monday");
  EXPECT_TRUE(attribute_of(model, "applied").is_null());
  const Csv csv(output({"predict", "model.json", "-"}, {.input = "applied,x\n2023-02-13,3\n2023-12-11,3\n"}));
  EXPECT_EQ(csv.at(0, "class"), "1");
  EXPECT_EQ(csv.at(1, "class"), "2");
  EXPECT_EQ(csv.at(1, "notes"), "");
}

TEST_F(CliAnalyst, SpecialValuesStandBesideTheCurve) {
  std::string text = "income,age,y\n";
  for (int i = 0; i < 400; ++i) {
    const int income = i % 8 == 0 ? -1 : i % 8 == 1 ? -9 : 1000 + i * 53 % 3000;
    const int grade = income == -1 ? 2 : income == -9 ? 1 : income > 2500 ? 2 : 1;
    text += fmt::format("{},{},{}\n", income, 20 + i * 7 % 41, grade);
  }
  folder.file("codes.csv", text);
  for (const Words& more : {Words{"--pairs", "all"}, Words{"--pairs", "1"}}) {
    Words words = {"fit", "codes.csv", "--no-tune", "--special", "income=-1,-9", "-q"};
    words.insert(words.end(), more.begin(), more.end());
    output(words);
    const Json income = attribute_of(Json::parse(folder.content("model.json")), "income");
    EXPECT_EQ(income["special"], (std::vector<double>{-9, -1}));
    EXPECT_GE(income["knots"][0], 1000);
    const Csv csv(output({"predict", "model.json", "-"}, {.input = "income,age\n-1,30\n-9,30\n-5,30\n"}));
    EXPECT_EQ(csv.at(0, "class"), "2");
    EXPECT_EQ(csv.at(1, "class"), "1");
    EXPECT_EQ(csv.at(0, "notes"), "");
    EXPECT_EQ(csv.at(2, "notes"), "income below the training range");
    EXPECT_NE(output({"show", "model.json"}).find("  -1 "), std::string::npos);
  }
  expect_refusal({"fit", "codes.csv", "--special", "incme=-1"}, 2, {"--special", "incme"});
}

TEST_F(CliAnalyst, ColumnsThatSayNothingAreLeftOutAndNotAskedFor) {
  std::string text = "client_id,x,country,empty,name,y\n";
  for (int i = 0; i < 120; ++i) {
    text += fmt::format("{},{},DE,,person {},{}\n", 5000 + i * 17, i % 9, i, i % 9 > 4 ? 2 : 1);
  }
  folder.file("wide.csv", text);
  const std::string told = output({"fit", "wide.csv", "--no-tune"});
  for (const char* const line :
       {"client_id is left out: it looks like an identifier: 120 different whole numbers.\n",
        "country is left out: it is \"DE\" in every row.\n", "empty is left out: it has no value in any row.\n",
        "name is left out: it looks like an identifier: 120 different texts in 120 rows.\n"}) {
    EXPECT_NE(told.find(line), std::string::npos) << line << told;
  }
  EXPECT_EQ(Csv(output({"predict", "model.json", "-"}, {.input = "x\n3\n"})).rows.size(), 1U);
  output({"fit", "wide.csv", "--no-tune", "--use", "x,client_id", "-q"});
  EXPECT_FALSE(attribute_of(Json::parse(folder.content("model.json")), "client_id").is_null());
}

TEST_F(CliAnalyst, AnAttributeThatKnowsTooMuchIsAWarningWithFigures) {
  std::string text = "x,status,y\n";
  for (int i = 0; i < 200; ++i) {
    const int grade = i * 7 % 20 > 9 ? 2 : 1;
    text += fmt::format("{},{},{}\n", i * 13 % 17, i == 3 ? "paid" : grade == 2 ? "paid" : "written off", grade);
  }
  folder.file("leak.csv", text);
  const RunResult result = run({"fit", "leak.csv", "--no-tune"});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("xofm: warning: status alone gives the class of 99.5 % of the rows"), std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find("50.0 %"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("--ignore status"), std::string::npos) << result.err;
  EXPECT_EQ(run({"fit", "leak.csv", "--no-tune", "--ignore", "status"}).err, "");
}

TEST_F(CliAnalyst, CheckTellsAllOfItBeforeTraining) {
  std::string text = "income,age,country,status,y\n";
  for (int i = 0; i < 300; ++i) {
    const int grade = i * 7 % 20 > 9 ? 2 : 1;
    text +=
        fmt::format("{},{},DE,{},{}\n", i % 10 == 0 ? -1 : 1000 + i % 60, i % 7 == 0 ? "" : std::to_string(20 + i % 5),
                    grade == 2 ? "paid" : "late", i < 4 ? 3 - grade : grade);
  }
  text += "1001,21,DE,paid,1\n1001,21,DE,paid,2\n";
  folder.file("rows.csv", text);
  const std::string told = output({"check", "rows.csv"});
  for (const char* const part :
       {"302 rows, 3 attributes; label y", "country is left out: it is \"DE\" in every row.",
        "income is -1 in 30 rows (9.93 %), the only negative value", "--special income=-1", "missing in",
        "status alone gives the class of", "have the attributes of another one and not its class"}) {
    EXPECT_NE(told.find(part), std::string::npos) << part << "\n" << told;
  }
  const Json json = Json::parse(output({"check", "rows.csv", "--json"}));
  EXPECT_EQ(json["row_count"], 302);
  EXPECT_EQ(json["leaks"][0]["attribute"], "status");
  EXPECT_EQ(json["attributes"][0]["special_candidates"][0]["value"], -1);
  EXPECT_LT(json["best_accuracy"], 1);
  EXPECT_EQ(json["remarks"].size(), 1U);
}

}  // namespace
}  // namespace xofm::testing
