// The program in a folder of its own, as a person would use it.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "support/run_program.hpp"
#include "support/temporary_folder.hpp"

namespace xofm::testing {

using Words = std::vector<std::string>;

inline Words split_lines(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The cells of a CSV line.
inline Words split_cells(const std::string& line) {
  Words cells(1);
  bool inside = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && inside && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[i++];
    } else if (line[i] == '"') {
      inside = !inside;
    } else if (line[i] == ',' && !inside) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

// A CSV text without quoted line ends.
struct Csv {
  explicit Csv(const std::string& text) {
    for (const auto& line : split_lines(text)) rows.push_back(split_cells(line));
    if (rows.empty()) return;
    header = rows.front();
    rows.erase(rows.begin());
  }
  std::size_t column(const std::string& name) const {
    return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
  }
  const std::string& at(std::size_t row, const std::string& name) const { return rows.at(row).at(column(name)); }
  double number(std::size_t row, const std::string& name) const { return std::stod(at(row, name)); }

  Words header;
  std::vector<Words> rows;
};

class CliTest : public ::testing::Test {
 protected:
  RunResult run(const Words& arguments, RunOptions options = {}) const {
    options.folder = folder.path("");
    Words words = {XOFM_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_program(words, options);
  }

  // Runs what must succeed, silent on standard error but for warnings and the line that sums up predictions, and gives
  // its standard output.
  std::string output(const Words& arguments, const RunOptions& options = {}) const {
    const RunResult result = run(arguments, options);
    EXPECT_EQ(result.status, 0) << fmt::format("xofm {}", fmt::join(arguments, " "));
    for (const auto& line : split_lines(result.err)) {
      const bool sums_up = arguments.front() == "predict" && line.starts_with("Predicted ");
      EXPECT_TRUE(sums_up || line.starts_with("xofm: warning: ")) << line;
    }
    return result.out;
  }

  void generate(const std::string& file, int rows = 150, const Words& more = {}) const {
    Words words = {"generate", "--rows", std::to_string(rows), "--attributes", "4", "--classes", "3", "-o", file};
    words.insert(words.end(), more.begin(), more.end());
    output(words);
  }

  // train.csv, test.csv and model.json.
  void make_model(const Words& more = {}) const {
    generate("train.csv");
    generate("test.csv", 40, {"--seed", "2"});
    Words words = {"fit", "--no-tune", "train.csv", "-o", "model.json", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(output(words), "");
  }

  // The command fails with this status, says so in one line that holds all the texts, writes nothing to standard
  // output and leaves every file as it was.
  void expect_refusal(const Words& arguments, int status, const Words& texts, const RunOptions& options = {}) const {
    const auto before = contents();
    const RunResult result = run(arguments, options);
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("xofm: ")) << result.err;
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
    for (const auto& text : texts) EXPECT_NE(result.err.find(text), std::string::npos) << text << "\n" << result.err;
    EXPECT_EQ(contents(), before);
  }

  std::vector<std::pair<std::string, std::string>> contents() const {
    std::vector<std::pair<std::string, std::string>> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path(""))) {
      const std::string name = entry.path().filename();
      files.emplace_back(name, entry.is_regular_file() ? folder.content(name) : "");
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  TemporaryFolder folder;
};

}  // namespace xofm::testing
