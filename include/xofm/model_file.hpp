// Models as files: one JSON document, described in docs/reference/model-file.md. Numbers survive to the bit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "xofm/model.hpp"

namespace xofm {

// Version 1 has no curves and pairs of its own and no checksum; it is read to the same scores.
inline constexpr int model_file_version = 2;

// The file appears complete in the place of `path`; on failure the old one stays. What load_model would refuse is not
// written: Error{invalid_model}.
void save_model(const Model& model, const std::string& path);

// Throws Error{io} or Error{invalid_model}; whatever the file holds, it never crashes.
Model load_model(const std::string& path);

// The document as text, and back; `source` stands for the file name in messages.
std::string model_to_json(const Model& model);
Model model_from_json(std::string_view text, const std::string& source = "model");

// A file that was changed by hand: checked as by load_model, but for its checksum, and given a new one. The document
// counts in `sealed` how often that was done. Throws as load_model does.
std::string seal_model(std::string_view text, const std::string& source = "model");
void seal_model_file(const std::string& path, const std::string& output);

// How often a file was sealed: 0 if no one has changed it since it was fitted.
std::size_t seal_count(const std::string& path);

}  // namespace xofm
