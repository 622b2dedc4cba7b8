// Text in other encodings, as UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "xofm/csv.hpp"

namespace xofm::detail {

// Decodes a text piece by piece. Automatic: UTF-16 if the text begins with its byte order mark, else nothing is
// changed.
class Decoder {
 public:
  Decoder(Encoding encoding, std::string file) : encoding_(encoding), file_(std::move(file)) {}

  // Whether bytes stay as they are; known once the first two have been seen.
  bool changes(std::string_view first_bytes) const;

  // Appends what `bytes`, the next ones, say. At the end nothing may be left over.
  void append(std::string_view bytes, bool is_last, std::string& out);

 private:
  void start(std::string_view bytes);
  void append_utf16(std::string_view bytes, bool is_last, std::string& out);

  Encoding encoding_;
  std::string file_;
  bool is_started_ = false;
  bool is_big_endian_ = false;
  std::size_t position_ = 0;  // of the next byte, for messages
  std::string left_;          // of a letter that is not complete
};

// A whole text; empty if it needs no change.
std::string decoded(std::string_view text, Encoding encoding, const std::string& file, bool& is_changed);

}  // namespace xofm::detail
