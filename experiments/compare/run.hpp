// A comparison that is kept on disk as it goes: stopped or killed, it goes on where it was.
#pragma once

#include <string>
#include <vector>

#include "baselines/comparison.hpp"

namespace xofm::compare {

struct Arguments {
  std::string folder;
  std::string output = "build/comparison";
  std::vector<std::string> methods;
  std::vector<std::string> sets;
  int splits = 30;
  std::uint64_t seed = 1;
  double cap = 60;
  int threads = 2;
  std::vector<std::string> outside;
  bool supplement = false;
};

// While it lives, the first Ctrl-C asks the run to stop; the second ends the program.
class StopBySignal {
 public:
  StopBySignal();
  ~StopBySignal();
  StopBySignal(const StopBySignal&) = delete;
  StopBySignal& operator=(const StopBySignal&) = delete;
  static bool stopped();
};

// Runs what is not in `scores` yet, says so on standard error, and calls `keep` after every job.
// Returns false if it was asked to stop; throws Error if a contender failed.
bool run_jobs(std::span<const baselines::ComparedSet> sets, std::span<const baselines::Contender> contenders,
              const Arguments& arguments, std::vector<baselines::TrialScore>& scores,
              const std::function<void()>& keep);

void write_text(const std::string& path, const std::string& text);

// The exit statuses: 0, or 130 if asked to stop.
int run_comparison(const Arguments& arguments);
// The supplement's table: monotone XOFM against UTADIS with one to five segments, by five-fold cross-validation.
int run_supplement(const Arguments& arguments);

}  // namespace xofm::compare
