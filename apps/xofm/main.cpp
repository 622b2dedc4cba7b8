// xofm: ordered classes, readable decisions. Parses the command line, runs one command, turns errors into exit
// statuses.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "commands.hpp"
#include "file_roles.hpp"
#include "io/closest_name.hpp"
#include "options.hpp"
#include "terminal.hpp"
#include "xofm/error.hpp"
#include "xofm/threads.hpp"

namespace {

using namespace xofm::app;

constexpr const char* footer = R"(Examples:
  xofm fit train.csv --label class -o model.json
  xofm predict model.json test.csv -o predictions.csv
  xofm evaluate model.json test.csv
  xofm validate train.csv --folds 10
  xofm show model.json
  xofm explain model.json test.csv --row 1
  xofm report model.json -o report.html

Exit status:
  0    success
  1    internal error, or out of memory
  2    unknown option or value not allowed
  3    the data cannot be used
  4    the model file is damaged or of an unknown version
  5    a file cannot be read or written
  129  stopped by a closed terminal (SIGHUP), as below
  130  stopped by Ctrl-C; fit has saved the best model so far, validate its finished trials, others nothing
  143  stopped by SIGTERM, likewise)";

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
  }
  return exit_internal;
}

// One line, whatever names and values the message quotes.
int fail(int status, const std::string& message) {
  std::fputs(fmt::format("xofm: {}\n", printable(message)).c_str(), stderr);  // fmt::print would throw if it cannot
  return status;
}

// Why there is no command to run: the word in its place, and what it may have meant.
std::string no_command_text(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining();
  std::vector<std::string> names;
  for (const CLI::App* const command : app.get_subcommands({})) {
    if (!command->get_group().empty()) names.push_back(command->get_name());  // the others are hidden
  }
  const std::string known = fmt::format("the commands are {}", fmt::join(names, ", "));
  if (words.empty()) return fmt::format("no command is given; {}", known);
  const std::string& word = words.front();
  if (word.starts_with('-')) return fmt::format("there is no option '{}' before a command; {}", word, known);
  const std::string* const closest = xofm::detail::closest_name(word, names);
  const std::string meant = closest == nullptr ? "" : fmt::format(" (did you mean '{}'?)", *closest);
  return fmt::format("there is no command '{}'{}; {}", word, meant, known);
}

std::string problem_text(const CLI::App& app, const CLI::ParseError& error) {
  if (app.get_subcommands().empty() && error.get_name() == "RequiredError") return no_command_text(app);
  if (error.get_name() != "ConfigError") return error.what();
  const std::string where = "in the file given by --config: ";
  constexpr std::string_view unknown = "INI was not able to parse ";
  constexpr std::string_view section = ".++";  // how the parser calls the beginning of one
  std::string text = error.what();
  if (!text.starts_with(unknown)) return where + text;
  text = text.substr(unknown.size());
  if (!text.ends_with(section)) return fmt::format("{}there is no option '{}'", where, text);
  return fmt::format("{}there is no command '{}'", where, text.substr(0, text.size() - section.size()));
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
  CLI::App app{"Learns from rows with ordered labels; every prediction comes with its class interval and support."};
  app.name("xofm");
  app.footer(footer);
  app.set_version_flag("--version", std::string("xofm " XOFM_VERSION));
  app.set_config("--config", "", "Read options from a TOML or INI file, commands as sections: [fit]");
  app.allow_config_extras(false);
  app.require_subcommand(1);
  app.fallthrough();
  Common common;
  app.add_flag("--quiet,-q", common.quiet, "Print no progress and no summary, only errors");
  app.add_flag("--force", common.force, "Let an output replace a file that is also read");
  app.add_flag("--raw-cells", common.raw_cells,
               "CSV: names and classes as they are, even such as =A1, which a spreadsheet would run");
  add_number(app, "--threads", common.threads, "Threads to use; 0: one per core. Results do not depend on it");
  Run run;
  for (const auto add : {add_fit, add_predict, add_evaluate, add_validate, add_tune, add_show, add_explain, add_compare,
                         add_compare_methods, add_path, add_report, add_seal, add_generate, add_option_docs})
    add(app, common, run);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return fail(exit_usage, fmt::format("{}; see xofm --help", problem_text(app, error)));
  }
  try {
    if (!common.force) refuse_overwritten_input(*app.get_subcommands().front());
    // Never released: oneTBB would start threads only to end them, and fail if memory is short.
    static const auto* const limit = new xofm::ThreadLimit(common.threads);
    static_cast<void>(limit);
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
