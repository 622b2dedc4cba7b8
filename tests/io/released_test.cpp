// Model files of every released version, and what that version said of some rows: to the bit, for ever.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "xofm/csv.hpp"
#include "xofm/model_file.hpp"

namespace xofm {
namespace {

namespace fs = std::filesystem;

const fs::path released = fs::path(XOFM_SOURCE) / "tests/io/released";

std::set<std::string> versions_in(const std::string& file, const std::string& before) {
  std::set<std::string> versions;
  std::ifstream stream(fs::path(XOFM_SOURCE) / file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(before)) continue;
    const std::string version = line.substr(before.size(), line.find(' ', before.size()) - before.size());
    if (!version.empty() && std::isdigit(static_cast<unsigned char>(version.front())) != 0) versions.insert(version);
  }
  return versions;
}

// Columns of a CSV file without quotes, by name.
std::map<std::string, std::vector<std::string>> read_columns(const fs::path& path) {
  std::ifstream stream(path);
  std::vector<std::string> names;
  std::map<std::string, std::vector<std::string>> columns;
  for (std::string line; std::getline(stream, line);) {
    std::istringstream cells(line);
    std::size_t at = 0;
    const bool is_header = names.empty();
    for (std::string cell; std::getline(cells, cell, ',');) {
      if (is_header) {
        names.push_back(cell);
      } else if (at < names.size()) {  // notes, the last, may hold commas
        columns[names[at++]].push_back(cell);
      }
    }
  }
  return columns;
}

TEST(Released, EveryReleaseHasItsModelsItsCommitAndItsChanges) {
  std::set<std::string> folders;
  for (const auto& entry : fs::directory_iterator(released)) folders.insert(entry.path().filename());
  EXPECT_EQ(versions_in("RELEASES", ""), folders);
  EXPECT_EQ(versions_in("CHANGELOG.md", "## "), folders);
  EXPECT_FALSE(folders.empty());
}

TEST(Released, ModelsOfEveryVersionSayToTheBitWhatTheySaid) {
  std::size_t model_count = 0;
  for (const auto& version : fs::directory_iterator(released)) {
    for (const auto& entry : fs::directory_iterator(version)) {
      if (entry.path().extension() != ".json") continue;
      SCOPED_TRACE(entry.path().string());
      ++model_count;
      const Model model = load_model(entry.path());
      const Predictions now = model.predict(read_csv(version.path() / "rows.csv", model.schema));
      auto then = read_columns(fs::path(entry.path()).replace_extension(".csv"));
      ASSERT_EQ(then["score"].size(), now.row_count());
      ASSERT_GT(now.row_count(), 10U);
      for (std::size_t i = 0; i < now.row_count(); ++i) {
        EXPECT_EQ(std::stod(then["score"][i]), now.scores[i]) << i;
        EXPECT_EQ(then["class"][i], model.schema.class_names[static_cast<std::size_t>(now.classes[i])]) << i;
        for (std::size_t h = 0; h < model.schema.class_names.size(); ++h) {
          const std::string& name = model.schema.class_names[h];
          EXPECT_EQ(std::stod(then["probability_" + name][i]),
                    now.probabilities[i * model.schema.class_names.size() + h]);
          const std::string& support = then["support_" + name][i];  // none outside the interval
          if (support.empty()) continue;
          EXPECT_EQ(std::stod(support), now.support[i * model.schema.class_names.size() + h]);
        }
      }
    }
  }
  EXPECT_GE(model_count, 4U);
}

}  // namespace
}  // namespace xofm
