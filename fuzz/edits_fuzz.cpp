// Any bytes as edits of a small model, and as a model file that is audited: an Error, or a model that is read again and
// whose record holds.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "xofm/edit_file.hpp"
#include "xofm/error.hpp"
#include "xofm/model_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string model = [] {
    std::ifstream file(XOFM_FUZZ_MODELS "/terms.json");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto [who, why, edits] = xofm::edits_from_json(text);
    const auto result = xofm::edit_model(model, {"somebody" + who, "something" + why, "2026-01-31T12:00:00Z", edits});
    if (!xofm::audit_model(result.text).problems.empty()) std::abort();
  } catch (const xofm::Error&) {
    // Refused, as most inputs are.
  }
  try {
    static_cast<void>(xofm::audit_model(text));
  } catch (const xofm::Error&) {
    // Likewise.
  }
  return 0;
}
