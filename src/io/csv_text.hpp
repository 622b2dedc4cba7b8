// Bytes of an input file: as a stream, or all at once.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

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
  explicit Text(const std::string& path);
  ~Text();
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  std::string_view view() const { return {data_, size_}; }

 private:
  void map(int file, std::size_t size, const std::string& path);
  void load(ByteSource& source, const std::string& path);

  char* data_ = nullptr;
  std::size_t size_ = 0;
  bool mapped_ = false;
};

}  // namespace xofm::detail
