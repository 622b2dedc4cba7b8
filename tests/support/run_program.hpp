// Runs a program as a shell would, and keeps what it says.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Whether a sanitizer is in the programs, which takes memory of its own: GCC says so by macros, clang by features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define XOFM_IS_SANITIZED 1
#elif defined(__has_feature)
#define XOFM_IS_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define XOFM_IS_SANITIZED 0
#endif

namespace xofm::testing {

struct RunOptions {
  std::string folder = {};                   // to run in; empty: here
  std::string input = {};                    // standard input, through a pipe
  bool error_terminal = false;               // standard error is a terminal, not a pipe
  std::size_t file_size_limit = 0;           // in bytes, as `ulimit -f`; 0: none
  std::size_t memory_limit = 0;              // of addresses, in bytes, as `ulimit -v`; 0: none
  std::vector<int> closed = {};              // descriptors closed at the start, as by `>&-`
  std::function<void(pid_t)> on_start = {};  // called with the process as soon as there is one
  // Called with the process and all of standard error so far, whenever there is more.
  std::function<void(pid_t, const std::string&)> on_error_output = {};
};

struct RunResult {
  int status = 0;  // exit status; minus the signal if one ended it
  std::string out;
  std::string err;
  long peak_kib = 0;  // greatest resident memory
};

namespace run_program_detail {

struct Pipe {
  Pipe() {
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  }
  int ends[2] = {-1, -1};
};

// In the child: never returns.
[[noreturn]] inline void execute(const std::vector<std::string>& words, const RunOptions& options, int in, int out,
                                 int err) {
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  for (const int signal : {SIGINT, SIGHUP, SIGTERM, SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) ::_exit(127);
  if (options.file_size_limit > 0) {
    ::setenv("GCOV_ERROR_FILE", "/dev/null", 1);  // a coverage build cannot write its counters either, and would say so
    const rlimit limit = {options.file_size_limit, options.file_size_limit};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  if (options.memory_limit > 0) {
    const rlimit limit = {options.memory_limit, options.memory_limit};
    ::setrlimit(RLIMIT_AS, &limit);
  }
  for (const int file : options.closed) ::close(file);
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

// What there is to read; false at the end.
inline bool read_some(int file, std::string& text) {
  char buffer[1 << 16];
  const ssize_t count = ::read(file, buffer, sizeof buffer);
  if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);  // a terminal whose other side is closed says EIO
}

inline void close_file(int& file) {
  if (file >= 0) ::close(file);
  file = -1;
}

}  // namespace run_program_detail

inline RunResult run_program(const std::vector<std::string>& words, const RunOptions& options = {}) {
  namespace d = run_program_detail;
  d::Pipe in;
  d::Pipe out;
  d::Pipe err;
  if (options.error_terminal) {
    for (int& end : err.ends) d::close_file(end);
    if (::openpty(&err.ends[0], &err.ends[1], nullptr, nullptr, nullptr) != 0) throw std::runtime_error("no terminal");
    for (const int end : err.ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  }
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) d::execute(words, options, in.ends[0], out.ends[1], err.ends[1]);
  if (options.on_start) options.on_start(child);
  d::close_file(in.ends[0]);
  d::close_file(out.ends[1]);
  d::close_file(err.ends[1]);

  // A program that reads no further must not end the test.
  const auto handler = std::signal(SIGPIPE, SIG_IGN);
  ::fcntl(in.ends[1], F_SETFL, O_NONBLOCK);
  RunResult result;
  std::string_view left = options.input;
  if (left.empty()) d::close_file(in.ends[1]);
  while (out.ends[0] >= 0 || err.ends[0] >= 0) {
    pollfd files[] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}, {in.ends[1], POLLOUT, 0}};
    if (::poll(files, 3, -1) < 0 && errno != EINTR) break;
    if (files[0].revents != 0 && !d::read_some(out.ends[0], result.out)) d::close_file(out.ends[0]);
    if (files[1].revents != 0) {
      if (!d::read_some(err.ends[0], result.err)) d::close_file(err.ends[0]);
      if (options.on_error_output) options.on_error_output(child, result.err);
    }
    if (files[2].revents != 0) {
      const ssize_t count = ::write(in.ends[1], left.data(), left.size());
      if (count > 0) left.remove_prefix(static_cast<std::size_t>(count));
      const bool broken = count < 0 && errno != EAGAIN && errno != EINTR;
      if (left.empty() || broken) d::close_file(in.ends[1]);
    }
  }
  d::close_file(in.ends[1]);
  std::signal(SIGPIPE, handler);
  int status = 0;
  rusage usage = {};
  while (::wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  result.peak_kib = usage.ru_maxrss;
  return result;
}

}  // namespace xofm::testing
