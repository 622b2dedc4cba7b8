// xofm: ordered classes, readable decisions. Runs one command, turns errors into exit statuses.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "command_line.hpp"
#include "file_roles.hpp"
#include "terminal.hpp"
#include "xofm/error.hpp"
#include "xofm/threads.hpp"

namespace {

using namespace xofm::app;

int status_of(xofm::ErrorCode code) {
  switch (code) {
    case xofm::ErrorCode::invalid_option:
      return exit_usage;
    case xofm::ErrorCode::invalid_data:
      return exit_data;
    case xofm::ErrorCode::invalid_model:
      return exit_model;
    case xofm::ErrorCode::io:
      return exit_io;
    case xofm::ErrorCode::diverged:
      return exit_diverged;
  }
  return exit_internal;
}

// One line, whatever names and values the message quotes.
int fail(int status, const std::string& message) {
  std::fputs(fmt::format("xofm: {}\n", printable(message)).c_str(), stderr);  // fmt::print would throw if it cannot
  return status;
}

// Where memory ends there may be none to unwind with, and libraries allocate in their destructors. Nothing is lost by
// leaving at once: unfinished outputs have no name (io/output_file.hpp).
void leave_without_memory() {
  constexpr std::string_view text = "xofm: out of memory\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  ::_exit(exit_internal);
}

// oneTBB says it in a text alone.
std::string internal_text(const std::exception& error) {
  const std::string what = error.what();
  if (what.find("pthread_create") == std::string::npos) return fmt::format("internal error: {}", what);
  return "the system starts no more threads: memory or their number is limited (ulimit); --threads 1 needs fewer";
}

// What is thrown where nothing may be, as in a thread of oneTBB, ends the program as if main had caught it.
[[noreturn]] void leave_on_terminate() {
  try {
    if (const auto current = std::current_exception()) std::rethrow_exception(current);
    fail(exit_internal, "internal error");
  } catch (const std::bad_alloc&) {
    leave_without_memory();
  } catch (const std::exception& error) {
    fail(exit_internal, internal_text(error));
  } catch (...) {
    fail(exit_internal, "internal error");
  }
  ::_exit(exit_internal);
}

// A standard descriptor that is closed would be given to the next file that is opened, and what is meant for the
// terminal would go there. In its place comes one that cannot be read or written, so that the failure is reported; what
// goes to standard error is lost, as was wished.
void fill_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    ::open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_WRONLY);  // takes the lowest number that is free
  }
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_descriptors();
  std::set_new_handler(leave_without_memory);
  std::set_terminate(leave_on_terminate);
#ifdef __GLIBC__
  // One heap for all threads: what one has freed another uses again.
  mallopt(M_ARENA_MAX, 1);
#endif
  // A closed pipe and a file at its size limit are failed writes, reported as such.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  stop_on_signals();
  CLI::App app;
  Common common;
  Run run;
  set_up(app, common, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return fail(exit_usage, fmt::format("{}; see xofm --help", problem_text(app, error)));
  }
  try {
    refuse_empty_paths(*app.get_subcommands().front());
    if (!common.force) refuse_overwritten_input(*app.get_subcommands().front());
    // Never released: oneTBB would start threads only to end them, and fail if memory is short.
    // Volatile, so that it is still known at the end and not taken for lost.
    [[maybe_unused]] static const xofm::ThreadLimit* volatile limit = nullptr;
    limit = new xofm::ThreadLimit(common.threads);
    const int status = run();
    if (std::fflush(stdout) != 0)
      return fail(exit_io, fmt::format("cannot write standard output: {}", std::strerror(errno)));
    return status == exit_interrupted ? stop_status() : status;
  } catch (const xofm::Error& error) {
    return fail(status_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    leave_without_memory();
    return exit_internal;
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) {
      return fail(exit_io, fmt::format("cannot write standard output: {}", error.code().message()));
    }
    return fail(exit_internal, fmt::format("the system refuses a resource: {}; is memory short? --threads 1 takes less",
                                           error.code().message()));
  } catch (const std::exception& error) {
    return fail(exit_internal, internal_text(error));
  }
}
