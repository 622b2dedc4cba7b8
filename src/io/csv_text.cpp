#include "io/csv_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "io/csv_encoding.hpp"
#include "xofm/error.hpp"

namespace xofm::detail {

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw Error(ErrorCode::io, fmt::format("{}: {}", input_name(path), reason));
}

// A file descriptor that closes itself; standard input stays open.
class InputFile final : public ByteSource {
 public:
  explicit InputFile(std::string path) : path_(std::move(path)) {
    if (path_.empty())
      throw Error(ErrorCode::io, "the path of the data is empty; give a CSV file, or - for standard input");
    file_ = path_ == "-" ? STDIN_FILENO : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0) fail(path_, fmt::format("cannot be opened: {}", std::strerror(errno)));
    if (::fstat(file_, &status_) != 0) {
      const int reason = errno;
      close();
      fail(path_, fmt::format("cannot be read: {}", std::strerror(reason)));
    }
    if (S_ISDIR(status_.st_mode)) {
      close();
      fail(path_, "is a folder; give a CSV file");
    }
  }
  ~InputFile() override { close(); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::size_t read(char* out, std::size_t size) override {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t got = ::read(file_, out + done, size - done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail(path_, fmt::format("cannot be read: {}", std::strerror(errno)));
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

  int file() const { return file_; }
  const std::string& path() const { return path_; }
  bool is_regular() const { return path_ != "-" && S_ISREG(status_.st_mode); }
  std::size_t size() const { return static_cast<std::size_t>(status_.st_size); }

 private:
  void close() {
    if (file_ >= 0 && path_ != "-") ::close(file_);
  }

  std::string path_;
  int file_ = -1;
  struct stat status_ = {};
};

constexpr std::size_t compressed_bytes = std::size_t{256} << 10;

// gzip, possibly several members one after the other, as `cat a.gz b.gz` and bgzip write them.
class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(const std::string& path) : input_(path), buffer_(compressed_bytes) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) fail(path, "cannot start the gzip decompressor");
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read(char* out, std::size_t size) override {
    std::size_t done = 0;
    while (done < size && !ended_) {
      if (stream_.avail_in == 0) refill();
      if (between_members_) start_member();
      if (ended_ || stream_.avail_in == 0) continue;
      const auto room = static_cast<uInt>(std::min<std::size_t>(size - done, std::size_t{1} << 30));
      stream_.next_out = reinterpret_cast<Bytef*>(out + done);
      stream_.avail_out = room;
      const int result = inflate(&stream_, Z_NO_FLUSH);
      done += room - stream_.avail_out;
      if (result == Z_STREAM_END) {
        between_members_ = true;
        inflateReset(&stream_);
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        fail(input_.path(), fmt::format("is damaged, or not gzip data ({})",
                                        stream_.msg != nullptr ? stream_.msg : "decompression failed"));
      }
    }
    return done;
  }

 private:
  void refill() {
    stream_.next_in = buffer_.data();
    stream_.avail_in = static_cast<uInt>(input_.read(reinterpret_cast<char*>(buffer_.data()), buffer_.size()));
    if (stream_.avail_in > 0) return;
    if (!between_members_ || !any_member_) fail(input_.path(), "is truncated: the gzip data end too early");
    ended_ = true;
  }

  void start_member() {
    // Zero bytes after a member are padding (tapes and some archivers write it).
    while (any_member_ && stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (stream_.avail_in == 0) return;
    between_members_ = false;
    any_member_ = true;
  }

  InputFile input_;
  std::vector<Bytef> buffer_;
  z_stream stream_ = {};
  bool between_members_ = true;
  bool any_member_ = false;
  bool ended_ = false;
};

class ZstdSource final : public ByteSource {
 public:
  explicit ZstdSource(const std::string& path) : input_(path), buffer_(ZSTD_DStreamInSize()) {
    if (stream_ == nullptr) fail(path, "cannot start the zstd decompressor");
  }

  std::size_t read(char* out, std::size_t size) override {
    ZSTD_outBuffer to = {out, size, 0};
    while (to.pos < to.size) {
      if (from_.pos == from_.size) {
        from_ = {buffer_.data(), input_.read(buffer_.data(), buffer_.size()), 0};
        if (from_.size == 0 && !any_) fail(input_.path(), "is truncated: no zstd data");
        any_ = true;
        // Output that did not fit may still wait inside the decompressor, so the end is only reached by asking it.
        if (from_.size == 0 && left_ == 0) break;
      }
      const std::size_t before = to.pos;
      const bool input_ended = from_.size == 0;
      left_ = ZSTD_decompressStream(stream_.get(), &to, &from_);
      if (ZSTD_isError(left_) != 0 && ZSTD_getErrorCode(left_) == ZSTD_error_frameParameter_windowTooLarge) {
        fail(input_.path(),
             "needs a window of more than 128 MiB to be decompressed; compress it again without --long or --ultra");
      }
      if (ZSTD_isError(left_) != 0) {
        fail(input_.path(), fmt::format("is damaged, or not zstd data ({})", ZSTD_getErrorName(left_)));
      }
      if (input_ended && to.pos == before && left_ != 0) {
        fail(input_.path(), "is truncated: the zstd data end too early");
      }
    }
    return to.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  InputFile input_;
  std::vector<char> buffer_;
  std::unique_ptr<ZSTD_DStream, Free> stream_{ZSTD_createDStream()};
  ZSTD_inBuffer from_ = {nullptr, 0, 0};
  std::size_t left_ = 0;  // 0: a frame has just ended
  bool any_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_source(const std::string& path) {
  if (path.ends_with(".gz")) return std::make_unique<GzipSource>(path);
  if (path.ends_with(".zst")) return std::make_unique<ZstdSource>(path);
  return std::make_unique<InputFile>(path);
}

Text::Text(const std::string& path, Encoding encoding) {
  const auto source = open_source(path);
  const auto* file = dynamic_cast<const InputFile*>(source.get());
  if (file != nullptr && file->is_regular() && file->size() > 0) {
    map(file->file(), file->size(), path);
  } else {
    load(*source, path, encoding == Encoding::automatic || encoding == Encoding::utf16);
  }
  decoded_ = decoded({data_, size_}, encoding, input_name(path), is_decoded_);
  if (is_decoded_) release();
}

void Text::map(int file, std::size_t size, const std::string& path) {
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (address == MAP_FAILED) fail(path, fmt::format("cannot be mapped into memory: {}", std::strerror(errno)));
  ::madvise(address, size, MADV_WILLNEED);
  data_ = static_cast<char*>(address);
  size_ = size;
  mapped_ = true;
}

// No sane header is longer.
constexpr std::size_t longest_line = std::size_t{64} << 20;

void Text::load(ByteSource& source, const std::string& path, bool may_have_zeros) {
  // realloc moves large blocks by remapping pages, without a second copy in memory; untouched pages cost nothing.
  std::size_t capacity = std::size_t{1} << 20;
  try {
    for (;;) {
      auto* grown = static_cast<char*>(std::realloc(data_, capacity));
      if (grown == nullptr) fail(path, fmt::format("does not fit into memory ({} bytes so far)", size_));
      data_ = grown;
      const std::size_t got = source.read(data_ + size_, capacity - size_);
      const char* const begin = data_ + size_;
      size_ += got;
      if (size_ < capacity) return;
      // The parser will refuse what is here already; the rest may never end (/dev/zero).
      const bool is_utf16 =
          may_have_zeros && (std::memcmp(data_, "\xff\xfe", 2) == 0 || std::memcmp(data_, "\xfe\xff", 2) == 0);
      if (!is_utf16 && std::memchr(begin, '\0', got) != nullptr) return;
      if (size_ > longest_line && std::memchr(data_, '\n', size_) == nullptr) {
        fail(path, fmt::format("the first line is longer than {} bytes; give a CSV file", longest_line));
      }
      capacity *= 2;
    }
  } catch (...) {
    std::free(data_);
    throw;
  }
}

void Text::release() {
  if (mapped_) {
    ::munmap(data_, size_);
  } else {
    std::free(data_);
  }
  data_ = nullptr;
  mapped_ = false;
}

Text::~Text() { release(); }

}  // namespace xofm::detail
