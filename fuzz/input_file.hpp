// Bytes as a file of a given name, for readers that open files themselves.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace xofm::fuzzing {

inline std::string write_input(const std::uint8_t* data, std::size_t size, const char* ending) {
  const std::string path = "/dev/shm/xofm-fuzz-" + std::to_string(::getpid()) + ending;
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr || (size > 0 && std::fwrite(data, 1, size, file) != size) || std::fclose(file) != 0) std::abort();
  return path;
}

}  // namespace xofm::fuzzing
