#include "io/model_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "xofm/error.hpp"

namespace xofm::detail {

const char* text_problem(std::string_view text, const ModelTextLimits& limits) {
  if (text.size() > limits.bytes) return "it is larger than any model";
  int depth = 0;
  std::size_t lists = 0;
  std::size_t values = 0;
  std::size_t texts = 0;
  bool inside = false;  // of a text
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside) {
      if (c == '\\') ++i;
      inside = c != '"';
      continue;
    }
    inside = c == '"';
    if (inside && ++texts > limits.texts) return "it has more texts than any model";
    if (c == ',') ++values;
    if (c == ']' || c == '}') --depth;
    if (c != '[' && c != '{') continue;
    ++lists;
    if (++depth > limits.depth) return "it is nested too deep";
    if (lists > limits.lists) return "it has more lists than any model";
  }
  return values > limits.values ? "it has more values than any model" : nullptr;
}

void check_model_text(std::string_view text, const ModelTextLimits& limits) {
  const char* const problem = text_problem(text, limits);
  if (problem == nullptr) return;
  throw Error(ErrorCode::invalid_model,
              fmt::format("the model is too large for a file ({} bytes, of which {} may be: {}); fewer segments, "
                          "factors, pairs or reference rows (--reference-limit) make it smaller",
                          text.size(), limits.bytes, problem));
}

std::string read_model_text(const std::string& path, const ModelTextLimits& limits) {
  const auto fail = [&](const std::string& reason) {
    throw Error(ErrorCode::io, fmt::format("cannot read model '{}': {}", path, reason));
  };
  if (path.empty()) fail("the path is empty");
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) fail("it is a directory");
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(std::strerror(errno));
  std::string text;
  std::vector<char> buffer(1 << 16);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || file.gcount() > 0) {
    const bool is_first = text.empty();
    text.append(buffer.data(), static_cast<std::size_t>(file.gcount()));
    if (is_first && text[std::min(text.find_first_not_of(" \t\r\n"), text.size() - 1)] != '{') {
      throw Error(ErrorCode::invalid_model,
                  fmt::format("{}: not a model of xofm fit: it does not begin with {{", path));
    }
    if (text.size() > limits.bytes) fail("it is larger than 1 GiB; no model is");
  }
  if (file.bad()) fail(std::strerror(errno));
  return text;
}

}  // namespace xofm::detail
