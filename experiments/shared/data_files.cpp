#include "data_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "xofm/error.hpp"

namespace xofm::experiments {

std::vector<std::filesystem::path> data_files(const std::string& folder, const std::vector<std::string>& names) {
  std::vector<std::filesystem::path> files;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(folder, problem)) {
    const bool wanted =
        names.empty() || std::find(names.begin(), names.end(), entry.path().stem().string()) != names.end();
    if (entry.path().extension() == ".csv" && wanted) files.push_back(entry.path());
  }
  if (problem) throw Error(ErrorCode::io, fmt::format("cannot read the folder '{}': {}", folder, problem.message()));
  for (const auto& name : names) {
    if (std::any_of(files.begin(), files.end(), [&](const auto& file) { return file.stem() == name; })) continue;
    throw Error(ErrorCode::io, fmt::format("there is no '{}.csv' in '{}'", name, folder));
  }
  if (files.empty()) throw Error(ErrorCode::io, fmt::format("there are no such CSV files in '{}'", folder));
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return std::pair(file_size(a), a) < std::pair(file_size(b), b); });
  return files;
}

}  // namespace xofm::experiments
