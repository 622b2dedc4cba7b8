#include "run.hpp"

#include <fmt/format.h>

#include <csignal>

#include "io/output_file.hpp"
#include "xofm/error.hpp"

namespace xofm::compare {

namespace {

volatile std::sig_atomic_t stop_flag = 0;

void on_signal(int signal) {
  stop_flag = 1;
  std::signal(signal, SIG_DFL);
}

std::string duration_text(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

StopBySignal::StopBySignal() {
  stop_flag = 0;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

StopBySignal::~StopBySignal() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool StopBySignal::stopped() { return stop_flag != 0; }

void write_text(const std::string& path, const std::string& text) {
  detail::OutputFile file(path);
  file.write(text);
  file.commit();
}

bool run_jobs(std::span<const baselines::ComparedSet> sets, std::span<const baselines::Contender> contenders,
              const Arguments& arguments, std::vector<baselines::TrialScore>& scores,
              const std::function<void()>& keep) {
  const baselines::ComparisonOptions options{
      .core_seconds = arguments.cap, .threads = arguments.threads, .stop = StopBySignal::stopped};
  const auto failures = baselines::run_comparison(
      sets, contenders, options, scores,
      [&](const baselines::TrialScore& score, const baselines::ComparisonProgress& progress) {
        keep();
        fmt::print(stderr, "{}/{}: {} on {}, split {}: accuracy {:.3f}, MAE {:.3f}, {:.1f} core s{}; about {} left\n",
                   progress.finished_count, progress.job_count, score.method, score.set, score.trial, score.accuracy,
                   score.mae, score.core_seconds, score.cut ? " (cut)" : "", duration_text(progress.seconds_left));
      });
  if (!failures.empty()) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("{} jobs failed:\n  {}", failures.size(), fmt::join(failures, "\n  ")));
  }
  return !StopBySignal::stopped();
}

}  // namespace xofm::compare
