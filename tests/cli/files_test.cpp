// What becomes of files: outputs are whole or absent, inputs stay, whatever is closed, killed or named twice.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "support/cli_test.hpp"

namespace xofm::testing {
namespace {

using CliFiles = CliTest;

// All sets of standard descriptors but none.
std::vector<std::vector<int>> closed_descriptors() {
  std::vector<std::vector<int>> sets;
  for (int bits = 1; bits < 8; ++bits) {
    auto& set = sets.emplace_back();
    for (const int file : {0, 1, 2}) {
      if ((bits >> file & 1) != 0) set.push_back(file);
    }
  }
  return sets;
}

TEST_F(CliFiles, WithStandardDescriptorsClosedOutputsAreAsAlways) {
  make_model();
  const std::string expected = output({"predict", "model.json", "test.csv"});
  const std::string model = folder.content("model.json");
  const std::string source = output({"export", "model.json", "--to", "c"});
  for (const auto& closed : closed_descriptors()) {
    const std::string which = fmt::format("closed: {}", fmt::join(closed, ", "));
    EXPECT_EQ(run({"predict", "model.json", "test.csv", "-o", "out.csv"}, {.closed = closed}).status, 0) << which;
    EXPECT_EQ(folder.content("out.csv"), expected) << which;
    EXPECT_EQ(run({"fit", "--no-tune", "train.csv", "-o", "again.json", "-q"}, {.closed = closed}).status, 0) << which;
    EXPECT_EQ(folder.content("again.json"), model) << which;
    EXPECT_EQ(run({"export", "model.json", "--to", "c", "-o", "out.c", "-q"}, {.closed = closed}).status, 0) << which;
    EXPECT_EQ(folder.content("out.c"), source) << which;
    std::filesystem::remove(folder.path("out.c"));
    std::filesystem::remove(folder.path("out.csv"));
    std::filesystem::remove(folder.path("again.json"));
  }
}

TEST_F(CliFiles, WhatCannotBePrintedOrReadIsAnError) {
  make_model();
  for (const auto& closed : closed_descriptors()) {
    const auto is_closed = [&](int file) { return std::find(closed.begin(), closed.end(), file) != closed.end(); };
    const std::string which = fmt::format("closed: {}", fmt::join(closed, ", "));
    const RunOptions options = {.input = folder.content("test.csv"), .closed = closed};
    EXPECT_EQ(run({"predict", "model.json", "test.csv"}, options).status, is_closed(1) ? 5 : 0) << which;
    for (const Words& words :
         {Words{"show", "model.json"}, Words{"check", "train.csv"}, Words{"monitor", "model.json", "train.csv"},
          Words{"export", "model.json", "--to", "c"}, Words{"compare", "model.json", "model.json"}}) {
      EXPECT_EQ(run(words, options).status, is_closed(1) ? 5 : 0) << words[0] << ", " << which;
    }
    EXPECT_EQ(run({"evaluate", "model.json", "-"}, options).status, is_closed(0) || is_closed(1) ? 5 : 0) << which;
  }
}

TEST_F(CliFiles, AnOutputDoesNotReplaceWhatIsRead) {
  make_model();
  std::filesystem::create_symlink("train.csv", folder.path("link.csv"));
  expect_refusal({"fit", "--no-tune", "train.csv", "-o", "train.csv"}, 2,
                 {"--output is 'train.csv', which is also the data to read", "--force"});
  expect_refusal({"fit", "--no-tune", "train.csv", "-o", "./link.csv"}, 2, {"--force"});
  expect_refusal({"predict", "model.json", "test.csv", "-o", "model.json"}, 2, {"which is also the model to read"});
  expect_refusal({"explain", "model.json", "test.csv", "--row", "1", "-o", "test.csv"}, 2, {"which is also the data"});
  expect_refusal({"report", "model.json", "-o", "model.json"}, 2, {"which is also the model"});
  expect_refusal({"path", "train.csv", "--model", "train.csv"}, 2, {"--model is 'train.csv'"});
  expect_refusal({"validate", "train.csv", "--predictions", "p.csv", "--export-splits", "p.csv"}, 2,
                 {"--predictions and --export-splits are both 'p.csv'"});
}

TEST_F(CliFiles, NorInAnyOtherWay) {
  make_model();
  folder.file("c.toml", "[fit]\nno-tune = true\n");
  expect_refusal({"validate", "train.csv", "--options-of", "model.json", "--predictions", "model.json"}, 2,
                 {"--predictions is 'model.json'", "--options-of"});
  expect_refusal({"fit", "train.csv", "--config", "c.toml", "-o", "c.toml"}, 2, {"also the --config"});
  expect_refusal({"path", "train.csv", "-o", "new.csv", "--model", "./new.csv"}, 2, {"are both"});
  // What is read comes from a file even where it comes by standard input.
  const std::string shell = fmt::format("{} predict model.json - -o test.csv <test.csv", XOFM_PROGRAM);
  const std::string before = folder.content("test.csv");
  const RunResult result = run_program({"/bin/sh", "-c", shell}, {.folder = folder.path("")});
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_NE(result.err.find("which is also the data"), std::string::npos) << result.err;
  EXPECT_EQ(folder.content("test.csv"), before);
}

// As a variable of a shell that is not set leaves it.
TEST_F(CliFiles, AnEmptyPathIsAnErrorNotAnOutputThatVanishes) {
  make_model();
  for (const Words& words :
       {Words{"validate", "train.csv", "--no-tune", "--predictions", ""},
        Words{"validate", "train.csv", "--splits", ""}, Words{"tune", "train.csv", "--table", ""},
        Words{"path", "train.csv", "--model", ""}, Words{"fit", "train.csv", "--descriptions", ""},
        Words{"fit", "train.csv", "--warm-start", ""}, Words{"fit", "train.csv", "--options-of", ""},
        Words{"fit", "train.csv", "-o", ""}, Words{"report", "model.json", "--data", ""}, Words{"show", ""},
        Words{"predict", "model.json", ""}}) {
    expect_refusal(words, 5, {"path", "is empty"});
  }
}

TEST_F(CliFiles, WithForceItDoes) {
  make_model();
  const std::string expected = output({"predict", "model.json", "test.csv"});
  output({"predict", "model.json", "test.csv", "-o", "test.csv", "--force"});
  EXPECT_EQ(folder.content("test.csv"), expected);
  // A model that training starts from is replaced on purpose.
  EXPECT_EQ(run({"fit", "--no-tune", "train.csv", "--warm-start", "model.json", "-o", "model.json"}).status, 0);
}

TEST_F(CliFiles, ASignalEndsExplainAtOnce) {
  make_model();
  generate("many.csv", 100000);
  folder.file("why.json", "old");
  for (const auto& [signal, status] : {std::pair(SIGINT, 130), std::pair(SIGTERM, 143), std::pair(SIGHUP, 129)}) {
    std::thread sender;
    std::chrono::steady_clock::time_point sent;
    RunOptions options;
    options.on_start = [&, number = signal](pid_t process) {
      sender = std::thread([&sent, process, number] {
        std::this_thread::sleep_for(std::chrono::milliseconds(700));
        sent = std::chrono::steady_clock::now();
        ::kill(process, number);
      });
    };
    // Tens of thousands of rows: a minute and more.
    const RunResult result =
        run({"explain", "model.json", "many.csv", "--where", "class=2", "--format", "json", "-o", "why.json"}, options);
    const auto end = std::chrono::steady_clock::now();
    sender.join();
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_LT(end - sent, std::chrono::seconds(1));
    EXPECT_EQ(folder.content("why.json"), "old");
  }
}

}  // namespace
}  // namespace xofm::testing
