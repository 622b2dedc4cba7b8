// A contender is all that stands between rows to learn from and classes of rows it has not seen: how its settings are
// chosen, within which time, and the model in the end. All are given the same rows and the same core seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "baselines/method.hpp"
#include "xofm/dataset.hpp"

namespace xofm::baselines {

struct Task {
  Dataset learning;
  Dataset holdout;                   // without labels: nothing that is chosen can see them
  std::vector<int> directions = {};  // per attribute 1 (more is better), -1 or 0 (not known); empty: all 0
};

struct Limits {
  double core_seconds = 60;         // for the choice and the final fit together
  std::uint64_t seed = 1;           // the same seed gives the same classes, unless the limit strikes
  std::function<bool()> stop = {};  // true: the result is not wanted any more
};

// What a model says of the rows held out.
struct Classes {
  std::vector<int> for_accuracy;
  std::vector<int> for_mae;  // the same for methods that know but one class of a row
};

struct Outcome {
  Classes classes;
  std::string setting;      // what was chosen, in words
  double core_seconds = 0;  // of the calling thread
  bool cut = false;         // the limit struck before all was tried
};

// Runs in the calling thread alone where xofm may use no other: under ThreadLimit(1), as run_comparison does.
struct Contender {
  std::string name;
  std::function<Outcome(const Task&, const Limits&)> run;
};

// Candidates among which to choose by cross-validation.
struct Learner {
  std::size_t candidate_count = 1;  // the first is a decent default
  std::function<std::string(std::size_t candidate)> describe;
  std::function<Classes(std::size_t candidate, const Task&, const Effort&)> learn;
};

// The best candidate by stratified five-fold cross-validation inside the learning part: least MAE, then the greatest
// accuracy, then the one tried first. The first candidate is tried first, the others in random order, so that a search
// that is cut has seen different ones. Enough time is kept for the final fit on the whole learning part.
Contender tuned(const std::string& name, Learner learner);

// A rival, tuned over its grid on standardised features that are learned anew in every fold.
Contender tuned(std::shared_ptr<const Method> method);
// The same with one axis, the one whose name holds `axis`, held at a value.
Contender tuned(std::shared_ptr<const Method> method, const std::string& axis, double value);

// Core seconds of the calling thread since it was made.
class CoreClock {
 public:
  CoreClock() : start_(now()) {}
  double seconds() const { return now() - start_; }

 private:
  static double now();
  double start_;
};

}  // namespace xofm::baselines
