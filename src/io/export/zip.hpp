// Files in one archive, as they are: the container of a workbook.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace xofm::detail {

// [(name, content)]; no content may be 4 GB or more. Times are those of the format's first day, so that the same files
// give the same bytes.
std::string zip_archive(const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace xofm::detail
