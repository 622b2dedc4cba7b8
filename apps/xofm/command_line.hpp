// The command line as a whole: options of the program, all commands, and what is said of a line that cannot be parsed.
#pragma once

#include <string>

#include "commands.hpp"

namespace xofm::app {

// `run` is set by parsing. Keeps references.
void set_up(CLI::App& app, Common& common, Run& run);

std::string problem_text(const CLI::App& app, const CLI::ParseError& error);

}  // namespace xofm::app
