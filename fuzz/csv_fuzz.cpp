// Any bytes as a CSV file: an Error, or the same rows whether it is cut into large blocks or tiny ones, and whether its
// schema is inferred or given.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "io/csv_read.hpp"
#include "xofm/error.hpp"

namespace {

bool same(const xofm::Dataset& a, const xofm::Dataset& b) {
  if (a.columns.size() != b.columns.size() || a.labels != b.labels) return false;
  for (std::size_t j = 0; j < a.columns.size(); ++j) {
    if (a.columns[j].size() != b.columns[j].size()) return false;
    for (std::size_t i = 0; i < a.columns[j].size(); ++i) {
      const double x = a.columns[j][i];
      const double y = b.columns[j][i];
      if (x != y && (x == x || y == y)) return false;  // NaN, a missing value, is itself here
    }
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const xofm::Dataset whole = xofm::detail::read_training_text(text, "f.csv", {});
    if (!same(whole, xofm::detail::read_training_text(text, "f.csv", {}, 3))) std::abort();
    if (!same(whole, xofm::detail::read_text_by_schema(text, "f.csv", whole.schema, {.read_labels = true}, 5))) {
      std::abort();
    }
  } catch (const xofm::Error&) {
    // Refused, as most inputs are.
  }
  return 0;
}
