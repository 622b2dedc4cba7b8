// xofm predict: the columns scripts rely on, streaming, and other layouts of the same rows.
#include <cmath>
#include <nlohmann/json.hpp>

#include "support/cli_test.hpp"
#include "support/compress.hpp"

namespace xofm::testing {
namespace {

using CliPredict = CliTest;

constexpr double rounding_of_three_probabilities = 1e-12;

TEST_F(CliPredict, WritesTheColumnsInOrderAndOneRowPerRow) {
  make_model();
  EXPECT_EQ(output({"predict", "model.json", "test.csv", "-o", "predictions.csv"}), "");
  const Csv csv(folder.content("predictions.csv"));
  EXPECT_EQ(csv.header, Words({"row", "score", "class", "lowest", "highest", "support_1", "support_2", "support_3",
                               "probability_1", "probability_2", "probability_3", "notes"}));
  EXPECT_EQ(csv.rows.size(), 40U);
  for (const auto& row : csv.rows) EXPECT_EQ(row.size(), csv.header.size());
}

TEST_F(CliPredict, RowsAreConsistentInThemselves) {
  make_model();
  const Csv csv(output({"predict", "model.json", "test.csv", "--rule", "support"}));
  for (std::size_t i = 0; i < csv.rows.size(); ++i) {
    const int lowest = std::stoi(csv.at(i, "lowest"));
    const int highest = std::stoi(csv.at(i, "highest"));
    const int label = std::stoi(csv.at(i, "class"));
    EXPECT_LE(lowest, label);
    EXPECT_LE(label, highest);
    double sum = 0;
    for (int h = 1; h <= 3; ++h) {
      const std::string support = csv.at(i, fmt::format("support_{}", h));
      EXPECT_EQ(support.empty(), h < lowest || h > highest);
      if (!support.empty()) {
        EXPECT_GE(std::stod(support), 0);
        EXPECT_LE(std::stod(support), csv.number(i, fmt::format("support_{}", label)));
      }
      const double probability = csv.number(i, fmt::format("probability_{}", h));
      EXPECT_GE(probability, 0);
      sum += probability;
    }
    EXPECT_NEAR(sum, 1, rounding_of_three_probabilities);
  }
}

TEST_F(CliPredict, RowsComeInOrder) {
  make_model();
  const std::string text = folder.content("test.csv");
  const Words lines = split_lines(text);
  const Csv all(output({"predict", "model.json", "test.csv"}));
  for (const std::size_t i : {std::size_t{0}, std::size_t{17}, std::size_t{39}}) {
    const Csv one(output({"predict", "model.json", "-"}, {.input = lines[0] + "\n" + lines[i + 1] + "\n"}));
    for (std::size_t c = 1; c < all.header.size(); ++c) EXPECT_EQ(one.rows.at(0).at(c), all.rows.at(i).at(c));
    EXPECT_EQ(all.at(i, "row"), std::to_string(i + 1));
  }
}

TEST_F(CliPredict, ShuffledAndFurtherColumnsMakeNoDifference) {
  make_model();
  std::string shuffled = "x3;extra;x1;x4;x2\n";
  const Csv test(folder.content("test.csv"));
  for (std::size_t i = 0; i < test.rows.size(); ++i) {
    shuffled += fmt::format("{};\"some; text\";{};{};{}\n", test.at(i, "x3"), test.at(i, "x1"), test.at(i, "x4"),
                            test.at(i, "x2"));
  }
  folder.file("shuffled.csv", shuffled);
  EXPECT_EQ(output({"predict", "model.json", "shuffled.csv"}), output({"predict", "model.json", "test.csv"}));
}

TEST_F(CliPredict, CompressedInputStandardInputAndThreadsGiveTheSameBytes) {
  make_model();
  generate("many.csv", 20000, {"--seed", "9", "--missing", "0.01"});
  const std::string text = folder.content("many.csv");
  const std::string expected = output({"predict", "model.json", "many.csv", "--threads", "1"});
  EXPECT_EQ(Csv(expected).rows.size(), 20000U);
  EXPECT_TRUE(output({"predict", "model.json", "many.csv", "--threads", "2"}) == expected);
  folder.file("many.csv.gz", gzip(text));
  folder.file("many.csv.zst", zstd(text));
  EXPECT_TRUE(output({"predict", "model.json", "many.csv.gz"}) == expected);
  EXPECT_TRUE(output({"predict", "model.json", "many.csv.zst"}) == expected);
  EXPECT_TRUE(output({"predict", "model.json", "-", "-o", "-"}, {.input = text}) == expected);
}

TEST_F(CliPredict, RuleAndAimCanBeChosenAnew) {
  make_model();
  const Csv mean(output({"predict", "model.json", "test.csv", "--rule", "probability", "--aim", "accuracy"}));
  const Csv cuts(output({"predict", "model.json", "test.csv", "--rule", "threshold"}));
  for (std::size_t i = 0; i < mean.rows.size(); ++i) {
    const double chosen = mean.number(i, "probability_" + mean.at(i, "class"));
    for (const std::string h : {"1", "2", "3"}) EXPECT_LE(mean.number(i, "probability_" + h), chosen);
    EXPECT_EQ(mean.at(i, "score"), cuts.at(i, "score"));
  }
  // Classes by cuts never fall as the score rises.
  for (std::size_t i = 0; i < cuts.rows.size(); ++i) {
    for (std::size_t k = 0; k < cuts.rows.size(); ++k) {
      if (cuts.number(i, "score") < cuts.number(k, "score")) {
        EXPECT_LE(std::stoi(cuts.at(i, "class")), std::stoi(cuts.at(k, "class")));
      }
    }
  }
}

TEST_F(CliPredict, UnusualValuesAreNoted) {
  folder.file("t.csv", "a,c,y\n1,u,1\n2,v,2\n3,u,2\n4,v,1\n5,u,2\n");
  output({"fit", "--no-tune", "t.csv"});
  const Csv csv(output({"predict", "model.json", "-"}, {.input = "a,c\n0,u\n9,w\n,v\n3,\n3,u\n"}));
  EXPECT_EQ(csv.at(0, "notes"), "a below the training range");
  EXPECT_EQ(csv.at(1, "notes"), "a above the training range; c not seen in training");
  EXPECT_EQ(csv.at(2, "notes"), "a missing, never so in training");
  EXPECT_EQ(csv.at(3, "notes"), "c missing, never so in training");
  EXPECT_EQ(csv.at(4, "notes"), "");
}

TEST_F(CliPredict, ClassNamesWithQuotesAreQuoted) {
  folder.file("t.csv", "a,y\n1,low\n2,\"hi \"\"gh\"\"\"\n3,\"hi \"\"gh\"\"\"\n");
  output({"fit", "--no-tune", "t.csv", "--classes", "low,hi \"gh\""});
  const std::string out = output({"predict", "model.json", "t.csv"});
  EXPECT_TRUE(out.starts_with("row,score,class,lowest,highest,support_low,\"support_hi \"\"gh\"\"\",")) << out;
  EXPECT_EQ(Csv(out).at(2, "class"), "hi \"gh\"");
}

TEST_F(CliPredict, ALimitAndTextForReading) {
  make_model();
  const Csv csv(output({"predict", "model.json", "test.csv", "--limit", "3"}));
  EXPECT_EQ(csv.rows.size(), 3U);
  const std::string text = output({"predict", "model.json", "test.csv", "--limit", "2", "--text"});
  EXPECT_TRUE(text.starts_with("row 1: class ")) << text;
  EXPECT_NE(text.find("\nrow 2: class "), std::string::npos);
  EXPECT_EQ(text.find("\nrow 3"), std::string::npos);
}

// What promises something comes first; what is wide says why, by the rows that explain names too.
TEST_F(CliPredict, TextSaysWhatIntervalsRestOn) {
  make_model();
  const std::string text = output({"predict", "model.json", "test.csv", "--text"});
  const std::size_t promised = text.find("  in 90 % of such cases the truth is ");
  const std::size_t possible = text.find("  possible by the training scores: ");
  ASSERT_NE(promised, std::string::npos) << text;
  EXPECT_LT(promised, possible);
  const Csv csv(output({"predict", "model.json", "test.csv"}));
  std::size_t wide = 0;
  const auto lines = split_lines(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("    so wide since training row ")) continue;
    ++wide;
    EXPECT_NE(lines[i - 1].find(" to "), std::string::npos) << lines[i - 1];
  }
  EXPECT_GT(wide, 0U) << text;
  EXPECT_LT(wide, csv.rows.size());
}

TEST_F(CliPredict, AHeaderWithoutRowsGivesAHeaderWithoutRows) {
  make_model();
  const Csv csv(output({"predict", "model.json", "-"}, {.input = "x1,x2,x3,x4\n"}));
  EXPECT_EQ(csv.header.size(), 12U);
  EXPECT_TRUE(csv.rows.empty());
}

void expect_bounded(const RunResult& result) {
  EXPECT_EQ(result.status, 0) << result.err;
#if !XOFM_IS_SANITIZED
  // Chunks of 8 MiB of text, their numbers and their output. The peak counts this process at the fork, too.
  EXPECT_LT(result.peak_kib, 150 << 10);
#endif
}

TEST_F(CliPredict, StreamsInBoundedMemory) {
  make_model();
  generate("part.csv", 10000, {"--seed", "5"});
  const std::string part = folder.content("part.csv");
  std::string input = part;
  constexpr std::size_t repeats = 110;  // 40 MB; held at once, rows and predictions take 300 MB
  for (std::size_t i = 1; i < repeats; ++i) input += part.substr(part.find('\n') + 1);
  const RunResult result = run({"predict", "model.json", "-"}, {.input = input});
  expect_bounded(result);
  EXPECT_EQ(static_cast<std::size_t>(std::count(result.out.begin(), result.out.end(), '\n')), repeats * 10000 + 1);
}

TEST_F(CliPredict, StreamsInBoundedMemoryAlsoWithManyClasses) {
  output({"generate", "--rows", "2000", "--attributes", "4", "--classes", "60", "-o", "train.csv"});
  output({"fit", "--no-tune", "train.csv", "--max-epochs", "5", "-q"});
  generate("part.csv", 60000);  // 2 MB; held at once, the predictions take 300 MB
  const RunResult result = run({"predict", "model.json", "part.csv", "-o", "predictions.csv"});
  expect_bounded(result);
}

TEST_F(CliPredict, AReaderThatLeavesEarlyIsNamedAsTheProblem) {
  make_model();
  generate("many.csv", 20000);
  const RunResult result =
      run_program({"/bin/sh", "-c", fmt::format("{} predict model.json many.csv | head -n 1", XOFM_PROGRAM)},
                  {.folder = folder.path("")});
  EXPECT_EQ(split_lines(result.out).size(), 1U);
  EXPECT_EQ(result.err, "xofm: standard output: cannot be written: Broken pipe\n");
}

TEST_F(CliPredict, ColumnsOfZeroAndOneAreOneAttributeAndAreGivenAsTheyWere) {
  std::string text = "motor_A,motor_B,motor_C,x,y\n";
  for (int i = 0; i < 60; ++i) {
    text += fmt::format("{},{},{},{},{}\n", i % 3 == 0 ? 1 : 0, i % 3 == 1 ? 1 : 0, i % 3 == 2 ? 1 : 0, i % 7,
                        i % 3 + (i % 7 > 3 ? 1 : 0));
  }
  folder.file("motors.csv", text);
  const std::string told = output({"fit", "motors.csv", "--no-tune", "-o", "motors.json"});
  EXPECT_NE(told.find("motor is one attribute, from 3 columns of 0 and 1 (motor_A to motor_C)."), std::string::npos);
  const auto model = nlohmann::json::parse(folder.content("motors.json"));
  EXPECT_EQ(model["attributes"].size(), 2U);
  EXPECT_EQ(model["attributes"][0]["levels"], (Words{"A", "B", "C"}));
  const Csv two_motors(
      output({"predict", "motors.json", "-"}, {.input = "x,motor_C,motor_A,motor_B\n3,1,1,0\n3,1,0,0\n"}));
  EXPECT_NE(two_motors.at(0, "notes"), "");
  EXPECT_EQ(two_motors.at(1, "notes"), "");
  EXPECT_NE(two_motors.at(0, "score"), two_motors.at(1, "score"));
  output({"fit", "motors.csv", "--no-tune", "--keep-indicators", "-o", "apart.json"});
  EXPECT_EQ(nlohmann::json::parse(folder.content("apart.json"))["attributes"].size(), 4U);
  output({"fit", "motors.csv", "--no-tune", "--increasing", "motor_B", "-o", "rising.json"});
  EXPECT_EQ(nlohmann::json::parse(folder.content("rising.json"))["attributes"].size(), 4U);
}

}  // namespace
}  // namespace xofm::testing
