// Progress on a terminal, and Ctrl-C.
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "support/cli_test.hpp"

namespace xofm::testing {
namespace {

using Json = nlohmann::json;
using CliTerminal = CliTest;

TEST_F(CliTerminal, AProgressBarAppearsOnATerminalAndClearsItsLine) {
  generate("train.csv");
  const RunResult result = run({"fit", "--no-tune", "train.csv"}, {.error_terminal = true});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("fit ["), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("objective"), std::string::npos) << result.err;
  EXPECT_TRUE(result.err.ends_with("\r\033[K")) << result.err;
  EXPECT_NE(result.out.find("Model written"), std::string::npos);
}

TEST_F(CliTerminal, NoProgressBarInAPipeOrWhenQuietOrForMachines) {
  generate("train.csv");
  EXPECT_EQ(run({"fit", "--no-tune", "train.csv"}).err, "");
  EXPECT_EQ(run({"fit", "--no-tune", "train.csv", "--quiet"}, {.error_terminal = true}).err, "");
  EXPECT_EQ(run({"fit", "--no-tune", "train.csv", "--json"}, {.error_terminal = true}).err, "");
  EXPECT_EQ(run({"generate", "-o", "d.csv", "-q"}, {.error_terminal = true}).err, "");
}

// The fit of many hours, interrupted as soon as its progress shows that it has begun.
RunOptions interrupt_when_begun(int signal, bool& sent, const char* sign = "epoch") {
  RunOptions options;
  options.error_terminal = true;
  options.on_error_output = [signal, &sent, sign](pid_t process, const std::string& text) {
    if (sent || text.find(sign) == std::string::npos) return;
    sent = true;
    ::kill(process, signal);
  };
  return options;
}

TEST_F(CliTerminal, CtrlCSavesTheBestModelSoFarAndSaysSo) {
  generate("train.csv", 20000);
  generate("test.csv", 20, {"--seed", "2"});
  bool sent = false;
  const RunResult result =
      run({"fit", "--no-tune", "train.csv", "--method", "sgd", "--max-epochs", "1000", "-o", "model.json"},
          interrupt_when_begun(SIGINT, sent));
  ASSERT_TRUE(sent);
  EXPECT_EQ(result.status, 130);
  EXPECT_NE(result.out.find("interrupted: the best model so far"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("Model written to model.json"), std::string::npos) << result.out;
  EXPECT_EQ(Json::parse(folder.content("model.json"))["summary"]["stop_reason"], "interrupted");
  EXPECT_EQ(Csv(output({"predict", "model.json", "test.csv"})).rows.size(), 20U);
}

TEST_F(CliTerminal, ATerminationSignalDoesTheSameAlsoBetweenPassesOfLbfgs) {
  generate("train.csv", 20000);
  bool sent = false;
  const RunResult result =
      run({"fit", "--no-tune", "train.csv", "--tolerance", "0", "--restart-count", "1000", "-o", "model.json"},
          interrupt_when_begun(SIGTERM, sent));
  ASSERT_TRUE(sent);
  EXPECT_EQ(result.status, 143);
  EXPECT_NE(result.out.find("interrupted"), std::string::npos) << result.out;
  EXPECT_EQ(Json::parse(folder.content("model.json"))["summary"]["stop_reason"], "interrupted");
}

TEST_F(CliTerminal, AClosedTerminalDoesTheSame) {
  generate("train.csv", 20000);
  bool sent = false;
  const RunResult result =
      run({"fit", "--no-tune", "train.csv", "--method", "sgd", "--max-epochs", "1000", "-o", "model.json"},
          interrupt_when_begun(SIGHUP, sent));
  ASSERT_TRUE(sent);
  EXPECT_EQ(result.status, 129);
  EXPECT_EQ(Json::parse(folder.content("model.json"))["summary"]["stop_reason"], "interrupted");
}

// A model of what was found so far takes a moment; that the signal was heard is said at once.
TEST_F(CliTerminal, CtrlCInALargeSearchIsAnsweredAtOnceAndTheModelSaysSo) {
  using Clock = std::chrono::steady_clock;
  output({"generate", "--rows", "50000", "--attributes", "10", "--classes", "5", "-o", "train.csv"});
  std::optional<Clock::time_point> sent;
  std::optional<Clock::time_point> answered;
  RunOptions options;
  options.error_terminal = true;
  options.on_error_output = [&](pid_t process, const std::string& text) {
    if (!sent && text.find("recipes") != std::string::npos) {
      sent = Clock::now();
      ::kill(process, SIGINT);
    } else if (sent && !answered && text.find("Stopping: the best model so far") != std::string::npos) {
      answered = Clock::now();
    }
  };
  const RunResult result = run({"fit", "train.csv", "-o", "model.json"}, options);
  const auto end = Clock::now();
  ASSERT_TRUE(sent && answered) << result.err;
  EXPECT_EQ(result.status, 130);
  // One second by a machine of its own; tests share theirs.
  constexpr std::chrono::seconds patience(4);
  EXPECT_LT(*answered - *sent, patience);
  EXPECT_LT(end - *sent, 5 * patience);
  EXPECT_NE(result.out.find("until interrupted"), std::string::npos) << result.out;
  EXPECT_NE(output({"show", "model.json"}).find("Interrupted: this was the best model"), std::string::npos);
}

TEST_F(CliTerminal, CtrlCDuringTheBandsKeepsTheModelWithoutThem) {
  generate("train.csv", 2000);
  bool sent = false;
  const RunResult result = run({"fit", "--no-tune", "train.csv", "--bands", "1000", "-o", "model.json"},
                               interrupt_when_begun(SIGINT, sent, "1000 refits"));
  ASSERT_TRUE(sent);
  EXPECT_EQ(result.status, 130);
  EXPECT_NE(result.out.find("Interrupted: the model has no bands"), std::string::npos) << result.out;
  EXPECT_FALSE(Json::parse(folder.content("model.json")).contains("bands"));
}

TEST_F(CliTerminal, CtrlCDuringAPathKeepsNothing) {
  generate("train.csv", 2000);
  folder.file("path.csv", "old");
  bool sent = false;
  const RunResult result = run({"path", "train.csv", "--folds", "100", "-o", "path.csv", "--model", "model.json"},
                               interrupt_when_begun(SIGINT, sent, "models over the penalties"));
  ASSERT_TRUE(sent);
  EXPECT_EQ(result.status, 130);
  EXPECT_EQ(folder.content("path.csv"), "old");
  EXPECT_FALSE(std::filesystem::exists(folder.path("model.json")));
}

}  // namespace
}  // namespace xofm::testing
