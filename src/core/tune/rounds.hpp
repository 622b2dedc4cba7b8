// Recipes tried on folds: each trained once without each fold, so that every row gets a score by a fit that has not
// seen it. What the search knows of a recipe is made of these scores, and the fits of those that are chosen make the
// model.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include "core/train/resample.hpp"

namespace xofm::detail {

// A recipe after its max_epochs epochs.
struct Candidate {
  Recipe recipe;
  Members members;             // the fit without each fold
  std::vector<double> unseen;  // per row, by the fit that has not seen it, about its mean
};

// Counts what is done and says when to stop: asked to by progress, or out of time.
class Budget {
 public:
  Budget(double passes, double time_limit, const ProgressCallback& progress);

  double passes() const { return passes_; }  // allowed
  double used() const { return used_; }
  bool is_out_of_time() const { return is_out_of_time_; }
  bool is_interrupted() const { return is_interrupted_; }
  bool may_go_on() const { return !is_out_of_time_ && !is_interrupted_; }

  // False once all should stop. Whole numbers of passes, so that their sum does not depend on the order.
  bool use(double passes);
  void add_recipes(std::size_t count) { recipe_count_ += count; }

 private:
  double passes_;
  double time_limit_;
  ProgressCallback progress_;
  double start_;
  std::mutex mutex_;
  double used_ = 0;
  std::size_t recipe_count_ = 0;
  std::atomic<bool> is_out_of_time_ = false;
  std::atomic<bool> is_interrupted_ = false;
};

// Judges a candidate by its scores: lower is better.
using CandidateLoss = std::function<double(const Candidate&)>;

// Successive halving: all recipes train for the epochs of the first round, the better half goes on to those of the next
// from where it stands, and so on. One candidate per recipe and round, in the order of training; less if the budget
// says stop. Encoded rows are shared by recipes with the same knots.
std::vector<Candidate> run_rounds(const Folds& folds, const TrainOptions& base, bool has_common_knots,
                                  const std::vector<Recipe>& recipes, const std::vector<int>& epochs,
                                  const CandidateLoss& loss, Budget& budget);

// The passes that it takes for `count` recipes, each fold's fit counted as if it had all rows.
double passes_of_rounds(std::size_t count, const std::vector<int>& epochs, std::size_t fold_count,
                        int restart_count = 1);

}  // namespace xofm::detail
