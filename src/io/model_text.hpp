// The text of a model file: how much of it there may be, and what is refused before it is parsed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace xofm::detail {

// What a reader takes; a writer keeps to the same. Parsed, a number takes 16 bytes and a list about a hundred, so that
// a text within these limits takes at most 2 GiB besides its own size.
struct ModelTextLimits {
  std::size_t bytes = std::size_t{1} << 30;
  std::size_t values = std::size_t{64} << 20;
  std::size_t lists = std::size_t{4} << 20;  // and objects
  std::size_t texts = std::size_t{4} << 20;  // names of members too; each takes more memory than a number
  int depth = 32;
};

// Why the text is no model, or null. Counts without parsing: linear, and without memory of its own.
const char* text_problem(std::string_view text, const ModelTextLimits& limits = {});

// Throws Error{invalid_model}: a file that could not be read back is not written.
void check_model_text(std::string_view text, const ModelTextLimits& limits = {});

// Throws Error{io} or Error{invalid_model}. What does not begin as an object is refused after its first bytes.
std::string read_model_text(const std::string& path, const ModelTextLimits& limits = {});

}  // namespace xofm::detail
