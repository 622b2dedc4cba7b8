#include "io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <vector>

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

constexpr std::string_view temporary_begin = ".xofm-";
constexpr std::string_view temporary_end = ".tmp";

std::string temporary_name(const std::string& folder) {
  static std::atomic<unsigned> counter = 0;
  return fmt::format("{}/{}{}-{}{}", folder, temporary_begin, ::getpid(), counter++, temporary_end);
}

// A temporary file is locked by the program that writes it, and the lock ends with the program: one of our own without
// a lock was left behind. One that has just been made may not have its lock yet.
void remove_if_stale(const std::string& path) {
  constexpr std::time_t young_seconds = 60;
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return;
  struct stat status = {};
  const bool ours = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
  const bool old = std::time(nullptr) - status.st_mtime > young_seconds;
  if (ours && old && ::flock(file, LOCK_EX | LOCK_NB) == 0) ::unlink(path.c_str());
  ::close(file);
}

void sweep_stale(const std::string& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(temporary_begin) && name.ends_with(temporary_end)) remove_if_stale(entry->path().string());
  }
}

// A file without a name gets one by way of /proc.
std::string descriptor_path(int file) { return fmt::format("/proc/self/fd/{}", file); }

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path) {
  if (path == "-") {
    file_ = STDOUT_FILENO;
    kind_ = Kind::standard_output;
    return;
  }
  if (path.empty()) throw Error(ErrorCode::io, "the path of the output is empty; give the name of a file, or -");
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
  const auto parent = std::filesystem::path(target_).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  sweep_stale(folder);
  if (!open_nameless(folder)) open_temporary(folder);
  if (exists && ::fchmod(file_, status.st_mode & 07777) != 0) {
    const int reason = errno;
    close();
    fail("given the mode of the old file", reason);
  }
}

// False where the file system or the kernel has no such files.
bool OutputFile::open_nameless(const std::string& folder) {
  file_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (file_ < 0) return false;
  if (::faccessat(AT_FDCWD, descriptor_path(file_).c_str(), F_OK, 0) == 0) {
    kind_ = Kind::nameless;
    return true;
  }
  ::close(file_);
  file_ = -1;
  return false;
}

void OutputFile::open_temporary(const std::string& folder) {
  kind_ = Kind::temporary;
  for (;;) {
    // Opened by name rather than by mkstemp, so that the umask decides the mode of a new file.
    temporary_ = temporary_name(folder);
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ >= 0) {
      ::flock(file_, LOCK_EX | LOCK_NB);
      return;
    }
    if (errno == EEXIST) continue;
    const int reason = errno;
    temporary_.clear();
    fail("written", reason);
  }
}

// Renaming replaces what is there, which linking does not: over an old file it goes by a temporary name.
void OutputFile::link_nameless() {
  const std::string source = descriptor_path(file_);
  if (::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, target_.c_str(), AT_SYMLINK_FOLLOW) == 0) return;
  const auto parent = std::filesystem::path(target_).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  ::flock(file_, LOCK_EX | LOCK_NB);
  for (;;) {
    std::string name = temporary_name(folder);
    if (::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary_ = std::move(name);
      return;
    }
    if (errno == EEXIST) continue;
    copy_to_temporary();
    return;
  }
}

// Some systems make files without names and then refuse to name them.
void OutputFile::copy_to_temporary() {
  const int source = file_;
  struct stat status = {};
  try {
    const auto parent = std::filesystem::path(target_).parent_path();
    open_temporary(parent.empty() ? "." : parent.string());
    if (::fstat(source, &status) != 0 || ::fchmod(file_, status.st_mode & 07777) != 0) fail("written", errno);
    std::vector<char> bytes(std::size_t{1} << 16);
    ssize_t count = 0;
    for (off_t at = 0; (count = ::pread(source, bytes.data(), bytes.size(), at)) > 0; at += count) {
      write_all({bytes.data(), static_cast<std::size_t>(count)});
    }
    if (count < 0 || ::fsync(file_) != 0) fail("written", errno);
  } catch (...) {
    ::close(source);
    throw;
  }
  ::close(source);
}

OutputFile::~OutputFile() { close(); }

void OutputFile::write(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() >= buffer_bytes) flush();
}

void OutputFile::commit() {
  flush();
  if (kind_ == Kind::standard_output) return;
  if (kind_ == Kind::direct) {
    const int result = ::close(file_);
    file_ = -1;
    if (result != 0) fail("written", errno);
    return;
  }
  if (::fsync(file_) != 0) fail("written", errno);
  if (kind_ == Kind::nameless) link_nameless();
  if (!temporary_.empty() && ::rename(temporary_.c_str(), target_.c_str()) != 0) fail("put in place", errno);
  temporary_.clear();
  close();  // not earlier: the lock says that the temporary name is ours; all is on disk already
  // The new name survives a power cut only once the folder is on disk too; not every file system can do that.
  const auto folder = std::filesystem::path(target_).parent_path();
  const int opened = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened >= 0) {
    ::fsync(opened);
    ::close(opened);
  }
}

void OutputFile::flush() {
  write_all(buffer_);
  buffer_.clear();
}

void OutputFile::write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(file_, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("written", errno);
    text.remove_prefix(static_cast<std::size_t>(done));
  }
}

void OutputFile::close() {
  if (file_ >= 0 && kind_ != Kind::standard_output) ::close(file_);
  file_ = -1;
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void OutputFile::fail(const char* what, int reason) const {
  throw Error(ErrorCode::io, fmt::format("{}: cannot be {}: {}{}", path_ == "-" ? "standard output" : path_, what,
                                         std::strerror(reason), remedy(reason)));
}

}  // namespace xofm::detail
