// Which of a command's words are files that it reads, and which it writes.
#pragma once

#include <CLI/App.hpp>

namespace xofm::app {

// Throws Error{invalid_option} if the command would write a file that it also reads, or one file twice: the data or
// the model would be lost. A model that training starts from (--warm-start, --options-of) may be replaced.
void refuse_overwritten_input(const CLI::App& command);

}  // namespace xofm::app
