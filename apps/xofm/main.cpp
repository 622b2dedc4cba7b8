// xofm: ordered classes, readable decisions. Parses the command line, runs one command, turns errors into exit statuses.
#include <fmt/format.h>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include "commands.hpp"
#include "xofm/error.hpp"
#include "xofm/threads.hpp"

namespace {

using namespace xofm::app;

constexpr const char* footer = R"(Examples:
  xofm fit train.csv --label class -o model.json
  xofm predict model.json test.csv -o predictions.csv
  xofm evaluate model.json test.csv
  xofm show model.json

Exit status:
  0    success
  1    internal error
  2    unknown option or value not allowed
  3    the data cannot be used
  4    the model file is damaged or of an unknown version
  5    a file cannot be read or written
  130  stopped by Ctrl-C; fit has saved the best model so far)";

int status_of(xofm::ErrorCode code) {
  switch (code) {
    case xofm::ErrorCode::invalid_option: return exit_usage;
    case xofm::ErrorCode::invalid_data: return exit_data;
    case xofm::ErrorCode::invalid_model: return exit_model;
    case xofm::ErrorCode::io: return exit_io;
  }
  return exit_internal;
}

int fail(int status, const std::string& message) {
  fmt::print(stderr, "xofm: {}\n", message);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a failed write, reported as one
  CLI::App app{"Learns from rows with ordered labels; every prediction comes with its class interval and support."};
  app.name("xofm");
  app.footer(footer);
  app.set_version_flag("--version", std::string("xofm " XOFM_VERSION));
  app.set_config("--config", "", "Read options from a TOML or INI file, commands as sections: [fit]");
  app.require_subcommand(1);
  app.fallthrough();
  Common common;
  app.add_flag("--quiet,-q", common.quiet, "Print no progress and no summary, only errors");
  app.add_option("--threads", common.threads, "Threads to use; 0: one per core. Results do not depend on it")
      ->capture_default_str();
  Run run;
  for (const auto add : {add_fit, add_predict, add_evaluate, add_show, add_generate}) add(app, common, run);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const auto name = error.get_name();
    if (error.get_exit_code() == 0) return app.exit(error);
    const std::string config_hint = name == "ConfigError" ? " (in the file given by --config)" : "";
    return fail(exit_usage, fmt::format("{}{}; see xofm --help", error.what(), config_hint));
  }
  try {
    const xofm::ThreadLimit limit(common.threads);
    const int status = run();
    if (std::fflush(stdout) != 0) return fail(exit_io, fmt::format("cannot write standard output: {}", std::strerror(errno)));
    return status;
  } catch (const xofm::Error& error) {
    return fail(status_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return fail(exit_internal, "out of memory");
  } catch (const std::exception& error) {
    return fail(exit_internal, fmt::format("internal error: {}", error.what()));
  }
}
