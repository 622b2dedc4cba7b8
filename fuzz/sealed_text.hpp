// Any bytes as a model file with the checksum that goes with them, or no change would get past it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "io/model_text.hpp"
#include "io/term_blocks.hpp"

namespace xofm::fuzzing {

inline std::string sealed(std::string_view text) {
  if (detail::text_problem(text) != nullptr) return std::string(text);
  nlohmann::json document = nlohmann::json::parse(text, nullptr, false);
  if (!document.is_object()) return std::string(text);
  try {
    document["checksum"] = detail::checksum(document);
    return document.dump();
  } catch (const nlohmann::json::exception&) {  // not UTF-8
    return std::string(text);
  }
}

}  // namespace xofm::fuzzing
