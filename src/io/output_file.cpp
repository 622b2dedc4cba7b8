#include "io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{256} << 10;

// The file behind symbolic links, even if it does not exist yet.
std::string link_target(const std::string& path) {
  constexpr int most_links = 40;  // as the kernel
  std::filesystem::path target = path;
  std::error_code error;
  for (int i = 0; i < most_links && std::filesystem::is_symlink(target, error); ++i) {
    const auto next = std::filesystem::read_symlink(target, error);
    if (error) break;
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return target.string();
}

const char* remedy(int reason) {
  switch (reason) {
    case ENOENT:
    case ENOTDIR:
      return "; create the folder first";
    case ENOSPC:
    case EDQUOT:
      return "; free some space or choose another disk";
    case EFBIG:
      return "; raise the limit of the file size (ulimit -f)";
    case EACCES:
    case EPERM:
    case EROFS:
      return "; choose another path or change the permissions";
    case EISDIR:
      return "; give the name of a file";
    default:
      return "";
  }
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (path == "-") {
    file_ = STDOUT_FILENO;
    return;
  }
  target_ = link_target(path);
  struct stat status = {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail("opened for writing", errno);
  if (exists && S_ISDIR(status.st_mode)) fail("opened for writing", EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    file_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) fail("opened for writing", errno);
    return;
  }
  // Renaming over a file needs no right to write it; a file that someone made read-only is not to be replaced.
  if (exists && ::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) fail("opened for writing", errno);
  open_temporary();
  if (exists && ::fchmod(file_, status.st_mode & 07777) != 0) {
    const int reason = errno;
    close();
    fail("given the mode of the old file", reason);
  }
}

void OutputFile::open_temporary() {
  static std::atomic<unsigned> counter = 0;
  const auto folder = std::filesystem::path(target_).parent_path();
  for (;;) {
    // Opened by name rather than by mkstemp, so that the umask decides the mode of a new file.
    temporary_ = (folder / fmt::format(".xofm-{}-{}.tmp", ::getpid(), counter++)).string();
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ >= 0) return;
    if (errno == EEXIST) continue;
    const int reason = errno;
    temporary_.clear();
    fail("written", reason);
  }
}

OutputFile::~OutputFile() { close(); }

void OutputFile::write(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() >= buffer_bytes) flush();
}

void OutputFile::commit() {
  flush();
  if (file_ == STDOUT_FILENO) return;
  if (temporary_.empty()) {
    const int result = ::close(file_);
    file_ = -1;
    if (result != 0) fail("written", errno);
    return;
  }
  if (::fsync(file_) != 0) fail("written", errno);
  const int closed = ::close(file_);
  file_ = -1;
  if (closed != 0) fail("written", errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("put in place", errno);
  temporary_.clear();
  // The new name survives a power cut only once the folder is on disk too; not every file system can do that.
  const auto folder = std::filesystem::path(target_).parent_path();
  const int opened = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened >= 0) {
    ::fsync(opened);
    ::close(opened);
  }
}

void OutputFile::flush() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t done = ::write(file_, left.data(), left.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("written", errno);
    left.remove_prefix(static_cast<std::size_t>(done));
  }
  buffer_.clear();
}

void OutputFile::close() {
  if (file_ > STDERR_FILENO) ::close(file_);
  file_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void OutputFile::fail(const char* what, int reason) const {
  throw Error(ErrorCode::io, fmt::format("{}: cannot be {}: {}{}", path_ == "-" ? "standard output" : path_, what,
                                         std::strerror(reason), remedy(reason)));
}

}  // namespace xofm::detail
