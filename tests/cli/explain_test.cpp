// xofm explain: the whole model and single rows, as text, JSON and CSV.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "support/cli_test.hpp"

namespace xofm::testing {
namespace {

using Json = nlohmann::json;
using CliExplain = CliTest;

void expect_texts(const std::string& out, const Words& texts) {
  for (const auto& text : texts) EXPECT_NE(out.find(text), std::string::npos) << text << "\n" << out;
}

TEST_F(CliExplain, TheModelAsText) {
  folder.file("d.csv", "attribute,description,unit\nx1,\"Income, yearly\",EUR\n");
  make_model({"--increasing", "x1", "--bands", "4", "--descriptions", "d.csv"});
  const std::string out = output({"explain", "model.json"});
  expect_texts(
      out, {"What decides 'class': 3 classes from 1 to 3, learned from 150 rows", "Attributes, the most important",
            "x1: range ", "Income, yearly [EUR]", "rises; required to be increasing, certified", "uncertain by up to",
            "Pairs, the strongest first", "over the training rows"});
  expect_texts(output({"show", "model.json"}), {"Income, yearly [EUR]"});
  expect_texts(output({"explain", "model.json", "--top", "1"}), {"and 3 more (--top)", "and 5 more (--top)"});
}

TEST_F(CliExplain, MeansAreThoseOfTheDataIfThereAreAny) {
  make_model();
  expect_texts(output({"explain", "model.json", "test.csv"}), {"over the 40 rows of test.csv"});
  const Json trained = Json::parse(output({"explain", "model.json", "--format", "json"}));
  const Json exact = Json::parse(output({"explain", "model.json", "train.csv", "--format", "json"}));
  for (std::size_t j = 0; j < 4; ++j) {
    const double mean = exact["attributes"][j]["mean_absolute"];
    EXPECT_NEAR(trained["attributes"][j]["mean_absolute"].get<double>(), mean, 0.1 * mean);
  }
}

TEST_F(CliExplain, AModelWithoutInteractionsSaysSo) {
  make_model({"--factor-count", "0"});
  expect_texts(output({"explain", "model.json"}), {"No pair adds anything"});
}

TEST_F(CliExplain, ARowAsText) {
  make_model();
  const Csv predicted(output({"predict", "model.json", "test.csv"}));
  const std::string out = output({"explain", "model.json", "test.csv", "--row", "7", "--top", "2"});
  expect_texts(out,
               {fmt::format("Row 7: class {}, score {:.3f}\n", predicted.at(6, "class"), predicted.number(6, "score")),
                "  In 90 % of such cases the truth is ", "  Possible by the training scores: ", "How the score adds up",
                "where every row starts", "the 8 other parts together", "the score\n", "Among the training rows",
                "of its rows score lower", "At least class ", "scores no more (", "Nearest in score: training row ",
                "What would have to change"});
  EXPECT_EQ(out.find("Nearest in score", out.find("Nearest in score") + 1), std::string::npos);
}

TEST_F(CliExplain, ContributionsAddUpToTheScoreInJsonAndCsv) {
  make_model();
  const Csv predicted(output({"predict", "model.json", "test.csv"}));
  const Json json = Json::parse(output({"explain", "model.json", "test.csv", "--row", "3,17", "--format", "json"}));
  ASSERT_EQ(json["rows"].size(), 2U);
  for (const auto& [index, number] : {std::pair{0, 3}, std::pair{1, 17}}) {
    const Json& row = json["rows"][index];
    EXPECT_EQ(row["row"], number);
    double sum = row["base"];
    for (const auto& part : row["attributes"]) sum += part["contribution"].get<double>();
    for (const auto& part : row["pairs"]) sum += part["contribution"].get<double>();
    EXPECT_EQ(row["attributes"].size(), 4U);
    EXPECT_EQ(row["pairs"].size(), 6U);
    const auto at = static_cast<std::size_t>(number - 1);
    EXPECT_NEAR(sum, predicted.number(at, "score"), 1e-9);
    EXPECT_EQ(row["class"], predicted.at(at, "class"));
    EXPECT_EQ(row["lowest"], predicted.at(at, "lowest"));
    EXPECT_NEAR(row["probabilities"][1].get<double>(), predicted.number(at, "probability_2"), 1e-12);
    EXPECT_EQ(row["nearest"].size(), 5U);
  }
  const Csv csv(output({"explain", "model.json", "test.csv", "--row", "3", "--format", "csv"}));
  ASSERT_EQ(csv.rows.size(), 1U + 4 + 6 + 1);
  double sum = 0;
  for (std::size_t i = 0; i + 1 < csv.rows.size(); ++i) sum += csv.number(i, "contribution");
  EXPECT_EQ(csv.at(11, "part"), "score");
  EXPECT_NEAR(sum, csv.number(11, "contribution"), 1e-9);
  EXPECT_EQ(csv.at(1, "value"), Csv(folder.content("test.csv")).at(2, "x1"));
}

// The row after the changes, as predict sees it.
TEST_F(CliExplain, TheChangesLeadToTheClassTheyPromise) {
  make_model();
  const Csv test(folder.content("test.csv"));
  int checked = 0;
  for (int number = 1; number <= 10; ++number) {
    const Json json = Json::parse(output(
        {"explain", "model.json", "test.csv", "--row", std::to_string(number), "--fixed", "x2", "--format", "json"}));
    for (const char* const side : {"better", "worse"}) {
      const Json& next = json["rows"][0][side];
      if (next.is_null()) continue;
      for (const char* const count : {"one", "two"}) {
        if (next[count].is_null()) continue;
        Words cells = test.rows[static_cast<std::size_t>(number - 1)];
        for (const auto& change : next[count]["changes"]) {
          EXPECT_NE(change["attribute"], "x2");
          cells[test.column(change["attribute"])] = change["to"].dump();
        }
        const std::string changed = fmt::format("{}\n{}\n", fmt::join(test.header, ","), fmt::join(cells, ","));
        const Csv predicted(output({"predict", "model.json", "-"}, {.input = changed}));
        EXPECT_EQ(predicted.at(0, "class"), next["class"]);
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 10);
}

// The numbers after "to" in a line such as "one attribute:   x1 from 2.5 to 2.74, and x3 from 0.1 to 0.2".
std::vector<std::pair<std::string, std::string>> printed_changes(const std::string& line) {
  std::vector<std::pair<std::string, std::string>> changes;
  std::istringstream words(line.substr(line.find(':') + 1));
  for (std::string word, name, before; words >> word; before = word) {
    if (word == "from") name = before;
    if (before == "to") changes.emplace_back(name, word.substr(0, word.find(',')));
  }
  return changes;
}

TEST_F(CliExplain, TheNumbersThatArePrintedLeadToTheClassWhenTypedIn) {
  make_model();
  const Csv test(folder.content("test.csv"));
  int checked = 0;
  for (std::size_t row = 0; row < 20; ++row) {
    std::string target;
    for (const auto& line :
         split_lines(output({"explain", "model.json", "test.csv", "--row", std::to_string(row + 1)}))) {
      if (line.find("For the next ") != std::string::npos) target = line.substr(line.rfind(' ') + 1, 1);
      if (line.find(" attribute") == std::string::npos || line.find(" from ") == std::string::npos) continue;
      Words cells = test.rows[row];
      for (const auto& [name, value] : printed_changes(line)) {
        cells[test.column(name)] = value;
        EXPECT_LE(value.size(), 8U) << line;
      }
      const std::string typed = fmt::format("{}\n{}\n", fmt::join(test.header, ","), fmt::join(cells, ","));
      EXPECT_EQ(Csv(output({"predict", "model.json", "-"}, {.input = typed})).at(0, "class"), target) << line;
      ++checked;
    }
  }
  EXPECT_GT(checked, 20);
}

// What a program needs to compute the score itself: curves and surfaces, at knots and linear between them.
TEST_F(CliExplain, CurvesAndSurfacesInJsonAddUpToTheScore) {
  generate("train.csv", 300);
  for (const char* const pairs : {"all", "3"}) {
    output({"fit", "--no-tune", "train.csv", "--pairs", pairs, "-o", "m.json", "-q"});
    const Json model = Json::parse(output({"explain", "m.json", "--format", "json"}));
    ASSERT_GT(model["pairs"].size(), 0U);
    const Csv train(folder.content("train.csv"));
    const Csv predicted(output({"predict", "m.json", "train.csv"}));
    // The place of a value among the knots: the one below, and how far it is to the next.
    const auto place = [&](const std::string& name, std::size_t row) {
      for (const Json& attribute : model["attributes"]) {
        if (attribute["name"] != name) continue;
        const auto knots = attribute["knots"].get<std::vector<double>>();
        const double value = std::clamp(train.number(row, name), knots.front(), knots.back());
        const auto after = std::upper_bound(knots.begin() + 1, knots.end() - 1, value);
        const auto low = static_cast<std::size_t>(after - knots.begin()) - 1;
        return std::pair(low, (value - knots[low]) / (knots[low + 1] - knots[low]));
      }
      ADD_FAILURE() << name;
      return std::pair(std::size_t{0}, 0.0);
    };
    for (std::size_t row = 0; row < 20; ++row) {
      double score = model["base"];
      for (const Json& attribute : model["attributes"]) {
        const auto [low, share] = place(attribute["name"], row);
        const Json& curve = attribute["purified"];
        score += std::lerp(curve[low].get<double>(), curve[low + 1].get<double>(), share);
      }
      for (const Json& pair : model["pairs"]) {
        const auto [a, x] = place(pair["first"], row);
        const auto [b, y] = place(pair["second"], row);
        const auto at = [&](std::size_t i, std::size_t k) { return pair["surface"][i][k].get<double>(); };
        score += std::lerp(std::lerp(at(a, b), at(a, b + 1), y), std::lerp(at(a + 1, b), at(a + 1, b + 1), y), x);
      }
      EXPECT_NEAR(score, predicted.number(row, "score"), 1e-9) << pairs << ", row " << row;
    }
  }
}

TEST_F(CliExplain, FiveThousandAttributesTakeSecondsNotMinutes) {
  constexpr int attribute_count = 5000;
  std::string text;
  for (int j = 0; j < attribute_count; ++j) text += fmt::format("x{},", j);
  text += "class\n";
  unsigned state = 1;
  for (int i = 0; i < 60; ++i) {
    for (int j = 0; j < attribute_count; ++j)
      text += fmt::format("{},", (state = state * 1664525U + 1013904223U) >> 22);
    text += fmt::format("{}\n", 1 + i % 3);
  }
  folder.file("wide.csv", text);
  output({"fit", "--no-tune", "wide.csv", "--pairs", "all", "--max-epochs", "2", "-o", "wide.json", "-q"});
  // A quiet machine takes half a second for each; under sanitizers it is ten times as much. It was minutes.
  constexpr auto limit = std::chrono::seconds(30);
  for (const Words& words :
       {Words{"show", "wide.json"}, Words{"explain", "wide.json"}, Words{"explain", "wide.json", "--format", "json"},
        Words{"explain", "wide.json", "wide.csv", "--row", "1"},
        Words{"explain", "wide.json", "wide.csv", "--row", "1", "--format", "csv"},
        Words{"report", "wide.json", "-o", "wide.html"}}) {
    const auto start = std::chrono::steady_clock::now();
    output(words);
    EXPECT_LT(std::chrono::steady_clock::now() - start, limit) << words[0];
  }
  const Json json = Json::parse(output({"explain", "wide.json", "wide.csv", "--row", "1", "--format", "json"}));
  const Json& row = json["rows"][0];
  double sum = row["base"].get<double>() + row["other_pairs"]["contribution"].get<double>();
  for (const auto& part : row["attributes"]) sum += part["contribution"].get<double>();
  for (const auto& part : row["pairs"]) sum += part["contribution"].get<double>();
  EXPECT_NEAR(sum, row["score"].get<double>(), 1e-6);
  EXPECT_EQ(row["pairs"].size() + row["other_pairs"]["count"].get<std::size_t>(), 5000U * 4999 / 2);
}

TEST_F(CliExplain, WhereChoosesRowsByAnyColumn) {
  make_model();
  const Csv test(folder.content("test.csv"));
  std::string named = "id," + split_lines(folder.content("test.csv"))[0] + "\n";
  for (std::size_t i = 0; i < test.rows.size(); ++i) {
    named += fmt::format("{},{}\n", i % 2 == 0 ? "even" : "odd", fmt::join(test.rows[i], ","));
  }
  folder.file("named.csv", named);
  const Csv both(
      output({"explain", "model.json", "named.csv", "--where", "id=odd", "--where", "class=2.0", "--format", "csv"}));
  std::vector<std::string> expected;
  for (std::size_t i = 1; i < test.rows.size(); i += 2) {
    if (test.at(i, "class") == "2") expected.push_back(std::to_string(i + 1));
  }
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < both.rows.size(); ++i) {
    if (both.at(i, "part") == "base") rows.push_back(both.at(i, "row"));
  }
  EXPECT_FALSE(rows.empty());
  EXPECT_EQ(rows, expected);
}

TEST_F(CliExplain, CurvesAsCsv) {
  make_model({"--bands", "3"});
  const Csv csv(output({"explain", "model.json", "--format", "csv"}));
  const Json model = Json::parse(folder.content("model.json"));
  EXPECT_EQ(csv.header, Words({"attribute", "kind", "value", "raw", "self", "purified", "lower", "upper"}));
  EXPECT_EQ(csv.number(1, "value"), model["attributes"][0]["knots"][1]);
  EXPECT_EQ(csv.number(1, "lower"), model["bands"]["attributes"][0]["lower"][1]);
  std::size_t lines = 0;
  for (const auto& attribute : model["attributes"]) lines += attribute["knots"].size();
  EXPECT_EQ(csv.rows.size(), lines);
}

TEST_F(CliExplain, LevelsMissingValuesAndUnusualOnesAreNamed) {
  generate("t.csv", 200, {"--categorical", "1", "--missing", "0.1"});
  output({"fit", "--no-tune", "t.csv", "-q"});
  expect_texts(output({"explain", "model.json"}), {"missing ", "a ", "d "});
  const std::string rows = "x1,x2,x3,x4\n1e9,1,1,zebra\n,1,1,b\n";
  const std::string out = output({"explain", "model.json", "-", "--row", "1,2", "--top", "99"}, {.input = rows});
  expect_texts(out, {"Note: x1 is above the training range", "Note: x4 is not seen in training",
                     "x4 = not seen in training", "x1 = missing", "x4 = b", "\n\nRow 2: class"});
  const Json json =
      Json::parse(output({"explain", "model.json", "-", "--row", "1,2", "--format", "json"}, {.input = rows}));
  EXPECT_TRUE(json["rows"][0]["attributes"][3]["value"].is_null());
  EXPECT_EQ(json["rows"][1]["attributes"][3]["value"], "b");
  EXPECT_EQ(json["rows"][0]["notes"][0]["attribute"], "x1");
}

TEST_F(CliExplain, GoesToAFileAndHostileNamesStayText) {
  folder.file("t.csv", "\"a\x1b[31m,\"\"\",c,y\n1,\"u\x1b\",1\n2,v,2\n3,\"u\x1b\",2\n4,v,1\n");
  folder.file("d.csv", "attribute,description\nc,\"bell\x07\"\n");
  output({"fit", "--no-tune", "t.csv", "-q", "--descriptions", "d.csv"});
  for (const Words& rows : {Words{}, Words{"t.csv", "--row", "1"}}) {
    Words words = {"explain", "model.json", "-o", "why.txt"};
    words.insert(words.end(), rows.begin(), rows.end());
    EXPECT_EQ(output(words), "");
    const std::string text = folder.content("why.txt");
    EXPECT_EQ(text.find_first_of("\x1b\x07"), std::string::npos);
    EXPECT_NE(text.find("a?[31m,\""), std::string::npos);
    words.insert(words.end(), {"--format", "csv"});
    output(words);
    const Csv csv(folder.content("why.txt"));
    EXPECT_EQ(csv.at(1, "attribute"), "a\x1b[31m,\"");
  }
}

TEST_F(CliExplain, RowsThatThereAreNotAreNamed) {
  make_model();
  expect_refusal({"explain", "model.json", "test.csv", "--row", "41"}, 2, {"--row is 41", "test.csv has 40 rows"});
  expect_refusal({"explain", "model.json", "test.csv", "--row", "0"}, 2, {"--row is 0", "counted from 1"});
  expect_refusal({"explain", "model.json", "test.csv", "--row", "-1"}, 2, {"--row", "'-1'"});
  expect_refusal({"explain", "model.json", "test.csv", "--where", "class=9"}, 3,
                 {"none of its 40 rows has 'class' = '9'"});
  expect_refusal({"explain", "model.json", "test.csv", "--where", "clas=9"}, 3, {"--where", "did you mean \"class\"?"});
  expect_refusal({"explain", "model.json", "test.csv", "--where", "class"}, 2, {"--where", "NAME=VALUE"});
  expect_refusal({"explain", "model.json", "--row", "1"}, 2, {"give one"});
  expect_refusal({"explain", "model.json", "test.csv", "--row", "1", "--where", "class=1"}, 2, {"leave one out"});
  expect_refusal({"explain", "model.json", "test.csv", "--row", "1", "--fixed", "x9"}, 2, {"'x9'"});
  expect_refusal({"explain", "model.json", "test.csv", "--format", "xml"}, 2, {"'xml'", "text|json|csv"});
  expect_refusal({"explain", "model.json", "-", "--row", "1"}, 3, {"standard input", "no rows"},
                 {.input = "x1,x2,x3,x4\n"});
}

}  // namespace
}  // namespace xofm::testing
