// What a person at a terminal sees: progress, and small pictures made of text.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace xofm::app {

// A bar with the time left on standard error, or nothing if that is not a terminal (or `enabled` is false).
class ProgressBar {
 public:
  ProgressBar(std::string title, bool enabled);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // share: done so far, in [0, 1]; redrawn ten times a second at most.
  void update(double share, const std::string& note);
  void clear();

 private:
  std::string title_;
  bool enabled_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

// From now on Ctrl-C, SIGTERM and a closed terminal (SIGHUP) end the program with 128 plus the signal's number, unless
// a guard lives; signals that were ignored stay so.
void stop_on_signals();
// The exit status after the signal that stopped a command: 130, 143 or 129.
int stop_status();

// While it lives, the first such signal sets a flag instead of ending the program, and is answered on standard error at
// once, however long the work goes on; the second ends it.
class InterruptGuard {
 public:
  explicit InterruptGuard(const char* answer_text = "");
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static bool interrupted();
};

// The answer of commands that show what is finished.
inline constexpr const char* stopping_text = "\nStopping after what is being fitted; once more to leave at once\n";

// A curve as a row of block characters, `width` of them, least to greatest value.
std::string sparkline(const std::vector<double>& values, std::size_t width);
// The same on a given scale, so that two curves can be compared.
std::string sparkline(const std::vector<double>& values, std::size_t width, double least, double greatest);

// Columns that a text takes on a terminal: code points, near enough for names.
std::size_t display_width(const std::string& text);

// Cut to `width` with an ellipsis, or filled up with blanks; control characters, those that turn the direction of
// writing and line separators become '?', so that names from a file cannot steer the terminal.
std::string fit_width(const std::string& text, std::size_t width);
std::string printable(const std::string& text);
// JSON as nlohmann's dump() gives it, with such characters as \u escapes: the same document.
std::string json_text(const std::string& dumped);

// "1 row", "2 rows".
std::string counted(std::size_t count, const std::string& noun);

}  // namespace xofm::app
