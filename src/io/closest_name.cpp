#include "io/closest_name.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace xofm::detail {

namespace {

// Levenshtein distance, upper and lower case being equal.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({changed, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace

const std::string* closest_name(std::string_view name, const std::vector<std::string>& names) {
  constexpr std::size_t longest = 64;  // keeps a million long names from costing seconds
  const std::string* closest = nullptr;
  // A name of which every letter would have to change is no misspelling.
  std::size_t least = std::min(std::max<std::size_t>(2, name.size() / 3) + 1, name.size());
  if (name.size() > longest) return nullptr;
  for (const auto& candidate : names) {
    if (candidate.size() > longest) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < least) {
      least = distance;
      closest = &candidate;
    }
  }
  return closest;
}

}  // namespace xofm::detail
