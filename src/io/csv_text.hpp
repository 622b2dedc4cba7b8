// Bytes of an input file: as a stream, or all at once.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "xofm/csv.hpp"

namespace xofm::detail {

// How messages name an input: the path, or "standard input" for "-".
std::string input_name(const std::string& path);

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Up to `size` next bytes; fewer only at the end. Throws Error{io} if the file is damaged or cannot be read.
  virtual std::size_t read(char* out, std::size_t size) = 0;
};

// "-" is standard input; files that end in .gz and .zst are decompressed.
std::unique_ptr<ByteSource> open_source(const std::string& path);

// The whole text: a plain file is mapped, so that it takes no memory of its own; everything else is read into memory.
class Text {
 public:
  explicit Text(const std::string& path, Encoding encoding = Encoding::automatic);
  ~Text();
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  // As UTF-8.
  std::string_view view() const { return is_decoded_ ? std::string_view(decoded_) : std::string_view(data_, size_); }

 private:
  void map(int file, std::size_t size, const std::string& path);
  void load(ByteSource& source, const std::string& path, bool may_have_zeros);
  void release();

  char* data_ = nullptr;
  std::size_t size_ = 0;
  bool mapped_ = false;
  bool is_decoded_ = false;
  std::string decoded_;
};

}  // namespace xofm::detail
