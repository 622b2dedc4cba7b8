// Any bytes as a file given by --config: a command to run, which is not run, or a text that says what is wrong.
#include <cstdlib>

#include "command_line.hpp"
#include "input_file.hpp"
#include "xofm/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = xofm::fuzzing::write_input(data, size, ".toml");
  CLI::App app;
  xofm::app::Common common;
  xofm::app::Run run;
  xofm::app::set_up(app, common, run);
  try {
    app.parse("fit rows.csv --config " + path);
    if (!run) std::abort();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0 && xofm::app::problem_text(app, error).empty()) std::abort();
  } catch (const xofm::Error&) {
    // Refused by a command.
  }
  return 0;
}
