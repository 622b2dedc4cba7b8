// Any bytes as a file given by --config: a command to run, which is not run, or a text that says what is wrong.
#include <cstdlib>
#include <memory>

#include "command_line.hpp"
#include "input_file.hpp"
#include "xofm/error.hpp"

namespace {

struct CommandLine {
  CLI::App app;
  xofm::app::Common common;
  xofm::app::Run run;
  CommandLine() { xofm::app::set_up(app, common, run); }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Setting it up takes most of the time; parsing clears what was parsed before, but for the changes that options note.
  constexpr int most_uses = 50;
  static int uses = 0;
  static std::unique_ptr<CommandLine> line;
  if (uses++ % most_uses == 0) line = std::make_unique<CommandLine>();
  line->run = nullptr;
  const std::string path = xofm::fuzzing::write_input(data, size, ".toml");
  try {
    line->app.parse("fit rows.csv --config " + path);
    if (!line->run) std::abort();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0 && xofm::app::problem_text(line->app, error).empty()) std::abort();
  } catch (const xofm::Error&) {
    // Refused by a command.
  }
  return 0;
}
