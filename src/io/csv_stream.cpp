// New rows chunk by chunk: the buffer holds whole records of about chunk_bytes and the start of the next one.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "io/csv_encoding.hpp"
#include "io/csv_read.hpp"
#include "io/csv_text.hpp"
#include "xofm/error.hpp"

namespace xofm {

namespace {

// No sane record is longer; without a limit one stray quote would pull the whole input into memory.
constexpr std::size_t longest_record = std::size_t{64} << 20;

// End of the last whole record of `text`, which begins with a record: after the last line feed outside quotes.
std::size_t whole_records(std::string_view text) {
  bool inside = std::count(text.begin(), text.end(), '"') % 2 == 1;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == '"') inside = !inside;
    if (text[i] == '\n' && !inside) return i + 1;
  }
  return 0;
}

}  // namespace

struct CsvReader::State {
  State(const std::string& path, const Schema& schema, const CsvReaderOptions& options)
      : source(detail::open_source(path)),
        file(detail::input_name(path)),
        chunk_bytes(std::max<std::size_t>(options.chunk_bytes, 1)),
        decoder(options.encoding, file),
        header(take_header(options.separator)),
        reader(header, schema, options, file) {}

  detail::Header take_header(char separator) {
    while (whole_records(buffer) == 0 && fill()) {
    }
    detail::Header taken = detail::read_header(buffer, file, separator);
    buffer.erase(0, taken.size);
    line = 1 + taken.line_count;
    return taken;
  }

  // Reads one more chunk; false if nothing more comes.
  bool fill() {
    if (ended || buffer.size() > longest_record) return false;
    // An unfinished record is scanned again after every fill: growing by its own size keeps that linear.
    const std::size_t size = buffer.size();
    const std::size_t wanted = std::max(chunk_bytes, size);
    buffer.resize(size + wanted);
    const std::size_t got = source->read(buffer.data() + size, wanted);
    buffer.resize(size + got);
    ended = got < wanted;
    if (!is_decided) {
      // A chunk of one byte does not show the mark yet.
      if (size + got < 2 && !ended) return true;
      changes = decoder.changes(buffer);
      is_decided = true;
      if (changes) decode(0);
    } else if (changes) {
      decode(size);
    }
    return got > 0;
  }

  // Puts what the bytes from `begin` on say into their place.
  void decode(std::size_t begin) {
    const std::string bytes = buffer.substr(begin);
    buffer.resize(begin);
    decoder.append(bytes, ended, buffer);
  }

  // How numbers are written shows below the header.
  void find_format() {
    if (has_format) return;
    header.format = reader.format_of(buffer);
    has_format = true;
  }

  // The bytes of the buffer that make the next chunk; 0 at the end. Blank lines behind its last record stay in the
  // buffer: whether they are rows of a single column or the end of the file only shows later.
  std::size_t next_chunk() {
    for (;;) {
      if (buffer.size() < chunk_bytes) fill();
      const std::size_t whole = ended ? buffer.size() : whole_records(buffer);
      const std::size_t size =
          detail::without_blank_end(std::string_view(buffer).substr(0, whole), header.separator).size();
      if (size > 0) return size;
      if (whole > 0 && (ended || header.names.size() > 1)) {
        drop(whole);
        if (ended) return 0;
      } else if (!fill()) {
        return buffer.size();  // too long: the parser tells what is wrong with it
      }
    }
  }

  void drop(std::size_t size) {
    line += static_cast<std::size_t>(std::count(buffer.data(), buffer.data() + size, '\n'));
    buffer.erase(0, size);
  }

  std::unique_ptr<detail::ByteSource> source;
  std::string file;
  std::size_t chunk_bytes;
  std::string buffer;
  bool ended = false;
  detail::Decoder decoder;
  bool is_decided = false;  // whether bytes are to be decoded
  bool changes = false;
  bool has_format = false;
  std::size_t line = 1;  // of the buffer's first byte
  detail::Header header;
  detail::SchemaReader reader;
};

CsvReader::CsvReader(const std::string& path, const Schema& schema, const CsvReaderOptions& options)
    : state_(std::make_unique<State>(path, schema, options)) {}
CsvReader::~CsvReader() = default;
CsvReader::CsvReader(CsvReader&&) noexcept = default;
CsvReader& CsvReader::operator=(CsvReader&&) noexcept = default;

bool CsvReader::next(Dataset& chunk) {
  CarriedColumns carried;
  return next(chunk, carried);
}

bool CsvReader::next(Dataset& chunk, CarriedColumns& carried) {
  const std::size_t size = state_->next_chunk();
  state_->find_format();
  const std::string_view text = std::string_view(state_->buffer).substr(0, size);
  const detail::Table table(text, state_->header, state_->file, state_->line, detail::default_block_bytes);
  chunk = state_->reader.read(table, &carried);
  if (size > longest_record && table.row_count() == 1) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("{}, line {}: a row longer than {} bytes", state_->file, state_->line, longest_record));
  }
  state_->drop(size);
  return chunk.row_count() > 0;
}

}  // namespace xofm
