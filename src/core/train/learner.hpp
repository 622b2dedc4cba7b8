// What everything that learns has in common: it goes on until so many epochs are used, and says how far it has come.
//
// A new way to learn is one file with a class like those of gradient_learner.cpp and boost.cpp, and a line in
// learner.cpp.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "core/optimize/constraints.hpp"
#include "core/score/factors.hpp"
#include "xofm/model.hpp"

namespace xofm::detail {

// What all fits on the same data share. Rows of weight zero are left out; weights empty means 1 for all.
struct LearningRows {
  const Encoder& encoder;
  const EncodedRows& rows;
  std::span<const int> labels;
  int class_count;
  std::span<const double> weights;
};

// A score function, and how it was reached.
struct Learned {
  Parameters parameters;
  Products products = {};  // of two coordinates, beside those that the factors make
  double objective = 0;
  double loss = 0;  // the objective without the penalties
  int epochs = 0;   // of the restart that won
  int passes = 0;   // of all restarts
  StopReason reason = StopReason::converged;
  int restart = 1;
  std::optional<SamplingRecord> sampling = {};  // gibbs
  bool is_untrained = false;                    // sgd: no epoch was better than the random start
};

std::vector<double> score_rows(const Encoder& encoder, const Learned& learned, const EncodedRows& rows);

// What a method can, for those who offer choices.
struct Traits {
  bool starts_warm = true;        // from given parameters
  bool keeps_directions = true;   // of monotone attributes
  bool has_all_penalties = true;  // smoothness, pair and sparsity beside the paper's
  bool is_quick = true;           // refits are made without being asked for
  bool has_few_settings = false;  // of a recipe: knots, segments, whether there are pairs
  const char* refusal = "";       // of the other penalties
};
const Traits& traits_of(Optimizer method);

class Learner {
 public:
  Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;
  virtual ~Learner() = default;

  // On to `epochs` in all, unless it converges or progress asks to stop before.
  virtual void advance(int epochs, const ProgressCallback& progress) = 0;
  // Where it stands.
  virtual Learned learned() const = 0;
};

// Keeps references to the rows and the options. The first start is from `warm_start`, if given.
std::unique_ptr<Learner> make_learner(const LearningRows& rows, const TrainOptions& options, const Recipe& recipe,
                                      std::uint64_t seed, const Parameters* warm_start = nullptr);

std::unique_ptr<Learner> make_gradient_learner(const LearningRows& rows, const TrainOptions& options,
                                               const Recipe& recipe, std::uint64_t seed, const Parameters* warm_start);

// Increments zero, factors normal (Algorithm 1, line 2), inside the constraints.
Parameters random_start(const Encoder& encoder, const Recipe& recipe, const Constraints& constraints,
                        std::uint64_t seed, int restart);

// Throws Error{invalid_option} if a part asks for what its method cannot do.
void check_methods(const TrainOptions& options);

// Whether training has kept to numbers and found more than its random start. A run that diverged may: its best epoch
// is kept.
bool is_usable(const Learned& learned);

// Throws Error{diverged}.
[[noreturn]] void refuse_diverged(const TrainOptions& options, const Recipe& recipe);

// One training of a recipe, to its last epoch. Throws Error{diverged} if what it has left is not usable; not if it was
// interrupted.
Learned learn(const LearningRows& rows, const TrainOptions& options, const Recipe& recipe, std::uint64_t seed,
              const ProgressCallback& progress = {}, const Parameters* warm_start = nullptr);

}  // namespace xofm::detail
