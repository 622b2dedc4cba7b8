// xofm_accuracy: a run that was killed goes on where it was, and splits can be used by others.
#include <csignal>
#include <filesystem>

#include "support/cli_test.hpp"

#ifdef XOFM_ACCURACY

namespace xofm::testing {
namespace {

class Accuracy : public CliTest {
 protected:
  Accuracy() {
    std::filesystem::create_directory(folder.path("data"));
    generate("data/small.csv", 60);
  }
  RunResult measure(const std::string& where, RunOptions options = {}) const {
    options.folder = folder.path("");
    return run_program({XOFM_ACCURACY, "data", "-o", where, "--splits", "3", "--budget", "500"}, options);
  }
  // All but the seconds.
  std::vector<Words> results(const std::string& where) const {
    Csv csv(folder.content(where + "/strict.csv"));
    for (auto& row : csv.rows) row.at(csv.column("seconds")).clear();
    return csv.rows;
  }
};

TEST_F(Accuracy, AKilledRunGoesOnAndEndsAsAnUninterruptedOne) {
  const RunResult whole = measure("whole");
  ASSERT_EQ(whole.status, 0) << whole.err;
  EXPECT_EQ(results("whole").size(), 3U);

  RunOptions options;
  options.on_error_output = [](pid_t process, const std::string& text) {
    if (text.find("small 1/3") != std::string::npos) kill(process, SIGKILL);
  };
  const RunResult killed = measure("parts", options);
  EXPECT_EQ(killed.status, -SIGKILL);
  EXPECT_GE(results("parts").size(), 1U);
  EXPECT_LT(results("parts").size(), 3U);
  const RunResult rest = measure("parts");
  ASSERT_EQ(rest.status, 0) << rest.err;
  EXPECT_EQ(rest.err.find("small 1/3"), std::string::npos) << rest.err;
  EXPECT_EQ(results("parts"), results("whole"));
  EXPECT_EQ(folder.content("parts/strict.md"), folder.content("whole/strict.md"));
}

TEST_F(Accuracy, ItsSplitsAreThoseThatValidateReads) {
  ASSERT_EQ(measure("out").status, 0);
  const std::string text = output(
      {"validate", "data/small.csv", "--no-tune", "--splits", "out/splits_small_seed_1.csv", "--max-epochs", "5"});
  EXPECT_NE(text.find("3 trials"), std::string::npos) << text;
}

TEST_F(Accuracy, AnEmptyFolderAndAForeignFileAreRefused) {
  std::filesystem::create_directory(folder.path("empty"));
  const RunResult empty = run_program({XOFM_ACCURACY, "empty"}, {.folder = folder.path("")});
  EXPECT_EQ(empty.status, 1);
  EXPECT_NE(empty.err.find("no such CSV files in 'empty'"), std::string::npos) << empty.err;
  std::filesystem::create_directory(folder.path("out"));
  folder.file("out/strict.csv", "something,else\n");
  const RunResult foreign = measure("out");
  EXPECT_EQ(foreign.status, 1);
  EXPECT_NE(foreign.err.find("other columns"), std::string::npos) << foreign.err;
  EXPECT_EQ(folder.content("out/strict.csv"), "something,else\n");
}

}  // namespace
}  // namespace xofm::testing

#endif
