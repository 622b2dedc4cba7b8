// Any bytes as a compressed file, gzip or zstd by the first of them: an Error, or the same text in large pieces and in
// small ones. Bombs end at a few MiB.
#include <algorithm>
#include <cstdlib>

#include "input_file.hpp"
#include "io/csv_text.hpp"
#include "xofm/error.hpp"

namespace {

constexpr std::size_t enough = std::size_t{4} << 20;

std::string read_in_pieces(const std::string& path, std::size_t piece) {
  const auto source = xofm::detail::open_source(path);
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    const std::size_t got = source->read(text.data() + before, piece);
    text.resize(before + got);
    if (got < piece || text.size() >= enough) return text;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string path = xofm::fuzzing::write_input(data + 1, size - 1, data[0] % 2 == 0 ? ".gz" : ".zst");
  try {
    const std::string large = read_in_pieces(path, 1 << 16);
    const std::string small = read_in_pieces(path, 1 << 10);
    const std::size_t common = std::min(large.size(), small.size());
    if (large.compare(0, common, small, 0, common) != 0) std::abort();
    if (std::max(large.size(), small.size()) < enough && large != small) std::abort();
  } catch (const xofm::Error&) {
    // Refused, as most inputs are.
  }
  return 0;
}
