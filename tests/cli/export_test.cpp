// xofm export: that every engine agrees with the library is tested in tests/exports; here, the command itself.
#include "support/cli_test.hpp"

namespace xofm::testing {
namespace {

using CliExport = CliTest;

TEST_F(CliExport, AScorerInCTestsItselfAndOneInPythonSaysWhatPredictSays) {
  make_model({"--pairs", "2"});
  output({"export", "model.json", "--to", "c", "--name", "risk", "-o", "model.c"});
  const RunOptions here{.folder = folder.path("")};
  const RunResult compiled = run_program(
      {"/usr/bin/env", "cc", "-std=c99", "-pedantic", "-Werror", "-DRISK_MAIN", "model.c", "-o", "risk", "-lm"}, here);
  ASSERT_EQ(compiled.status, 0) << compiled.err;
  EXPECT_EQ(run_program({folder.path("risk")}, here).out, "0 of 24 rows get another answer than xofm gave\n");

  output({"export", "model.json", "--to", "python", "-o", "model.py"});
  const Csv scored(run_program({"/usr/bin/env", "python3", "model.py", "test.csv"}, here).out);
  const Csv predicted(output({"predict", "model.json", "test.csv"}));
  ASSERT_EQ(scored.rows.size(), predicted.rows.size());
  for (std::size_t i = 0; i < scored.rows.size(); ++i) {
    EXPECT_NEAR(scored.number(i, "score"), predicted.number(i, "score"), 1e-9);
    EXPECT_EQ(scored.at(i, "class"), predicted.at(i, "class"));
  }
}

TEST_F(CliExport, APythonFileReadsDatesAndRefusesWhatItWouldMisread) {
  std::string rows = "since,amount,y\n";
  for (int i = 0; i < 90; ++i) {
    const int amount = 7 * i % 13;
    const int label = (i >= 45 ? 1 : 0) + (amount > 6 ? 1 : 0);
    rows += fmt::format("20{:02}-0{}-1{},{},{}\n", 10 + i / 6, 1 + i % 9, i % 10, amount, label);
  }
  folder.file("rows.csv", rows);
  output({"fit", "rows.csv", "--no-tune", "--pairs", "none", "-o", "model.json", "-q"});
  output({"export", "model.json", "--to", "python", "-o", "model.py", "-q"});
  const RunOptions here{.folder = folder.path("")};
  const auto scored = [&](const std::string& text) {
    folder.file("new.csv", text);
    return run_program({"/usr/bin/env", "python3", "model.py", "new.csv"}, here);
  };
  const Csv found(scored(rows).out);
  const Csv predicted(output({"predict", "model.json", "rows.csv"}));
  ASSERT_EQ(found.rows.size(), 90);
  for (std::size_t i = 0; i < 90; ++i) EXPECT_NEAR(found.number(i, "score"), predicted.number(i, "score"), 1e-9);
  const std::pair<const char*, const char*> refused[] = {
      {"since,amount\n31.05.2024,1\n", "line 2: '31.05.2024' in column 'since' is no number and no date such as 2024"},
      {"since,amount\n2024-05-31,\"1,5\"\n", "line 2: '1,5' in column 'amount' is no number\n"},
      {"since;amount\n2024-05-31;1\n", "no column 'since'; commas must separate"}};
  for (const auto& [text, message] : refused) {
    const RunResult result = scored(text);
    EXPECT_EQ(result.status, 1);
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  }
}

TEST_F(CliExport, WhatATargetCannotDoIsRefusedWithARemedy) {
  make_model({"--pairs", "2"});
  expect_refusal({"export", "model.json", "--to", "sql"}, 2, {"--table NAME"});
  expect_refusal({"export", "model.json", "--to", "c", "--table", "t"}, 2, {"--table is for --to sql"});
  expect_refusal({"export", "model.json", "--to", "c", "--name", "a b"}, 2, {"--name is 'a b'", "C identifier"});
  expect_refusal({"export", "model.json", "--to", "sql", "--table", "a\"b"}, 2, {"--table", "SCHEMA.NAME"});
  expect_refusal({"export", "model.json", "--to", "fortran"}, 2, {"--to", "fortran"});
  output({"fit", "--no-tune", "train.csv", "--pairs", "all", "-o", "all.json", "-q"});
  expect_refusal({"export", "all.json", "--to", "sql", "--table", "t"}, 2, {"all pairs", "fit --pairs auto"});
  for (const char* const target : {"points", "xlsx", "pmml"}) {
    expect_refusal({"export", "all.json", "--to", target}, 2, {"all pairs", "fit --pairs auto", "c, python or onnx"});
  }
  output({"export", "all.json", "--to", "python", "-o", "all.py", "-q"});
  expect_refusal({"export", "model.json", "--to", "xlsx", "--pdo", "0"}, 2, {"--pdo is 0", "positive"});
  expect_refusal({"export", "model.json", "--to", "pmml", "--pdo", "9"}, 2, {"--pdo is for --to points and --to xlsx"});
}

TEST_F(CliExport, ANameThatNoXmlCanHoldIsRefusedWithARemedy) {
  std::string rows = "a,b\x01,y\n";
  for (int i = 0; i < 60; ++i) rows += fmt::format("{},{},{}\n", i, 7 * i % 13, i / 20);
  folder.file("rows.csv", rows);
  output({"fit", "rows.csv", "--no-tune", "--pairs", "none", "-o", "model.json", "-q"});
  for (const char* const target : {"xlsx", "pmml"}) {
    expect_refusal({"export", "model.json", "--to", target}, 4, {"b\\x01", "no XML can hold", "rename it"});
  }
}

TEST_F(CliExport, MorePairsThanAFileCanNameAreRefusedBeforeTheyAreMade) {
  output({"generate", "--rows", "20", "--attributes", "1600", "--classes", "2", "-o", "wide.csv"});
  output({"fit", "--no-tune", "wide.csv", "--pairs", "all", "--factor-count", "1", "--segment-count", "1",
          "--max-epochs", "1", "--reference-scores", "training", "-o", "wide.json", "-q"});
  for (const char* const target : {"c", "python", "onnx"}) {
    expect_refusal({"export", "wide.json", "--to", target}, 2, {"1600 attributes", "1500", "fit --pairs auto"});
  }
}

}  // namespace
}  // namespace xofm::testing
