// Which of a command's words are files that it reads, and which it writes.
#pragma once

#include <CLI/App.hpp>

namespace xofm::app {

// Throws Error{io} if the path of an option is an empty text, as a variable of a shell that is not set leaves it: the
// output would be lost, or the input not read, without a word.
void refuse_empty_paths(const CLI::App& command);

// Throws Error{invalid_option} if the command would write a file that it also reads, or one file twice: the data or
// the model would be lost. A model that fit starts from (--warm-start, --options-of) may be replaced.
void refuse_overwritten_input(const CLI::App& command);

}  // namespace xofm::app
