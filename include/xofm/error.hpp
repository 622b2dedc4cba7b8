// The one exception that leaves the library. A message names the value seen, its place and what is allowed.
#pragma once

#include <stdexcept>
#include <string>

namespace xofm {

enum class ErrorCode {
  invalid_option,  // an option's value is not allowed
  invalid_data,    // the rows cannot be used: malformed file, one class only, negative weight, ...
  invalid_model,   // a model file is damaged or of an unknown version
  io,              // a file cannot be opened, read or written
  diverged,        // training has left the finite numbers, or found nothing better than its random start
};

class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace xofm
