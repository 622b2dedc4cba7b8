// Models as files: one JSON document, described in docs/model-file.md. Numbers survive to the bit.
#pragma once

#include <string>
#include <string_view>

#include "xofm/model.hpp"

namespace xofm {

// Version 1 has no curves and pairs of its own and no checksum; it is read to the same scores.
inline constexpr int model_file_version = 2;

// Writes to a temporary file that takes the place of `path` when complete; on failure the old file stays.
void save_model(const Model& model, const std::string& path);

// Throws Error{io} or Error{invalid_model}; whatever the file holds, it never crashes.
Model load_model(const std::string& path);

// The document as text, and back; `source` stands for the file name in messages.
std::string model_to_json(const Model& model);
Model model_from_json(std::string_view text, const std::string& source = "model");

}  // namespace xofm
