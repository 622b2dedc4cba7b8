// Stage 5, optimize: finding the parameters that minimise the loss.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace xofm {

enum class Optimizer {
  lbfgs,  // full gradients; with bounds (L-BFGS-B) where attributes are monotone
  boost,  // trees of two questions, one after the other: a sum of increments and products, so a model of the same form
  sgd,    // the paper's Algorithm 1: one step per ordered pair
  gibbs,  // draws from the posterior of an ordered probit model; the score is their mean
};

// How sgd makes a step of a gradient g; r is learning_rate / (1 + learning_rate_decay * epoch).
enum class StepRule {
  constant,  // r g: the paper's
  adagrad,   // r g / sqrt(sum of the parameter's g^2 so far) (Duchi, Hazan and Singer 2011)
  adam,      // r mean(g) / sqrt(mean(g^2)), means that fade by 0.9 and 0.999 (Kingma and Ba 2015)
};

struct OptimizerOptions {
  double tolerance = 1e-5;  // converged when 10 epochs lower the objective by less than this share of it; 0: never
  int restart_count = 1;    // starts from different random factors; the lowest training objective wins
  std::uint64_t seed = 1;   // of the factors' start and of the order of pairs
  StepRule step = StepRule::constant;  // sgd
  double learning_rate = 0.002;        // sgd: step size (paper: eta)
  double learning_rate_decay = 0;      // sgd: the step at epoch t is learning_rate / (1 + decay * t); the paper's is 0
  int chain_count = 4;  // gibbs: chains from different starts, whose agreement tells whether they have mixed
};

enum class StopReason {
  converged,    // the objective no longer falls
  epoch_limit,  // max_epochs reached
  no_descent,   // no step along the search direction lowers the objective: as good as converged, at rounding level
  diverged,     // sgd left the finite numbers: lower learning_rate. The best epoch before is kept
  interrupted,  // the progress callback asked to stop
};

// What long work says of itself.
struct Progress {
  double share = 0;        // of all the work, in [0, 1]
  const char* phase = "";  // what is being done, one word: search, train, choose, bands, ...
  std::size_t count = 0;   // of what the phase counts: recipes tried, trials finished; 0: nothing
  double epoch = 0;        // of a single training
  double objective = 0;    // best so far in that training
};

// Called now and then, by one thread at a time; false asks to stop with the best so far.
using ProgressCallback = std::function<bool(const Progress&)>;

// Returns the value at a point and writes the gradient.
using Objective = std::function<double(std::span<const double> point, std::span<double> gradient)>;

struct Minimum {
  std::vector<double> point;  // the best seen
  double objective = 0;
  int epochs = 0;  // evaluations used
  StopReason reason = StopReason::converged;
  bool is_start = false;  // nothing better than the start was found
};

// L-BFGS from `start`. `lower` is empty or gives a lower bound per coordinate (-infinity: none), then L-BFGS-B.
// The callback gets the number of evaluations and the best value so far.
Minimum minimize_lbfgs(const Objective& objective, std::vector<double> start, std::span<const double> lower,
                       int max_epochs, double tolerance, const std::function<bool(int, double)>& progress = {});

}  // namespace xofm
