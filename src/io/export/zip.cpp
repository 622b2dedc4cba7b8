#include "io/export/zip.hpp"

#include <cstdint>

#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

void append(std::string& out, std::uint64_t value, int byte_count) {
  for (int i = 0; i < byte_count; ++i, value >>= 8) out += static_cast<char>(value & 0xFF);
}

std::uint32_t crc32(const std::string& content) {
  constexpr std::uint32_t polynomial = 0xEDB88320;
  std::uint32_t remainder = ~0U;
  for (const char c : content) {
    remainder ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) remainder = remainder >> 1 ^ (remainder & 1 ? polynomial : 0);
  }
  return ~remainder;
}

// What a file's own header and its line in the directory share: version 2.0, names in UTF-8, stored, 1980-01-01.
std::string description(const std::string& name, const std::string& content) {
  std::string text;
  append(text, 20, 2);
  append(text, 0x800, 2);
  append(text, 0, 2);
  append(text, 0x00210000, 4);
  append(text, crc32(content), 4);
  append(text, content.size(), 4);
  append(text, content.size(), 4);
  append(text, name.size(), 2);
  append(text, 0, 2);
  return text;
}

}  // namespace

std::string zip_archive(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string archive;
  std::string directory;
  for (const auto& [name, content] : files) {
    const std::size_t offset = archive.size();
    if (offset + content.size() >= 0xFFFF0000U) {
      throw Error(ErrorCode::invalid_model, "the model is too large for a workbook; export it to points");
    }
    const std::string shared = description(name, content);
    append(archive, 0x04034B50, 4);
    archive += shared + name + content;
    append(directory, 0x02014B50, 4);
    append(directory, 20, 2);
    directory += shared;
    append(directory, 0, 10);  // no comment, first disk, no attributes
    append(directory, offset, 4);
    directory += name;
  }
  const std::size_t start = archive.size();
  archive += directory;
  append(archive, 0x06054B50, 4);
  append(archive, 0, 4);
  append(archive, files.size(), 2);
  append(archive, files.size(), 2);
  append(archive, directory.size(), 4);
  append(archive, start, 4);
  append(archive, 0, 2);
  return archive;
}

}  // namespace xofm::detail
