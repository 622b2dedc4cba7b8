// Model documents that a test has changed, with the checksum that goes with them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "io/term_blocks.hpp"

namespace xofm::test_support {

inline std::string sealed(nlohmann::ordered_json document) {
  document["checksum"] = detail::checksum(nlohmann::json::parse(document.dump()));
  return document.dump();
}

// The same of a text that need not be JSON any more.
inline std::string sealed(const std::string& text) {
  const auto document = nlohmann::ordered_json::parse(text, nullptr, false);
  return document.is_object() ? sealed(document) : text;
}

}  // namespace xofm::test_support
