#include "terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iterator>

namespace xofm::app {

namespace {

constexpr int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};
constexpr int status_of_signal = 128;  // as shells count

volatile std::sig_atomic_t last_signal = 0;
volatile std::sig_atomic_t is_guarded = 0;
volatile std::sig_atomic_t is_interrupted = 0;  // the command of the guard that lives, or of the last one
const char* volatile answer = "";               // what it says to the first signal

// A command that is guarded ends by itself when it is ready to; a second signal, or no guard, ends the program at once.
// Unfinished outputs have no name (io/output_file.hpp), so nothing is left behind.
void on_stop(int signal) {
  if (is_guarded == 0 || is_interrupted != 0) ::_exit(status_of_signal + signal);
  last_signal = signal;
  is_interrupted = 1;
  const char* const text = answer;
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
  errno = error;
}

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 3600) return fmt::format("{:.0f} min", std::ceil(seconds / 60));
  return fmt::format("{:.1f} h", seconds / 3600);
}

struct CodePoint {
  std::size_t size;    // in bytes
  std::uint32_t code;  // 0xFFFD for what is not UTF-8
};

CodePoint code_point(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(text[at + i])}; };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {1, first};
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || at + size > text.size()) return {1, 0xFFFD};
  std::uint32_t code = first & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {1, 0xFFFD};
    code = code << 6 | (byte(i) & 0x3F);
  }
  return {size, code};
}

// Control characters, those that turn the direction of writing, and line ends by another name.
bool steers_terminal(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

}  // namespace

ProgressBar::ProgressBar(std::string title, bool enabled)
    : title_(std::move(title)),
      enabled_(enabled && isatty(STDERR_FILENO) != 0),
      start_(std::chrono::steady_clock::now()) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::update(double share, const std::string& note) {
  if (!enabled_) return;
  const auto now = std::chrono::steady_clock::now();
  if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  constexpr int width = 24;
  const int filled = static_cast<int>(std::clamp(share, 0.0, 1.0) * width);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string left =
      share > 0.01 ? fmt::format("at most {} left", duration_text(elapsed / share * (1 - share))) : "";
  fmt::print(stderr, "\r\033[K{} [{}{}] {}  {}", title_, std::string(static_cast<std::size_t>(filled), '#'),
             std::string(static_cast<std::size_t>(width - filled), '.'), note, left);
  std::fflush(stderr);
}

void ProgressBar::clear() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

void stop_on_signals() {
  struct sigaction action = {};
  action.sa_handler = on_stop;
  action.sa_flags = SA_RESTART;
  for (const int signal : stop_signals) {
    struct sigaction before = {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);  // nohup has its way
  }
}

int stop_status() { return status_of_signal + (last_signal == 0 ? SIGINT : last_signal); }

InterruptGuard::InterruptGuard(const char* answer_text) {
  answer = answer_text;
  is_interrupted = 0;
  is_guarded = 1;
}
InterruptGuard::~InterruptGuard() { is_guarded = 0; }
bool InterruptGuard::interrupted() { return is_interrupted != 0; }

std::string sparkline(const std::vector<double>& values, std::size_t width) {
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  return sparkline(values, width, *least, *greatest);
}

std::string sparkline(const std::vector<double>& values, std::size_t width, double least, double greatest) {
  static constexpr const char* blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string line;
  for (std::size_t i = 0; i < width; ++i) {
    const double at = static_cast<double>(i) / static_cast<double>(std::max<std::size_t>(width - 1, 1)) *
                      static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    const double value = std::lerp(values[below], values[above], at - static_cast<double>(below));
    const double height = greatest > least ? (value - least) / (greatest - least) : 0.0;
    line += blocks[static_cast<std::size_t>(std::clamp(std::lround(height * 7), 0L, 7L))];
  }
  return line;
}

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string printable(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto [size, code] = code_point(text, i);
    result += steers_terminal(code) ? "?" : text.substr(i, size);
    i += size;
  }
  return result;
}

std::string json_text(const std::string& dumped) {
  std::string result;
  for (std::size_t i = 0; i < dumped.size();) {
    const auto [size, code] = code_point(dumped, i);
    // Line ends between members are below U+007F and stay; dump() has escaped those inside texts.
    if (code >= 0x7F && steers_terminal(code)) {
      fmt::format_to(std::back_inserter(result), "\\u{:04x}", code);
    } else {
      result.append(dumped, i, size);
    }
    i += size;
  }
  return result;
}

std::string fit_width(const std::string& text, std::size_t width) {
  const std::string clean = printable(text);
  const std::size_t columns = display_width(clean);
  if (columns <= width) return clean + std::string(width - columns, ' ');
  std::string cut;
  std::size_t taken = 0;
  for (const char c : clean) {
    if (starts_code_point(c) && ++taken == width) break;
    cut += c;
  }
  return cut + "…";
}

std::string counted(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace xofm::app
