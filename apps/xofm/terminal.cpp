#include "terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>

namespace xofm::app {

namespace {

volatile std::sig_atomic_t interrupt_flag = 0;

void on_interrupt(int signal) {
  interrupt_flag = 1;
  std::signal(signal, SIG_DFL);
}

std::string duration_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 3600) return fmt::format("{:.0f} min", std::ceil(seconds / 60));
  return fmt::format("{:.1f} h", seconds / 3600);
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

InterruptGuard::InterruptGuard() {
  interrupt_flag = 0;
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::interrupted() { return interrupt_flag != 0; }

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
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool c1_control = c == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (c < 0x20 || c == 0x7F || c1_control) {
      result += '?';
      if (c1_control) ++i;
    } else {
      result += text[i];
    }
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

}  // namespace xofm::app
