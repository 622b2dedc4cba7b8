#include "io/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <thread>
#include <vector>

#include "io/csv_write.hpp"
#include "support/temporary_folder.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {
namespace {

using testing::TemporaryFolder;

void write_file(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

std::string failure(const std::string& path, std::string_view text = "new") {
  try {
    write_file(path, text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    return error.what();
  }
  return "no error";
}

mode_t mode_of(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST(OutputFile, AppearsOnCommitAndLeavesNothingElse) {
  const TemporaryFolder folder;
  {
    OutputFile file(folder.path("a"));
    file.write("one ");
    file.write("two");
    EXPECT_FALSE(std::filesystem::exists(folder.path("a")));
    file.commit();
  }
  EXPECT_EQ(folder.content("a"), "one two");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(OutputFile, WithoutCommitTheOldFileStaysAndTheTemporaryGoes) {
  const TemporaryFolder folder;
  folder.file("a", "old");
  {
    OutputFile file(folder.path("a"));
    file.write(std::string(1 << 20, 'x'));
  }
  EXPECT_EQ(folder.content("a"), "old");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(OutputFile, UntilCommitTheFolderShowsNothing) {
  const TemporaryFolder folder;
  OutputFile file(folder.path("a"));
  file.write(std::string(1 << 20, 'x'));
  EXPECT_EQ(folder.file_count(), 0U);  // killed now, it would leave nothing behind
  file.commit();
  EXPECT_EQ(folder.file_count(), 1U);
}

// As if its writer had ended an hour ago.
void make_old(const std::string& path) {
  const timespec times[] = {{std::time(nullptr) - 3600, 0}, {std::time(nullptr) - 3600, 0}};
  EXPECT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

TEST(OutputFile, SweepsTemporaryFilesThatAKilledProgramHasLeft) {
  const TemporaryFolder folder;
  make_old(folder.file(".xofm-123-0.tmp", "left behind"));
  make_old(folder.file(".xofm-456-0.tmp", "still written"));
  make_old(folder.file(".xofm-notes", "not ours"));
  folder.file(".xofm-789-0.tmp", "just begun");
  const int writer = ::open(folder.path(".xofm-456-0.tmp").c_str(), O_RDWR);
  ASSERT_EQ(::flock(writer, LOCK_EX), 0);
  write_file(folder.path("a"), "new");
  ::close(writer);
  EXPECT_FALSE(std::filesystem::exists(folder.path(".xofm-123-0.tmp")));
  EXPECT_TRUE(std::filesystem::exists(folder.path(".xofm-456-0.tmp")));
  EXPECT_TRUE(std::filesystem::exists(folder.path(".xofm-789-0.tmp")));
  EXPECT_TRUE(std::filesystem::exists(folder.path(".xofm-notes")));
}

TEST(OutputFile, ManyWritersOfOneFileLeaveTheWholeTextOfOne) {
  const TemporaryFolder folder;
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([&, i] {
      for (int round = 0; round < 10; ++round) write_file(folder.path("a"), std::string(300000, char('a' + i)));
    });
  }
  for (auto& writer : writers) writer.join();
  const std::string text = folder.content("a");
  EXPECT_EQ(text.size(), 300000U);
  EXPECT_EQ(text.find_first_not_of(text.front()), std::string::npos);
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(OutputFile, ALargeTextIsWrittenWhole) {
  const TemporaryFolder folder;
  std::string text;
  {
    OutputFile file(folder.path("a"));
    for (int i = 0; i < 200000; ++i) {
      const std::string line = std::to_string(i) + "\n";
      text += line;
      file.write(line);
    }
    file.commit();
  }
  EXPECT_EQ(folder.content("a"), text);
}

TEST(OutputFile, KeepsTheModeOfTheOldFileAndANewOneFollowsTheUmask) {
  const TemporaryFolder folder;
  ::chmod(folder.file("a", "old").c_str(), 0640);
  write_file(folder.path("a"), "new");
  EXPECT_EQ(mode_of(folder.path("a")), 0640U);
  const mode_t previous = ::umask(027);
  write_file(folder.path("b"), "new");
  ::umask(previous);
  EXPECT_EQ(mode_of(folder.path("b")), 0640U);
}

TEST(OutputFile, ASymbolicLinkStaysOneAndItsTargetIsReplaced) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("sub"));
  folder.file("sub/target", "old");
  std::filesystem::create_symlink("sub/target", folder.path("link"));
  std::filesystem::create_symlink("sub/later", folder.path("dangling"));
  write_file(folder.path("link"), "new");
  write_file(folder.path("dangling"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(folder.content("sub/target"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("dangling")));
  EXPECT_EQ(folder.content("sub/later"), "new");
}

TEST(OutputFile, ADeviceIsWrittenDirectly) {
  write_file("/dev/null", "gone");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(OutputFile, AFullDeviceIsAnError) {
  ASSERT_TRUE(std::filesystem::exists("/dev/full"));
  EXPECT_EQ(failure("/dev/full"),
            "/dev/full: cannot be written: No space left on device; free some space or choose another disk");
}

TEST(OutputFile, ADashIsStandardOutput) {
  ::testing::internal::CaptureStdout();
  write_file("-", "to the screen\n");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "to the screen\n");
}

TEST(OutputFile, AFolderThatDoesNotExistIsNamedWithTheRemedy) {
  EXPECT_EQ(failure("/nowhere/model.json"),
            "/nowhere/model.json: cannot be written: No such file or directory; create the folder first");
}

TEST(OutputFile, AFolderIsNoTarget) {
  const TemporaryFolder folder;
  EXPECT_NE(failure(folder.path("")).find("Is a directory; give the name of a file"), std::string::npos);
}

TEST(OutputFile, AReadOnlyFileOrFolderIsRefused) {
  const TemporaryFolder folder;
  folder.file("a", "old");
  ::chmod(folder.path("a").c_str(), 0444);
  // Root may write everything, so the test goes on as nobody for a while.
  constexpr uid_t nobody = 65534;
  const bool is_root = ::geteuid() == 0;
  ::chmod(folder.path("").c_str(), 0777);
  const auto become = [&](uid_t user) { EXPECT_TRUE(!is_root || ::seteuid(user) == 0); };
  become(nobody);
  const std::string read_only_file = failure(folder.path("a"));
  become(0);
  ::chmod(folder.path("").c_str(), 0555);
  become(nobody);
  const std::string read_only_folder = failure(folder.path("b"));
  become(0);
  ::chmod(folder.path("").c_str(), 0755);
  EXPECT_EQ(read_only_file, folder.path("a") +
                                ": cannot be opened for writing: Permission denied; choose another path "
                                "or change the permissions");
  EXPECT_EQ(read_only_folder, folder.path("b") +
                                  ": cannot be written: Permission denied; choose another path or change "
                                  "the permissions");
  EXPECT_EQ(folder.content("a"), "old");
  EXPECT_EQ(folder.file_count(), 1U);
}

TEST(OutputFile, WhenTheDiskIsFullTheOldFileStays) {
  const TemporaryFolder folder;
  folder.file("a", "old");
  // A limit on the size of files stands in for the full disk; without ignoring its signal the process would end.
  rlimit previous = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &previous), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {1000, previous.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = failure(folder.path("a"), std::string(5000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &previous);
  std::signal(SIGXFSZ, handler);
  EXPECT_NE(message.find("cannot be written: File too large"), std::string::npos) << message;
  EXPECT_EQ(folder.content("a"), "old");
  EXPECT_EQ(folder.file_count(), 1U);
}

std::string field(std::string_view text, char separator = ',') {
  std::string out;
  append_csv_field(out, text, separator);
  return out;
}

TEST(CsvField, IsQuotedOnlyWhereNeeded) {
  EXPECT_EQ(field("plain text"), "plain text");
  EXPECT_EQ(field(""), "");
  EXPECT_EQ(field("a,b"), "\"a,b\"");
  EXPECT_EQ(field("a,b", ';'), "a,b");
  EXPECT_EQ(field("a;b", ';'), "\"a;b\"");
  EXPECT_EQ(field("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(field("two\nlines"), "\"two\nlines\"");
  EXPECT_EQ(field(" padded"), "\" padded\"");
  EXPECT_EQ(field("a\r"), "\"a\r\"");
}

}  // namespace
}  // namespace xofm::detail
