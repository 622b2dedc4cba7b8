// Memory has bounds, and where it ends the program says so. Sanitizers need terabytes of addresses of their own.
#include <sys/resource.h>

#include "support/cli_test.hpp"
#include "support/compress.hpp"

#if XOFM_IS_SANITIZED
#define SKIP_UNDER_SANITIZERS GTEST_SKIP() << "sanitizers need more addresses"
#else
#define SKIP_UNDER_SANITIZERS
#endif

namespace xofm::testing {
namespace {

using CliMemory = CliTest;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::string repeated(const std::string& text, std::size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

TEST_F(CliMemory, CompressedDataOfOneClassTakeLittleMoreThanTheirText) {
  SKIP_UNDER_SANITIZERS;
  const std::string text = "a,y\n" + repeated("1,1\n", 32 * mebibyte);  // 128 MiB
  folder.file("bomb.csv.gz", gzip(text));
  expect_refusal({"fit", "--no-tune", "bomb.csv.gz"}, 3, {"every row has the label \"1\""},
                 {.memory_limit = 600 * mebibyte});
}

TEST_F(CliMemory, EndlessInputsAreRefusedEarly) {
  SKIP_UNDER_SANITIZERS;
  make_model();
  expect_refusal({"fit", "--no-tune", "/dev/zero"}, 3, {"a NUL byte"}, {.memory_limit = 600 * mebibyte});
  expect_refusal({"show", "/dev/zero"}, 4, {"not a model of xofm fit"}, {.memory_limit = 600 * mebibyte});
  expect_refusal({"predict", "model.json", "/dev/zero"}, 3, {"a NUL byte"}, {.memory_limit = 800 * mebibyte});
}

TEST_F(CliMemory, AModelOfEmptyListsIsRefusedBeforeItIsParsed) {
  SKIP_UNDER_SANITIZERS;
  folder.file("m.json", "{\"a\": [" + repeated("[],", 20 * mebibyte) + "[]]}");  // 60 MiB
  expect_refusal({"show", "m.json"}, 4, {"more lists than any model"}, {.memory_limit = 600 * mebibyte});
  folder.file("m.json", "{\"a\": [" + repeated("\"\",", 20 * mebibyte) + "\"\"]}");
  expect_refusal({"show", "m.json"}, 4, {"more texts than any model"}, {.memory_limit = 600 * mebibyte});
}

TEST_F(CliMemory, WhereMemoryEndsOneLineSaysSoAndOutputsStay) {
  SKIP_UNDER_SANITIZERS;
  generate("train.csv", 20000, {});
  generate("test.csv", 1000, {"--seed", "2"});
  ASSERT_EQ(run({"fit", "--no-tune", "train.csv", "--max-epochs", "5", "-o", "model.json", "-q"}).status, 0);
  folder.file("out.csv", "old");
  int short_of_memory = 0;
  // From what hardly starts the program to what is enough.
  for (std::size_t limit = 16; limit <= 100; limit += 2) {
    // The loader finds no room, or a library that begins before the program does.
    if (run({"--version"}, {.memory_limit = limit * mebibyte}).status != 0) continue;
    for (const Words& words :
         {Words{"predict", "model.json", "test.csv", "-o", "out.csv", "--threads", "1"},
          Words{"fit", "--no-tune", "train.csv", "-o", "m2.json", "-q", "--max-epochs", "2", "--threads", "1"}}) {
      const RunResult result = run(words, {.memory_limit = limit * mebibyte});
      if (result.status == 0) continue;
      ++short_of_memory;
      EXPECT_TRUE(result.status == 1 || result.status == 5) << limit << ": " << result.status << " " << result.err;
      EXPECT_TRUE(result.err.starts_with("xofm: ")) << limit << ": " << result.err;
      EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
      if (words[0] == "predict") {
        EXPECT_EQ(folder.content("out.csv"), "old");
      }
    }
    folder.file("out.csv", "old");
  }
  EXPECT_GT(short_of_memory, 3);
  for (const auto& [name, content] : contents()) EXPECT_FALSE(name.ends_with(".tmp")) << name;
}

}  // namespace
}  // namespace xofm::testing
