// The data sets of an experiment.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace xofm::experiments {

// The CSV files in a folder, small ones first: something can be seen early. `names` without ending; none: all. Throws
// Error{io} if there are none, or not one of a name.
std::vector<std::filesystem::path> data_files(const std::string& folder, const std::vector<std::string>& names);

}  // namespace xofm::experiments
